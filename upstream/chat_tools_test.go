package upstream

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate/messages"
)

// TestCallTools holds what a server is sent of a conversation with tools, and what becomes of each kind of
// answer.
func TestCallTools(t *testing.T) {
	req, err := messages.Decode([]byte(`{"model":"m","max_tokens":9,"temperature":0,"system":[{"type":"text","text":"Be"},{"type":"text","text":"brief."}],
		"tools":[{"name":"f","description":"D","input_schema":{"type":"object"}}],
		"messages":[{"role":"user","content":"Go."},
			{"role":"assistant","content":[{"type":"text","text":"So."},{"type":"tool_use","id":"toolu_1","name":"f","input":{"x":"<1>"}}]},
			{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"one"},{"type":"text","text":"On."}]}]}`), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	const body = `{"model":"id","messages":[{"role":"system","content":"Be\n\nbrief."},{"role":"user","content":"Go."},` +
		`{"role":"assistant","content":"So.","tool_calls":[{"id":"toolu_1","type":"function","function":{"name":"f","arguments":"{\"x\":\"<1>\"}"}}]},` +
		`{"role":"tool","tool_call_id":"toolu_1","content":"one"},{"role":"user","content":"On."}],` +
		`"tools":[{"type":"function","function":{"name":"f","description":"D","parameters":{"type":"object"}}}],"max_tokens":9,"temperature":0,"stream":false}`
	for _, tt := range []struct{ name, message, finish, want string }{
		{"text", `{"content":"Hello."}`, "stop", `end_turn [text "Hello."]`},
		{"a call", `{"content":null,"tool_calls":[{"id":"1","function":{"name":"f","arguments":"{\"x\":1}"}}]}`, "tool_calls", `tool_use [tool_use f {"x":1}]`},
		{"calls behind text", `{"content":"So.","tool_calls":[{"function":{"name":"f","arguments":{"x":1}}},{"function":{"name":"f","arguments":""}}]}`, "stop", `tool_use [text "So." tool_use f {"x":1} tool_use f {}]`},
		{"arguments that are no object", `{"tool_calls":[{"function":{"name":"f","arguments":"{x"}}]}`, "tool_calls", `end_turn [text "{x"]`},
		{"cut", `{"content":"So"}`, "length", `max_tokens [text "So"]`},
		{"nothing", `{}`, "stop", `end_turn []`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				sent, _ := io.ReadAll(r.Body)
				if diff := cmp.Diff(body, string(sent)); diff != "" {
					t.Error(diff)
				}
				w.Header().Set("content-type", "application/json")
				_, _ = io.WriteString(w, `{"choices":[{"message":`+tt.message+`,"finish_reason":"`+tt.finish+`"}],"usage":{"prompt_tokens":5,"completion_tokens":2}}`)
			}))
			defer server.Close()
			m, err := messages.Collect(openAI(t, server.URL).CallTools(t.Context(), Model{ID: "id"}, req))
			if err != nil {
				t.Fatal(err)
			}
			if m.Usage.InputTokens != 5 || m.Usage.OutputTokens != 2 {
				t.Errorf("usage %+v", m.Usage)
			}
			if got := toolMessage(m); got != tt.want {
				t.Errorf("got  %s\nwant %s", got, tt.want)
			}
		})
	}
}

// A server that has no tools API says so, and one that sends nonsense has failed.
func TestCallToolsFails(t *testing.T) {
	for _, tt := range []struct {
		status     int
		body, want string
	}{
		{400, `{"error":{"message":"m does not support tools"}}`, "m does not support tools"},
		{200, `{"error":{"message":"out of memory","code":500}}`, "out of memory"},
		{200, `{"choices":[]}`, "an answer that cannot be read"},
		{200, `so`, "an answer that cannot be read"},
	} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("content-type", "application/json")
			w.WriteHeader(tt.status)
			_, _ = io.WriteString(w, tt.body)
		}))
		_, err := messages.Collect(openAI(t, server.URL).CallTools(t.Context(), Model{ID: "m"}, &messages.Request{}))
		var failed *Error
		if !errors.As(err, &failed) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v", tt.body, err)
		}
		server.Close()
	}
}

// openAI returns an upstream for a server, which it is closed with.
func openAI(t *testing.T, url string) *Server {
	t.Helper()
	o, err := NewOpenAI(ServerOptions{BaseURL: url})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(o.Close)
	return o
}

// toolMessage returns a message as one line.
func toolMessage(m *messages.Message) string {
	var blocks []string
	for _, b := range m.Content {
		switch b.Type {
		case messages.BlockText:
			blocks = append(blocks, `text "`+b.Text+`"`)
		case messages.BlockToolUse:
			blocks = append(blocks, "tool_use "+b.Name+" "+string(b.Input))
		}
	}
	return string(m.StopReason) + " [" + strings.Join(blocks, " ") + "]"
}
