package proxy

import (
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"runtime"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/upstream"
)

// repeating is an upstream that repeats one text for ever. It counts the bytes.
type repeating struct {
	first, again string
	read         int
	ended        chan struct{}
}

func (e *repeating) Invoke(_ context.Context, _ upstream.Model, _ *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		defer close(e.ended)
		const most = 512 << 20 // a test that gets this far has failed
		for text := e.first; yield(translate.Chunk{Text: text}, nil) && e.read < most; text = e.again {
			e.read += len(text)
		}
	}
}

// Dragoman gives up an endless upstream before its answer fills the memory. A client without a stream gets an error in
// its own API.
func TestEndlessAnswer(t *testing.T) {
	const input = `"tools":[{"name":"f","description":"d","input_schema":{"type":"object","properties":{"n":{"type":"integer"},"o":{"type":"object"}}}}]`
	const call = "<function_calls>\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n"
	messages := func(more string) string {
		return `{"model":"claude-2.1","max_tokens":100,"messages":[{"role":"user","content":"Hello"}],` + more + input + `}`
	}
	long := strings.Repeat("and so on ", 10_000)
	for _, tt := range []struct{ name, path, body, first, again string }{
		{"messages", "/v1/messages", messages(""), "", long},
		{"invoke", "/model/claude-2.1/invoke", streamsOf["invoke"].body, "", long},
		{"converse", "/model/claude-2.1/converse", streamsOf["converse"].body, "", long},
		{"vertex", "/v1/projects/p/locations/l/publishers/anthropic/models/claude-2.1:rawPredict", strings.Replace(streamsOf["vertex"].body, `"stream":true,`, "", 1), "", long},
		{"call", "/v1/messages", messages(""), call + "<s>", long},
		{"value that is held", "/v1/messages", messages(""), call + "<o>{\"a\":[", strings.Repeat("1,", 50_000)},
		{"number, streamed", "/v1/messages", messages(`"stream":true,`), call + "<n>1", strings.Repeat("1", 100_000)},
		{"JSON, streamed", "/v1/messages", messages(`"stream":true,"output_config":{"format":{"type":"json_schema","schema":{"type":"array"}}},`), "[", strings.Repeat("1,", 50_000)},
		{"calls, streamed", "/v1/messages", messages(`"stream":true,`), "<function_calls>\n", strings.Repeat("<invoke>\n<tool_name>f</tool_name>\n<parameters>\n</parameters>\n</invoke>\n", 1000)},
		{"calls", "/v1/messages", messages(""), "<function_calls>\n", strings.Repeat("<invoke>\n<tool_name>f</tool_name>\n<parameters>\n</parameters>\n</invoke>\n", 1000)},
	} {
		t.Run(tt.name, func(t *testing.T) {
			up := &repeating{tt.first, tt.again, 0, make(chan struct{})}
			srv := listen(t, newServer(t, up))
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res, err := srv.Client().Post(srv.URL+tt.path, "application/json", strings.NewReader(tt.body))
			if err != nil {
				t.Fatal(err)
			}
			defer res.Body.Close()
			body, err := io.ReadAll(res.Body)
			<-up.ended
			runtime.ReadMemStats(&after)
			if up.read > maxRetained+1<<20 {
				t.Errorf("%d MB were read", up.read>>20)
			}
			if got := (after.TotalAlloc - before.TotalAlloc) >> 20; got > 16*maxRetained>>20 {
				t.Errorf("%d MB were allocated", got)
			}
			text := string(body)
			if strings.HasPrefix(tt.first, call) { // the parser holds this text back, and ends the call itself
				if !strings.Contains(text, `"stop_reason":"max_tokens"`) || res.StatusCode != http.StatusOK {
					t.Errorf("%v, %d bytes: %.300s", err, len(text), text[max(0, len(text)-300):])
				}
				return
			}
			if !strings.Contains(text, "does not end") {
				t.Errorf("%v, %d bytes: %.300s", err, len(text), text[max(0, len(text)-300):])
			}
			if strings.Contains(tt.name, "streamed") {
				return
			}
			want := http.StatusBadGateway
			if strings.Contains(tt.path, "/model/") {
				want = http.StatusFailedDependency
			}
			if res.StatusCode != want || !json.Valid(body) {
				t.Errorf("status %d", res.StatusCode)
			}
		})
	}
}

// What a stream has already sent to its client does not count.
func TestLongStream(t *testing.T) {
	piece := strings.Repeat("x", 1<<20)
	pieces := make([]string, maxRetained>>20+2)
	for i := range pieces {
		pieces[i] = piece
	}
	srv := listen(t, newServer(t, completing(endOfTurn, pieces...)))
	res, err := srv.Client().Post(srv.URL+"/v1/messages", "application/json", strings.NewReader(streamed(question)))
	if err != nil {
		t.Fatal(err)
	}
	defer res.Body.Close()
	n, err := io.Copy(io.Discard, res.Body)
	if err != nil || n < maxRetained {
		t.Errorf("%d bytes, %v", n, err)
	}
}
