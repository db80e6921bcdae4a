package validate

import (
	"bytes"
	"os"
	"os/exec"
	"strings"
	"testing"
)

const chart = "../helm/dragoman"

// versions are the Kubernetes versions that the tests render for: the oldest that the chart supports
// (kubeVersion), the first with every feature that a template checks for, and the newest, with the types in
// go.mod.
var versions = []string{"1.29", "1.30", "1.37"}

// helm runs the real program and returns its output and its errors.
func helm(t *testing.T, args ...string) (stdout, stderr string, err error) {
	t.Helper()
	var out, complaints bytes.Buffer
	cmd := exec.Command(binary(t, buildHelm), args...)
	cmd.Env = append(os.Environ(), "HELM_CACHE_HOME="+scratch, "HELM_CONFIG_HOME="+scratch, "HELM_DATA_HOME="+scratch,
		"KUBE_FEATURE_WatchListClient=false") // the cluster of these tests serves lists, not streams
	cmd.Stdout, cmd.Stderr = &out, &complaints
	err = cmd.Run()
	return out.String(), complaints.String(), err
}

// render renders the chart with values in YAML, like `helm install NAME` on a version of Kubernetes.
func render(t *testing.T, name, values, version string) string {
	t.Helper()
	stdout, stderr, err := helm(t, "template", name, chart, "--namespace", "apps", "--kube-version", version, "--values", valuesFile(t, values))
	if err != nil {
		t.Fatalf("helm template: %v\n%s", err, stderr)
	}
	return stdout
}

// rendered returns the objects of the rendered chart.
func rendered(t *testing.T, name, values, version string) set {
	t.Helper()
	objects, err := documents([]byte(render(t, name, values, version)))
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// valuesFile writes values to a file. Its name has no comma, because helm would split it there.
func valuesFile(t *testing.T, values string) string {
	t.Helper()
	file, err := os.CreateTemp(scratch, "values")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString(values); err != nil {
		t.Fatal(err)
	}
	return file.Name()
}

// complains reports whether a line of helm's errors ends with a text. Errors of the schema come below a
// heading.
func complains(stderr, text string) bool {
	for line := range strings.Lines(stderr) {
		line = strings.TrimSpace(line)
		if (strings.HasPrefix(line, "- ") || strings.Contains(line, "execution error at ")) && strings.HasSuffix(line, text) {
			return true
		}
	}
	return false
}
