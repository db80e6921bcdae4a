package rolling

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
	"time"
)

// A request names itself, in words such as "order 17-4". The model repeats the name in its answer, so that no
// two answers can be confused. If "quick" comes before it, the model answers without pauses. If "long" comes
// before it, the model writes 1 MiB without pauses.
var order = regexp.MustCompile(`((quick|long) )?order \d+-\d+`)

// pause is the time between two pieces of an answer.
const pause = 100 * time.Millisecond

// said is the text of the model's answer to an order, before its call.
func said(order string) string {
	return "I will see to " + order + ", “à la carte” <b>&amp;</b> then some. " + strings.Repeat("Wait. ", 20)
}

// written is the argument of the call in that answer.
func written(order string) string {
	lines := "if a < b && c > \"d\" {\n\treturn `" + order + "` // 早上好 </div> \\n\n}\n"
	times := 8
	if strings.HasPrefix(order, "long") {
		times = 1 << 20 / len(lines)
	}
	return strings.Repeat(lines, times)
}

// newModel serves the Messages API like a model without tools: it writes its calls as XML, in ten pieces a
// second. It is the upstream of every replica.
func newModel(t testing.TB, pieces int) string {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		end := string(body[max(0, bytes.LastIndex(body, []byte("order "))-len("quick ")):])
		name := order.FindString(end) // only the end of the history, which is faster to search
		if err != nil || name == "" {
			http.Error(w, "which order?", http.StatusBadRequest)
			return
		}
		text := said(name) + "\n\n<function_calls>\n<invoke>\n<tool_name>write_file</tool_name>\n<parameters>\n" +
			"<path>orders.go</path>\n<content>" + written(name) + "</content>\n</parameters>\n</invoke>\n"
		w.Header().Set("Content-Type", "text/event-stream")
		send := func(event string, data map[string]any) {
			data["type"] = event
			line, _ := json.Marshal(data) // cannot fail: strings and numbers
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", event, line)
		}
		send("message_start", map[string]any{"message": map[string]any{
			"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []any{},
			"stop_reason": nil, "stop_sequence": nil, "usage": map[string]any{"input_tokens": 10, "output_tokens": 1},
		}})
		send("content_block_start", map[string]any{"index": 0, "content_block": map[string]any{"type": "text", "text": ""}})
		tick := time.NewTicker(pause)
		defer tick.Stop()
		runes := []rune(text)
		pieces := max(pieces, len(runes)/100)
		for i := range pieces {
			piece := string(runes[i*len(runes)/pieces : (i+1)*len(runes)/pieces])
			send("content_block_delta", map[string]any{"index": 0, "delta": map[string]any{"type": "text_delta", "text": piece}})
			if !strings.HasPrefix(name, "order") {
				continue
			}
			_ = http.NewResponseController(w).Flush() // if the client has left, the context tells
			select {
			case <-tick.C:
			case <-r.Context().Done():
				return
			}
		}
		send("content_block_stop", map[string]any{"index": 0})
		send("message_delta", map[string]any{
			"delta": map[string]any{"stop_reason": "stop_sequence", "stop_sequence": "</function_calls>"},
			"usage": map[string]any{"output_tokens": 300},
		})
		send("message_stop", map[string]any{})
	}))
	t.Cleanup(server.Close)
	return server.URL
}
