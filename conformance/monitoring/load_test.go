package monitoring

import (
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"go.yaml.in/yaml/v3"
)

// The failures and texts of the upstreams under load. For each name there is a model on an upstream that
// fails in this way, or writes this text.
var (
	faults = map[string]string{
		"busy":    "refuse 529 overloaded_error",
		"limited": "refuse 429 rate_limit_error",
		"breaks":  "fail 3 api_error",
		"stalls":  "stall 3",
	}
	completions = map[string]string{
		"invents": "<function_calls>\n<invoke>\n<tool_name>no_such_tool</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n",
		"refuses": "<function_calls>\n<invoke>\n<tool_name>{get_weather}</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n",
		"misfits": "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<town>Oslo</town>\n</parameters>\n</invoke>\n",
		"leaks":   "<invoke>\n<tool_name>{get_weather}</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n",
	}
)

const (
	request = `{"model": %q, "max_tokens": 500, "stream": %t, "messages": [{"role": "user", "content": "What is the weather in Oslo?"}],
		"tools": [{"name": "get_weather", "description": "The weather in a city.",
			"input_schema": {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}}]}`
	key = "a-key-for-this-test"
)

var (
	fakeReady   = regexp.MustCompile(`fake [a-z]+ upstream at http://([0-9.:]+)`)
	serveReady  = regexp.MustCompile(`"url":"(http://[0-9.:]+)","admin_url":"http://([0-9.:]+)"`)
	clientReady = regexp.MustCompile(`^200$`)
)

// load runs the dragoman of the Compose file until the test ends. Additional upstreams fail in every way that
// the queries ask for. The client of the Compose file sends requests, and so do clients for the failing
// models. load returns the address of the metrics.
func load(t *testing.T) (admin string) {
	t.Helper()
	var config map[string]any
	if err := yaml.Unmarshal([]byte(read(t, compose+"/dragoman.yaml")), &config); err != nil {
		t.Fatal(err)
	}
	upstreams, models := config["upstreams"].(map[string]any), config["models"].([]any)
	add := func(name, model string, upstream map[string]any) {
		upstreams[name] = upstream
		models = append(models, map[string]any{"name": name, "upstream": name, "model": model})
	}
	var names []string
	fake := func(name, kind string, arguments ...string) string {
		names = append(names, name)
		return start(t, fakeReady, nil, fakeupstream, append([]string{"-kind", kind, "-listen", "127.0.0.1:0"}, arguments...)...)[0]
	}
	for name, fault := range faults {
		add(name, "claude-2.1", map[string]any{"kind": "anthropic", "base_url": "http://" + fake(name, "messages", "-fault", fault)})
	}
	for name, text := range completions {
		file := write(t, name+".txt", text)
		add(name, "claude-2.1", map[string]any{"kind": "anthropic", "base_url": "http://" + fake(name, "messages", "-text", file)})
	}
	vertex := fake("vertex", "vertex") // its tokens expire
	add("vertex", "claude-opus-4-6", map[string]any{"kind": "vertex", "project": "p", "location": "us-east5", "endpoint": "http://" + vertex})
	// This server knows no constraints, so each call is counted as one without.
	upstreams["constrained"] = map[string]any{"kind": "openai", "base_url": "http://" + fake("constrained", "chat") + "/v1"}
	models = append(models, map[string]any{"name": "constrained", "upstream": "constrained", "model": "claude-2.1",
		"guided": "none", "constrain": "try", "constrain_auto": true})
	config["models"], config["timeouts"] = models, map[string]any{"idle": "1s"}
	text, err := yaml.Marshal(config)
	if err != nil {
		t.Fatal(err)
	}

	environment := []string{"DRAGOMAN_KEY=" + key, "GCE_METADATA_HOST=" + vertex, "GOOGLE_APPLICATION_CREDENTIALS=", "HOME=" + t.TempDir()} // none of the user's credentials
	at := start(t, serveReady, environment, dragoman, "serve",
		"--config", write(t, "dragoman.yaml", string(text)), "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	for _, name := range names {
		go keepAsking(t, at[0], name)
	}
	start(t, clientReady, []string{"BASE_URL=" + at[0], "API_KEY=" + key, "PAUSE=0.2"}, "sh", compose+"/client.sh")
	return at[1]
}

// keepAsking asks a model, streamed and not, until the test or the server ends. The test looks only at the
// metrics.
func keepAsking(t *testing.T, url, model string) {
	for n := 0; t.Context().Err() == nil; n++ {
		body := strings.NewReader(fmt.Sprintf(request, model, n%2 == 0))
		r, err := http.NewRequestWithContext(t.Context(), "POST", url+"/v1/messages", body)
		if err != nil {
			panic(err)
		}
		r.Header.Set("x-api-key", key)
		response, err := http.DefaultClient.Do(r)
		if err != nil {
			return
		}
		_, _ = io.Copy(io.Discard, response.Body) // a stream may break off
		response.Body.Close()
		select {
		case <-t.Context().Done():
		case <-time.After(100 * time.Millisecond): // the machine has other work
		}
	}
}

// write writes a file into a new folder and returns its path.
func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
