package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// model is an upstream of the Messages API that answers every request with the same call, in the format
// legacy. It does not check requests, and its answer is ready in memory, so that it costs little.
type model struct {
	whole  []byte
	events [][]byte // of a stream
	pause  time.Duration
}

// pieceLen is the text length of an event, in bytes.
const pieceLen = 16

// newModel returns a model that writes a call with an argument of this many bytes. It pauses before each
// piece of a stream.
func newModel(argument int, pause time.Duration) *model {
	// The text ends at the proxy's stop sequence, so before the end of the wrapper.
	text := "I will write the program that we spoke of to src/main.go, as you have asked me to.\n\n" +
		"<function_calls>\n<invoke>\n<tool_name>write_file_0</tool_name>\n<parameters>\n<path>src/main.go</path>\n<content>" +
		filler(argument) + "</content>\n</parameters>\n</invoke>\n"
	const ended = `"stop_reason":"stop_sequence","stop_sequence":"</function_calls>"`
	usage := fmt.Sprintf(`"usage":{"input_tokens":100,"output_tokens":%d}`, len(text)/4)
	m := &model{pause: pause, whole: fmt.Appendf(nil,
		`{"id":"msg_load","type":"message","role":"assistant","model":"m","content":[{"type":"text","text":%s}],%s,%s}`, quote(text), ended, usage)}
	event := func(name, rest string) {
		m.events = append(m.events, fmt.Appendf(nil, "event: %s\ndata: {\"type\":\"%s\"%s}\n\n", name, name, rest))
	}
	event("message_start", `,"message":{"id":"msg_load","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,`+
		`"stop_sequence":null,"usage":{"input_tokens":100,"output_tokens":1}}`)
	event("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
	for at := 0; at < len(text); at += pieceLen {
		piece := text[at:min(at+pieceLen, len(text))]
		event("content_block_delta", fmt.Sprintf(`,"index":0,"delta":{"type":"text_delta","text":%s}`, quote(piece)))
	}
	event("content_block_stop", `,"index":0`)
	event("message_delta", fmt.Sprintf(`,"delta":{%s},%s`, ended, usage))
	event("message_stop", "")
	return m
}

// quote returns a text as a JSON string.
func quote(s string) []byte {
	b, _ := json.Marshal(s) // cannot fail for a string
	return b
}

// filler returns n bytes of code, all of them ASCII.
func filler(n int) string {
	const line = "func main() {\n\tfmt.Println(\"if a < b && c > d\", 'x', `C:\\tmp`)\n}\n// a comment of some length follows here\n"
	return strings.Repeat(line, n/len(line)+1)[:n]
}

// ServeHTTP implements [http.Handler].
func (m *model) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the client has left
	}
	if !bytes.Contains(body, []byte(`"stream":true`)) {
		time.Sleep(m.pause)
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(m.whole)
		return
	}
	w.Header().Set("Content-Type", "text/event-stream; charset=utf-8")
	for _, event := range m.events {
		time.Sleep(m.pause)
		if _, err := w.Write(event); err != nil {
			return
		}
		w.(http.Flusher).Flush()
	}
}
