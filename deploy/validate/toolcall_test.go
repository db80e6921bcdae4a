package validate

import (
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// `helm test` is carried out: the Pod's own command asks what the Deployment's container serves, and
// is told by the chart which key it has.
func TestToolCall(t *testing.T) {
	for _, name := range []string{"simulated", "simulated without keys"} {
		t.Run(name, func(t *testing.T) {
			objects := rendered(t, "dragoman", cases[name], "1.37")
			url := serve(t, objects)
			container := of[*corev1.Pod](objects)[0].Spec.Containers[0]
			if want := "http://dragoman:80"; value(container, "URL") != want {
				t.Errorf("the Pod asks %q, want the Service's %q", value(container, "URL"), want)
			}
			output, err := runPod(container, "URL="+url)
			if err != nil || !strings.Contains(output, "a streamed tool call came from") {
				t.Errorf("helm test: %v\n%s", err, output)
			}
			if output, err := runPod(container, "URL="+url+"/nowhere"); err == nil || !strings.Contains(output, "not_found_error") {
				t.Errorf("helm test of a path that is not served (%v):\n%s", err, output)
			}
			if name == "simulated without keys" {
				return
			}
			if output, err := runPod(container, "URL="+url, "DRAGOMAN_KEY=another"); err == nil || !strings.Contains(output, "authentication_error") {
				t.Errorf("helm test with another key (%v):\n%s", err, output)
			}
		})
	}
}

// runPod runs a container's command on this machine.
func runPod(container corev1.Container, more ...string) (string, error) {
	command := append(append([]string{}, container.Command...), container.Args...)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(environment(container), more...)
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// It asks for a model that is configured.
func TestToolCallModel(t *testing.T) {
	for name, want := range map[string]string{
		"region alone":  "anthropic.claude-3-haiku-20240307-v1:0",
		"configuration": "claude-2.1",
		"additions":     "claude-2.1",
	} {
		pod := of[*corev1.Pod](rendered(t, "dragoman", cases[name], "1.37"))[0]
		if got := value(pod.Spec.Containers[0], "MODEL"); got != want {
			t.Errorf("%s: asks for %q, want %q", name, got, want)
		}
	}
}
