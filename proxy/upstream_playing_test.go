package proxy

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"dragoman/translate"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// playing is an upstream behind HTTP whose model gives these completions in turn, and repeats the last one. It records
// the prompts.
type playing struct {
	Upstream
	mu      sync.Mutex
	prompts []string
}

func plays(t *testing.T, completions ...upstreamtest.Completion) *playing {
	t.Helper()
	p := &playing{}
	fake := upstreamtest.NewMessages(func(_ string, prompt *translate.Prompt) upstreamtest.Completion {
		p.mu.Lock()
		defer p.mu.Unlock()
		p.prompts = append(p.prompts, prompt.Text())
		return completions[min(len(p.prompts), len(completions))-1]
	})
	server := httptest.NewServer(fake)
	t.Cleanup(server.Close)
	up, err := upstream.NewAnthropic(upstream.ServerOptions{BaseURL: server.URL, HTTPClient: server.Client()})
	if err != nil {
		t.Fatal(err)
	}
	p.Upstream = up
	return p
}

func says(text string) upstreamtest.Completion { return upstreamtest.Completion{Text: text} }

// choosing is a request of each dialect with a tool_choice in the Messages API's form, and the paths to which it is
// sent, whole and streamed.
type choosing struct {
	dialect, whole, stream string
	body                   func(choice string) string
}

var choosings = func() []choosing {
	const (
		schema   = `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`
		tools    = `"tools":[{"name":"get_weather","input_schema":` + schema + `},{"name":"get_time","input_schema":{"type":"object"}}]`
		asks     = `"messages":[{"role":"user","content":[{"type":"text","text":"Weather in Oslo?"}]}]`
		model    = vertexModels + "claude-2.1:"
		converse = `{"messages":[{"role":"user","content":[{"text":"Weather in Oslo?"}]}],"toolConfig":{"tools":[` +
			`{"toolSpec":{"name":"get_weather","inputSchema":{"json":` + schema + `}}},{"toolSpec":{"name":"get_time","inputSchema":{"json":{"type":"object"}}}}]%s}}`
	)
	inMessages := func(members string) func(string) string {
		return func(choice string) string {
			return `{` + members + tools + `,"tool_choice":` + choice + `,` + asks + `}`
		}
	}
	return []choosing{
		{"messages", "/v1/messages", "/v1/messages", inMessages(`"model":"claude-2.1","max_tokens":100,`)},
		{"bedrock_invoke", "/model/claude-2.1/invoke", "/model/claude-2.1/invoke-with-response-stream", inMessages(`"anthropic_version":"bedrock-2023-05-31","max_tokens":100,`)},
		{"vertex", model + "rawPredict", model + "streamRawPredict", inMessages(`"anthropic_version":"vertex-2023-10-16","max_tokens":100,`)},
		{"bedrock_converse", "/model/claude-2.1/converse", "/model/claude-2.1/converse-stream", func(choice string) string {
			switch {
			case strings.Contains(choice, `"any"`):
				choice = `,"toolChoice":{"any":{}}`
			case strings.Contains(choice, `"tool"`):
				choice = `,"toolChoice":{"tool":{"name":"get_weather"}}`
			default:
				choice = "" // Converse has no choice "none"
			}
			return fmt.Sprintf(converse, choice)
		}},
	}
}()

// told is what a client gets: the status, the header, and the answer as text.
type told struct {
	status int
	header http.Header
	body   string
}

// choose sends a request to a server over HTTP in one of the dialects.
func choose(t *testing.T, s *Server, c choosing, choice string, stream bool) told {
	t.Helper()
	srv := listen(t, s)
	path, body := c.whole, c.body(choice)
	if stream {
		path = c.stream
		if c.dialect == "messages" || c.dialect == "vertex" {
			body = streamed(body)
		}
	}
	res, err := srv.Client().Post(srv.URL+path, "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	data, err := io.ReadAll(res.Body)
	if err != nil {
		t.Fatal(err)
	}
	got := told{res.StatusCode, res.Header, string(data)}
	if res.Header.Get("Content-Type") == "application/vnd.amazon.eventstream" && c.dialect == "bedrock_invoke" {
		got.body = ""
		for _, f := range readChunks(t, bytes.NewReader(data)) {
			got.body += f.data + "\n"
		}
	}
	return got
}

// joined returns an answer, followed by the joined text of its deltas.
func joined(body string) string {
	var pieces strings.Builder
	for _, member := range []string{`"text":"`, `"partial_json":"`, `"input":"`} {
		for rest := body; ; {
			_, after, found := strings.Cut(rest, member)
			if !found {
				break
			}
			piece, _, _ := strings.Cut(after, `"}`)
			pieces.WriteString(piece)
			rest = after
		}
	}
	return body + "\n" + pieces.String()
}

// checkUnmet checks that the client learns, in its own API, that a choice is not met.
func checkUnmet(t *testing.T, got told, dialect string) {
	t.Helper()
	status, shape := 502, `{"type":"error","error":{"type":"api_error","message":"tool_choice: the model did not make the call`
	if strings.HasPrefix(dialect, "bedrock") {
		status, shape = 424, `{"message":"tool_choice: the model did not make the call`
		if name := got.header.Get("x-amzn-errortype"); name != "ModelErrorException" {
			t.Errorf("x-amzn-errortype %q", name)
		}
	}
	if got.status != status || !strings.HasPrefix(got.body, shape) || got.header.Get("x-should-retry") != "false" {
		t.Errorf("status %d, %v: %s", got.status, got.header, got.body)
	}
}

// checkCounted checks what the metrics and the log have about an exchange.
func checkCounted(t *testing.T, s *Server, log *logged, dropped, unmet string, leaked bool) {
	t.Helper()
	w := httptest.NewRecorder()
	s.Admin().ServeHTTP(w, newRequest("GET", "/metrics", ""))
	for series, want := range map[string]bool{
		`dragoman_dropped_fields_total{field="text"} 1`:        dropped == "text",
		`dragoman_dropped_fields_total{field="tool_choice"} 1`: unmet == "tool_choice",
		`outcome="leaked"`: leaked,
	} {
		if strings.Contains(w.Body.String(), series) != want {
			t.Errorf("%s is there: %v", series, !want)
		}
	}
	line := log.exchange(t)
	if got := fmt.Sprint(line["unmet"]); (got == "[tool_choice]") != (unmet != "") {
		t.Errorf("logged as unmet: %s", got)
	}
}
