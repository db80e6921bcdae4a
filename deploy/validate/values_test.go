package validate

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// wholes are values that are Kubernetes objects. The chart uses them as a whole.
var wholes = []string{
	"podSecurityContext", "securityContext", "resources", "strategy", "startupProbe", "livenessProbe", "readinessProbe",
	"topologySpreadConstraints", "httpRoute.timeouts", "autoscaling.behavior", "networkPolicy.monitoringFrom", "dashboard.labels",
}

// Each value is used by a template.
func TestValues(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(chart, "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var values map[string]any
	if err := yaml.Unmarshal(text, &values); err != nil {
		t.Fatal(err)
	}
	used := templates(t)
	walk(values, "", func(path string) {
		if !uses(used, path) {
			t.Errorf("no template uses %s", path)
		}
	})
}

// walk calls visit for every key, also inside values, but not inside wholes.
func walk(values map[string]any, prefix string, visit func(path string)) {
	for name, value := range values {
		path := prefix + name
		visit(path)
		if inner, is := value.(map[string]any); is && !slices.Contains(wholes, path) {
			walk(inner, path+".", visit)
		}
	}
}

// templates returns the text of all templates.
func templates(t *testing.T) string {
	t.Helper()
	var all strings.Builder
	for _, pattern := range []string{"templates/*", "templates/*/*"} {
		files, err := filepath.Glob(filepath.Join(chart, pattern))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if text, err := os.ReadFile(file); err == nil { // skips folders
				all.Write(text)
			}
		}
	}
	return all.String()
}

// uses reports whether a template uses a value, by its whole path or inside its parent.
func uses(templates, path string) bool {
	if strings.Contains(templates, ".Values."+path) {
		return true
	}
	parent, name, nested := strings.Cut(path, ".")
	return nested && strings.Contains(templates, "with .Values."+parent) && strings.Contains(templates, "."+name)
}
