package upstream_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"dragoman/upstream"
)

// serverOf returns a server that answers GET and POST at these paths with JSON, and 404 elsewhere. asked
// counts the requests.
func serverOf(t *testing.T, asked *atomic.Int32, answers map[string]func(body string) string) *upstream.Server {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		body, _ := io.ReadAll(r.Body)
		answer := answers[r.Method+" "+r.URL.Path]
		w.Header().Set("content-type", "application/json; charset=utf-8")
		if answer == nil {
			w.WriteHeader(http.StatusNotFound)
			fmt.Fprint(w, `{"error":{"code":404,"message":"File Not Found","type":"not_found_error"}}`)
			return
		}
		fmt.Fprint(w, answer(string(body)))
	}))
	t.Cleanup(s.Close)
	up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: s.URL + "/v1"})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(up.Close)
	return up
}

// hinted waits until the server has told the model, and returns it.
func hinted(t *testing.T, up *upstream.Server, model string) string {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if hint := up.Resolve(t.Context(), upstream.Model{ID: model}).Model; hint != "" {
			return hint
		}
	}
	return ""
}

// TestResolve asks servers which model they run, with answers of real servers (llama.cpp b11434, Ollama 0.17,
// and vLLM).
func TestResolve(t *testing.T) {
	always := func(answer string) func(string) string { return func(string) string { return answer } }
	llama := always(`{"object":"list","models":[{"name":"my-model","model":"my-model"}],"data":[{"id":"my-model","aliases":["my-model"],"object":"model","owned_by":"llamacpp","meta":{"n_ctx":4096}}]}`)
	for name, tt := range map[string]struct {
		answers      map[string]func(string) string
		want, server string
		slots        int
	}{
		"vLLM": {map[string]func(string) string{
			"GET /v1/models": always(`{"object":"list","data":[{"id":"my-model","object":"model","owned_by":"vllm","root":"Qwen/Qwen2.5-7B-Instruct","parent":null,"max_model_len":32768,"permission":[]}]}`),
		}, "Qwen/Qwen2.5-7B-Instruct", "vllm", 0},
		"vLLM with the path of a model": {map[string]func(string) string{
			"GET /v1/models": always(`{"data":[{"id":"my-model","root":"/models/Qwen3-8B/"}]}`),
		}, "Qwen3-8B", "", 0},
		"vLLM with a cache": {map[string]func(string) string{
			"GET /v1/models": always(`{"data":[{"id":"my-model","root":"/home/me/.cache/huggingface/hub/models--zai-org--GLM-4.6/snapshots/0a1b2c"}]}`),
			"GET /version":   always(`{"version":"0.12.0"}`),
		}, "zai-org/GLM-4.6", "vllm", 0},
		"an adapter of SGLang": {map[string]func(string) string{
			"GET /v1/models": always(`{"data":[{"id":"base","root":"/m/gemma-3-4b-it","parent":null,"owned_by":"sglang"},{"id":"my-model","root":"/adapters/sql","parent":"base"}]}`),
		}, "gemma-3-4b-it", "sglang", 0},
		"llama.cpp": {map[string]func(string) string{
			"GET /v1/models": llama,
			"GET /props":     always(`{"total_slots":4,"model_alias":"my-model","model_path":"C:\\models\\qwen2.5-coder-0.5b.gguf","chat_template":"{%- if tools %}","build_info":"b11434"}`),
		}, "qwen2.5-coder-0.5b.gguf", "llama.cpp", 4},
		"llama.cpp with a file named by its hash": {map[string]func(string) string{
			"GET /v1/models": llama,
			"GET /props":     always(`{"model_path":"/models/blobs/sha256-1d96","chat_template":"{{- '<|im_start|>system\\nYou are Qwen, created by Alibaba Cloud. You are a helpful assistant.' }}"}`),
		}, "Qwen, created by Alibaba Cloud", "llama.cpp", 0},
		"Ollama": {map[string]func(string) string{
			"GET /v1/models": always(`{"object":"list","data":[{"id":"my-model:latest","object":"model","created":1795667279,"owned_by":"library"}]}`),
			"POST /api/show": func(body string) string {
				if !strings.Contains(body, `"my-model"`) {
					return `{"error":"model not found"}`
				}
				return `{"details":{"format":"gguf","family":"qwen2","families":["qwen2"]},"model_info":{"general.architecture":"qwen2","general.basename":"Qwen2.5-Coder","general.finetune":"Instruct"},"capabilities":["completion"]}`
			},
		}, "Qwen2.5-Coder", "ollama", 0},
		"Ollama with an old model": {map[string]func(string) string{
			"POST /api/show": always(`{"details":{"family":"llama"},"model_info":{}}`),
		}, "llama", "ollama", 0},
	} {
		t.Run(name, func(t *testing.T) {
			var asked atomic.Int32
			up := serverOf(t, &asked, tt.answers)
			if got := up.Resolve(t.Context(), upstream.Model{ID: "my-model"}).Model; got != "" {
				t.Errorf("at once: %q", got)
			}
			if got := hinted(t, up, "my-model"); got != tt.want {
				t.Errorf("%q, want %q", got, tt.want)
			}
			told := up.Resolve(t.Context(), upstream.Model{ID: "my-model"})
			if told.Server != tt.server || told.Slots != tt.slots {
				t.Errorf("server %q with %d slots, want %q with %d", told.Server, told.Slots, tt.server, tt.slots)
			}
			before := asked.Load()
			if got := up.Resolve(t.Context(), upstream.Model{ID: "my-model"}).Model; got != tt.want || asked.Load() != before {
				t.Errorf("then %q, after %d requests", got, asked.Load()-before)
			}
		})
	}
}

// TestResolveAsksOnce has a server that never answers in time, and one that tells nothing. Neither is asked
// again for each request, and Close waits for neither.
func TestResolveAsksOnce(t *testing.T) {
	var asked atomic.Int32
	waiting, leave := make(chan bool, 100), make(chan bool)
	defer close(leave)
	up := serverOf(t, &asked, map[string]func(string) string{"GET /v1/models": func(string) string {
		waiting <- true
		<-leave
		return ""
	}})
	for range 1000 {
		if got := up.Resolve(t.Context(), upstream.Model{ID: "a"}).Model; got != "" {
			t.Fatal(got)
		}
	}
	<-waiting
	for i := range 1000 { // names that a client invented
		up.Resolve(t.Context(), upstream.Model{ID: fmt.Sprint("m", i)})
	}
	up.Close()
	if n := asked.Load(); n > 4 {
		t.Errorf("%d requests", n)
	}
	if up.Resolve(t.Context(), upstream.Model{ID: "after Close"}).Model != "" {
		t.Error("a hint")
	}

	asked.Store(0)
	up = serverOf(t, &asked, nil)
	up.Resolve(t.Context(), upstream.Model{ID: "a"})
	for end := time.Now().Add(10 * time.Second); asked.Load() < 4 && time.Now().Before(end); time.Sleep(time.Millisecond) {
	}
	for range 1000 {
		up.Resolve(t.Context(), upstream.Model{ID: "a"})
	}
	if n := asked.Load(); n != 4 {
		t.Errorf("%d requests, want one for each place where a server may tell", n)
	}
}

// TestResolveWaits asks a model with a constraint: the first call waits until the server has told how it
// takes constraints.
func TestResolveWaits(t *testing.T) {
	var asked atomic.Int32
	up := serverOf(t, &asked, map[string]func(string) string{"GET /v1/models": func(string) string {
		return `{"data":[{"id":"other","owned_by":"organization_owner"}]}`
	}})
	if kind := upstream.GuidedKind(up.Resolve(t.Context(), upstream.Model{ID: "m", Can: upstream.Guided}).Server); kind != upstream.GuidedJSONSchema {
		t.Errorf("%q", kind)
	}
}
