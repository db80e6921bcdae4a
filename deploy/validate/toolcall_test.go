package validate

import (
	"fmt"
	"net/http"
	"os/exec"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// `helm test` works: the Pod's own command asks the Deployment's container, with the key that the chart gives
// it.
func TestToolCall(t *testing.T) {
	for name, test := range map[string]struct{ values, url, wrongKey string }{
		"simulated":    {cases["simulated"], "http://dragoman:80", "authentication_error"},
		"without keys": {cases["simulated without keys"], "http://dragoman:80", ""},
		"variable":     {`{simulated: true, config: {auth: {keys: ["${DRAGOMAN_KEY}"]}}}`, "http://dragoman:80", "authentication_error"},
		"wildcard":     {`config: {upstreams: {sim: {kind: simulated}}, models: [{name: "qwen-*", upstream: sim}]}`, "http://dragoman:80", "authentication_error"},
		"TLS":          {"simulated: true" + withTLS(t), "https://dragoman:80", "authentication_error"},
	} {
		t.Run(name, func(t *testing.T) {
			objects := rendered(t, "dragoman", test.values, "1.37")
			server := serve(t, objects)
			pod := of[*corev1.Pod](objects)[0].Spec
			p := program{objects, pod, pod.Containers[0]}
			if got := value(p.container, "URL"); got != test.url {
				t.Errorf("the Pod asks %q, want the Service's %q", got, test.url)
			}
			output, err := p.run("URL=" + server.URL)
			if err != nil || !strings.Contains(output, "a streamed tool call came from") {
				t.Errorf("helm test: %v\n%s", err, output)
			}
			if output, err := p.run("URL=" + server.URL + "/nowhere"); err == nil || !strings.Contains(output, "not_found_error") {
				t.Errorf("helm test of an unknown path (%v):\n%s", err, output)
			}
			if output, err := p.run("URL="+server.URL, "DRAGOMAN_KEY=another"); test.wrongKey != "" && (err == nil || !strings.Contains(output, test.wrongKey)) {
				t.Errorf("helm test with another key (%v):\n%s", err, output)
			}
		})
	}
}

// run runs the container's command, which is not dragoman, on this machine.
func (p program) run(more ...string) (string, error) {
	command := append(append([]string{}, p.container.Command...), p.container.Args...)
	cmd := exec.Command(command[0], command[1:]...)
	cmd.Env = append(p.environment(), more...)
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// The Pod asks for a served model. If the values name none, it asks for the first that the server lists.
func TestToolCallModel(t *testing.T) {
	const fleet = "config: {upstreams: {gcp: {kind: vertex, project: p, location: l}, sim: {kind: simulated}}, models: [%s]}"
	for values, want := range map[string]string{
		cases["region alone"]:  "anthropic.claude-3-haiku-20240307-v1:0",
		cases["configuration"]: "claude-2.1",
		cases["additions"]:     "claude-2.1",
		fmt.Sprintf(fleet, `{name: "gemma-*", upstream: gcp}, {name: "*", upstream: gcp}`): "",
		fmt.Sprintf(fleet, `{name: "gemma-*", upstream: gcp, model: gemma}`):               "gemma-",
		fmt.Sprintf(fleet, `{name: "*", upstream: sim}`):                                   "any",
	} {
		pod := of[*corev1.Pod](rendered(t, "dragoman", values, "1.37"))[0]
		if got := value(pod.Spec.Containers[0], "MODEL"); got != want {
			t.Errorf("of %s\nit asks for %q, want %q", values, got, want)
		}
	}
	pod := of[*corev1.Pod](rendered(t, "dragoman", cases["simulated without keys"], "1.37"))[0].Spec
	models := "{\"data\":[{\"type\":\"model\",\"id\":\"listed\"}]}"
	server := serveModels(t, models)
	if output, err := (program{nil, pod, pod.Containers[0]}).run("URL="+server, "MODEL="); err == nil || !strings.Contains(output, `asked for "listed"`) {
		t.Errorf("helm test (%v):\n%s", err, output)
	}
}

// With TLS, clients of the Pods' first port use TLS, and clients of the admin port do not.
func TestTLS(t *testing.T) {
	objects := rendered(t, "dragoman", "simulated: true\nservice: {appProtocol: kubernetes.io/h2c}\ningress: {enabled: true, controller: nginx}"+withTLS(t), "1.37")
	server := serve(t, objects)
	service, _ := named[*corev1.Service](objects, "dragoman")
	if got := *service.Spec.Ports[0].AppProtocol; got != "https" {
		t.Errorf("the Service's protocol is %s", got)
	}
	container := programOf(t, objects).container
	for _, probe := range []*corev1.Probe{container.StartupProbe, container.ReadinessProbe, container.LivenessProbe} {
		get := probe.HTTPGet
		scheme := strings.ToLower(string(get.Scheme))
		if scheme == "" {
			scheme = "http"
		}
		response, err := http.Get(scheme + "://" + strings.TrimPrefix(server.Admin, "http://") + get.Path)
		if err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("the probe of %s: %v, %v", get.Path, response, err)
		}
	}
	notes := notes(t, "simulated: true"+withTLS(t))
	if !strings.Contains(notes, "ANTHROPIC_BASE_URL=https://dragoman.apps:80 ") || strings.Contains(notes, "http://") {
		t.Errorf("the notes are\n%s", notes)
	}
	withCA := strings.Replace(withTLS(t), "tls: {", "tls: {client_ca: /etc/tls/ca.crt, ", 1)
	if pods := of[*corev1.Pod](rendered(t, "dragoman", "simulated: true"+withCA, "1.37")); len(pods) > 0 {
		t.Errorf("helm test has no certificate to show, and is there: %s", pods[0].Name)
	}
}
