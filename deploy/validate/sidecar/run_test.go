package sidecar

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
)

// Every form starts, passes its own probe, and answers each kind of client at the URL in its variable. It
// uses the simulated model, because the tests have no account.
func TestForms(t *testing.T) {
	binary := dragoman(t)
	for name, f := range forms(t) {
		t.Run(name, func(t *testing.T) {
			started := start(t, binary, f, "--simulated")
			for variable, path := range map[string]string{
				"ANTHROPIC_BASE_URL":               "/v1/messages",
				"ANTHROPIC_BEDROCK_BASE_URL":       "/model/anthropic.claude-v2:1/invoke",
				"ANTHROPIC_VERTEX_BASE_URL":        "/projects/p/locations/l/publishers/anthropic/models/claude-2.1:rawPredict",
				"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "/model/anthropic.claude-v2%3A1/converse",
			} {
				body := `{"model":"claude-2.1","max_tokens":100,"anthropic_version":"any","messages":[{"role":"user","content":"Hello"}]}`
				if strings.HasSuffix(path, "/converse") {
					body = `{"messages":[{"role":"user","content":[{"text":"Hello"}]}]}`
				}
				response, err := http.Post(started.application[variable]+path, "application/json", strings.NewReader(body))
				if err != nil {
					t.Errorf("%s: %v", variable, err)
					continue
				}
				answer, _ := io.ReadAll(response.Body)
				response.Body.Close()
				if response.StatusCode != http.StatusOK || !strings.Contains(string(answer), "[simulated]") {
					t.Errorf("%s: %s: %s", variable, response.Status, answer)
				}
			}
			if address := outside(t); address != "" {
				connection, err := net.Dial("tcp", net.JoinHostPort(address, port(started.environment["DRAGOMAN_LISTEN"])))
				if err == nil {
					connection.Close()
					t.Error("is reached from outside of its Pod")
				}
			}
			started.stop(t)
		})
	}
}

// An open stream is not cut when the Pod ends: neither while the application still runs, nor by the signal to
// the sidecar.
func TestLastStream(t *testing.T) {
	release := make(chan struct{})
	model := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"first \"}}]}\n\n")
		w.(http.Flusher).Flush()
		select {
		case <-release:
		case <-r.Context().Done():
			return
		}
		fmt.Fprint(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"last\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	}))
	defer model.Close()
	config := filepath.Join(t.TempDir(), "dragoman.yaml")
	write(t, config, "upstreams: {model: {kind: openai, base_url: \""+model.URL+"\"}}\nmodels: [{name: \"*\", upstream: model}]\n")

	f := kubernetesForm(t, pods(t, manifest(t))["Deployment my-app"], nil)
	started := start(t, dragoman(t), f, "--config", config)
	response, err := http.Post(started.application["ANTHROPIC_BASE_URL"]+"/v1/messages", "application/json", strings.NewReader(
		`{"model":"any","max_tokens":100,"stream":true,"messages":[{"role":"user","content":"Hello"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	stream := bufio.NewReader(response.Body)
	before := readUntil(t, stream, "first")

	started.signal(t)
	until(t, started, "it drains", func() bool { return started.admin("/readyz") == http.StatusServiceUnavailable })
	close(release)
	after, err := io.ReadAll(stream)
	if err != nil {
		t.Fatalf("the stream is cut: %v", err)
	}
	if !strings.Contains(string(after), "last") || !strings.Contains(string(after), "message_stop") {
		t.Errorf("the stream ends with %q, after %q", after, before)
	}
	started.wait(t)
}

// running is a dragoman that runs as in a form, on free ports in place of the form's ports.
type running struct {
	form
	process *exec.Cmd
	ended   chan struct{} // closed when the process has ended, and err is set
	err     error
	log     strings.Builder // read it only after the process has ended
}

// start runs the binary like the container, and returns when the form's probe passes.
func start(t *testing.T, binary string, f form, more ...string) *running {
	t.Helper()
	ports := strings.NewReplacer(":8484", ":"+freePort(t), ":8485", ":"+freePort(t))
	root := t.TempDir()
	for path, text := range f.files {
		if err := os.MkdirAll(filepath.Join(root, filepath.Dir(path)), 0o700); err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, path), text)
	}
	r := &running{ended: make(chan struct{}), form: form{
		environment: map[string]string{}, application: map[string]string{}, probe: f.probe, healthcheck: f.healthcheck,
	}}
	for name, value := range f.environment {
		r.environment[name] = ports.Replace(value)
	}
	if r.environment["DRAGOMAN_ADMIN_LISTEN"] == "" { // the default of the image
		r.environment["DRAGOMAN_ADMIN_LISTEN"] = ports.Replace("127.0.0.1:8485")
	}
	for name, value := range f.application {
		r.application[name] = ports.Replace(value)
	}
	for _, arg := range f.args {
		if f.files[arg] != "" {
			arg = filepath.Join(root, arg)
		}
		r.args = append(r.args, arg)
	}
	r.process = exec.Command(binary, append(r.args, more...)...)
	r.process.Env = variables(r.environment)
	r.process.Stderr = &r.log
	if err := r.process.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		r.err = r.process.Wait()
		close(r.ended)
	}()
	t.Cleanup(func() {
		_ = r.process.Process.Kill()
		<-r.ended
		if t.Failed() {
			t.Log(r.log.String())
		}
	})
	until(t, r, "its probe passes", func() bool { return r.passes(binary) })
	return r
}

// passes runs the probe of the form once.
func (r *running) passes(binary string) bool {
	if r.healthcheck == nil {
		return r.admin(r.probe) == http.StatusOK
	}
	check := exec.Command(binary, r.healthcheck[1:]...)
	check.Env = variables(r.environment)
	return check.Run() == nil
}

// admin asks the admin port for a path, and returns the status; 0 for no answer.
func (r *running) admin(path string) int {
	response, err := http.Get("http://127.0.0.1:" + port(r.environment["DRAGOMAN_ADMIN_LISTEN"]) + path)
	if err != nil {
		return 0
	}
	response.Body.Close()
	return response.StatusCode
}

func (r *running) signal(t *testing.T) {
	t.Helper()
	if err := r.process.Process.Signal(syscall.SIGTERM); err != nil {
		t.Fatal(err)
	}
}

// wait waits for the process, which must end without an error.
func (r *running) wait(t *testing.T) {
	t.Helper()
	<-r.ended
	if r.err != nil {
		t.Errorf("ends with %v", r.err)
	}
}

// stop ends the process, as the kubelet does after the application has ended.
func (r *running) stop(t *testing.T) {
	t.Helper()
	r.signal(t)
	r.wait(t)
}

// variables returns an environment for a process. It never includes the test's own environment, because
// containers do not have its credentials and regions.
func variables(environment map[string]string) []string {
	all := []string{"AWS_EC2_METADATA_DISABLED=true"}
	for name, value := range environment {
		all = append(all, name+"="+value)
	}
	return all
}

// until polls a condition of a process for up to a minute, while the process runs.
func until(t *testing.T, r *running, what string, holds func() bool) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	for tick := time.NewTicker(20 * time.Millisecond); !holds(); {
		select {
		case <-r.ended:
			t.Fatalf("ended (%v) before %s", r.err, what)
		case <-ctx.Done():
			t.Fatalf("waited in vain until %s", what)
		case <-tick.C:
		}
	}
}

// readUntil reads the lines of a stream up to a line that contains a text.
func readUntil(t *testing.T, stream *bufio.Reader, text string) string {
	t.Helper()
	var read strings.Builder
	for {
		line, err := stream.ReadString('\n')
		read.WriteString(line)
		if err != nil {
			t.Fatalf("the stream ends before %q: %v: %s", text, err, &read)
		}
		if strings.Contains(line, text) {
			return read.String()
		}
	}
}

func freePort(t *testing.T) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return port(listener.Addr().String())
}

// outside returns an address of this machine that is not loopback, or "".
func outside(t *testing.T) string {
	t.Helper()
	addresses, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range addresses {
		if network, ok := a.(*net.IPNet); ok && network.IP.IsGlobalUnicast() && network.IP.To4() != nil {
			return network.IP.String()
		}
	}
	return ""
}

// dragoman returns the binary in DRAGOMAN_BIN, or builds one.
func dragoman(t *testing.T) string {
	t.Helper()
	if binary := os.Getenv("DRAGOMAN_BIN"); binary != "" {
		return binary
	}
	binary := filepath.Join(t.TempDir(), "dragoman")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "./cmd/dragoman")
	build.Dir = filepath.Join("..", "..", "..")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	return binary
}

func anyCredentials(context.Context) (aws.Credentials, error) {
	return aws.Credentials{AccessKeyID: "any", SecretAccessKey: "any"}, nil
}
