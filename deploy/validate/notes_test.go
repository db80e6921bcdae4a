package validate

import (
	"strings"
	"testing"
)

// notes returns the text that `helm install` prints at its end.
func notes(t *testing.T, values string) string {
	t.Helper()
	stdout, stderr, err := helm(t, "install", "dragoman", chart, "--namespace", "apps", "--dry-run=client", "--values", valuesFile(t, values))
	if err != nil {
		t.Fatalf("helm install: %v\n%s", err, stderr)
	}
	_, text, _ := strings.Cut(stdout, "NOTES:\n")
	return text
}

// The notes ask for a served model. If a cloud needs it, they describe the identity of the Pods.
func TestNotes(t *testing.T) {
	const local = "config: {upstreams: {a: {kind: openai, base_url: \"http://a:8000/v1\"}}, models: [%s]}\nnetworkPolicy: {enabled: true}"
	for name, test := range map[string]struct {
		values, model string
		cloud         bool
	}{
		"region":    {cases["region alone"], "anthropic.claude-3-haiku-20240307-v1:0", true},
		"fleet":     {cases["configuration"] + "extraEnvFrom: []\n", "claude-2.1", true},
		"simulated": {cases["simulated"], "anthropic.claude-3-haiku-20240307-v1:0", false},
		"local":     {strings.Replace(local, "%s", "{name: qwen3, upstream: a}", 1), "qwen3", false},
		"listed":    {strings.Replace(local, "%s", "{name: \"*\", upstream: a}", 1), "…", false},
	} {
		t.Run(name, func(t *testing.T) {
			text := notes(t, test.values)
			if !strings.Contains(text, `"model": "`+test.model+`"`) {
				t.Errorf("it does not ask for %s", test.model)
			}
			if lists := strings.Contains(text, "/v1/models"); lists != (name == "listed") {
				t.Errorf("it lists models: %v", lists)
			}
			if cloud := strings.Contains(text, "Pod\nIdentity") || strings.Contains(text, "Workload Identity"); cloud != test.cloud {
				t.Errorf("it speaks of a cloud's identities: %v", cloud)
			}
			if t.Failed() {
				t.Log(text)
			}
		})
	}
}
