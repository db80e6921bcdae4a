package proxy

import (
	"strings"
	"testing"

	"dragoman/translate"
)

// TestUnaskedThinking has a model think that nobody asked to: what the client gets follows the family and the
// key, and what it sends back goes to the model again.
func TestUnaskedThinking(t *testing.T) {
	const past = `{"model":"M","max_tokens":9,"messages":[{"role":"user","content":"Hi"},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"A greeting.","signature":""},{"type":"text","text":"Hello."}]},{"role":"user","content":"Again"}]}`
	for name, tt := range map[string]struct {
		model, key string
		content    string // of the answer
		history    string // as the model is shown it
		dropped    string
	}{
		"a family that thinks": {model: "qwen3-8b", content: `[{"type":"thinking","thinking":"Hm.","signature":""},{"type":"text","text":"Yes."}]`, history: `<thinking>\nA greeting.\n</thinking>\nHello.`},
		"Claude":               {model: "claude-2.1", content: `[{"type":"text","text":"<think>Hm.</think>\nYes."}]`, history: `"Hello."`, dropped: "messages.content.thinking"},
		"as text":              {model: "qwen3-8b", key: translate.UnaskedText, content: `[{"type":"text","text":"<think>Hm.</think>\nYes."}]`, history: `"Hello."`, dropped: "messages.content.thinking"},
		"hidden":               {model: "qwen3-8b", key: translate.UnaskedHide, content: `[{"type":"text","text":"Yes."}]`, history: `"Hello."`, dropped: "messages.content.thinking,thinking"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := chatReply(`{"choices":[{"delta":{"content":"<think>Hm.</think>\nYes."},"finish_reason":"stop"}]}`)
			s := chatting(t, fake, func(o *Options) { o.Routes[0].UnaskedThinking = tt.key })
			w := post(s, strings.Replace(past, `"M"`, `"`+tt.model+`"`, 1))
			if !strings.Contains(w.Body.String(), `"content":`+tt.content) {
				t.Errorf("answer %s", w.Body)
			}
			if got := w.Header().Get("X-Dragoman-Dropped"); got != tt.dropped {
				t.Errorf("dropped %q, want %q", got, tt.dropped)
			}
			if body := string(fake.Requests()[0].Body); !strings.Contains(body, tt.history) {
				t.Errorf("the model was asked %s", body)
			}
		})
	}
}
