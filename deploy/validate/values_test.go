package validate

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

// wholes are values that are Kubernetes objects. The chart uses them as a whole, and one comment describes
// all of their content.
var wholes = []string{
	"podSecurityContext", "securityContext", "resources", "strategy", "startupProbe", "livenessProbe", "readinessProbe",
	"topologySpreadConstraints", "httpRoute.timeouts", "autoscaling.behavior", "networkPolicy.monitoringFrom", "dashboard.labels",
}

// Each value has a comment, is in the schema, and is used by a template. The schema has no others.
func TestValues(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(chart, "values.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	var document yaml.Node
	if err := yaml.Unmarshal(text, &document); err != nil {
		t.Fatal(err)
	}
	commented := map[string]bool{}
	walk(document.Content[0], "", func(path string, key *yaml.Node) { commented[path] = key.HeadComment != "" })

	text, err = os.ReadFile(filepath.Join(chart, "values.schema.json"))
	if err != nil {
		t.Fatal(err)
	}
	var root object
	if err := json.Unmarshal(text, &root); err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	root.walk(root, "", known)
	delete(known, "global") // Helm's own

	used := templates(t)
	for path, has := range commented {
		switch {
		case !has:
			t.Errorf("%s has no comment", path)
		case !known[path]:
			t.Errorf("%s is not in the schema", path)
		case !uses(used, path):
			t.Errorf("no template uses %s", path)
		}
		delete(known, path)
	}
	for path := range known {
		t.Errorf("the schema knows %s, which is not in values.yaml", path)
	}
}

// walk calls visit for every key of a mapping and of the mappings inside it, but not inside wholes.
func walk(node *yaml.Node, prefix string, visit func(path string, key *yaml.Node)) {
	for i := 0; i+1 < len(node.Content); i += 2 {
		key, value := node.Content[i], node.Content[i+1]
		path := prefix + key.Value
		visit(path, key)
		if value.Kind == yaml.MappingNode && !slices.Contains(wholes, path) {
			walk(value, path+".", visit)
		}
	}
}

// object is an object in a JSON schema.
type object struct {
	Ref         string            `json:"$ref"`
	Properties  map[string]object `json:"properties"`
	Definitions map[string]object `json:"definitions"`
}

// walk adds the paths of all properties, but not inside wholes and dragoman's configuration.
func (o object) walk(root object, prefix string, known map[string]bool) {
	if name, is := strings.CutPrefix(o.Ref, "#/definitions/"); is {
		o = root.Definitions[name]
	}
	for name, property := range o.Properties {
		path := prefix + name
		known[path] = true
		if path != "config" && !slices.Contains(wholes, path) {
			property.walk(root, path+".", known)
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
