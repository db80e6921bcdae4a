package proxy

import (
	"slices"
	"strings"
	"testing"

	"dragoman/translate"
)

// TestUnaskedThinking: a model thinks without being asked. The family and the key decide what the client gets. Thinking
// that the client sends back reaches the model again.
func TestUnaskedThinking(t *testing.T) {
	const past = `{"model":"M","max_tokens":9,"messages":[{"role":"user","content":"Hi"},` +
		`{"role":"assistant","content":[{"type":"thinking","thinking":"A greeting.","signature":""},{"type":"text","text":"Hello."}]},{"role":"user","content":"Again"}]}`
	for name, tt := range map[string]struct {
		model, key string
		content    string // of the answer
		history    string // as the model sees it
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

// TestHiddenThinkingIsNamed: a model thinks before a call, and the thinking is hidden. The header names it, however the
// answer ends.
func TestHiddenThinkingIsNamed(t *testing.T) {
	const ask = `{"model":"qwen3-8b","max_tokens":99,"messages":[{"role":"user","content":"Hi"}],` +
		`"tools":[{"name":"f","input_schema":{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}},"required":["a"]}}]`
	const call = `<tool_call>\n{\"name\":\"f\",\"arguments\":{\"b\":\"1\",\"a\":\"2\"}}\n</tool_call>`
	for name, tt := range map[string]struct {
		choice, before string
		repair         int64
		dropped        string
	}{
		"a call":              {dropped: "thinking"},
		"a call with checks":  {repair: 1, dropped: "thinking"},
		"a forced call":       {choice: `,"tool_choice":{"type":"any"}`, dropped: "thinking"},
		"a forced call later": {choice: `,"tool_choice":{"type":"any"}`, before: "So. ", dropped: "text,thinking"},
	} {
		t.Run(name, func(t *testing.T) {
			fake := chatReply(`{"choices":[{"delta":{"content":"<think>Hm.</think>\n` + tt.before + call + `"},"finish_reason":"stop"}]}`)
			s := chatting(t, fake, func(o *Options) {
				o.Routes[0].UnaskedThinking, o.Routes[0].Repair = translate.UnaskedHide, tt.repair
			})
			w := post(s, ask+tt.choice+`}`)
			if !strings.Contains(w.Body.String(), `"content":[{"type":"t`) {
				t.Errorf("answer %s", w.Body)
			}
			if got := w.Header().Get("X-Dragoman-Dropped"); got != tt.dropped {
				t.Errorf("dropped %q, want %q", got, tt.dropped)
			}
		})
	}
}

// If the server's template opens thinking, the completion is thinking until it closes, and a call in it is text. The
// model's entry or its family says so. Thinking that the server sends in a field of its own is not part of the text.
func TestOpenedThinking(t *testing.T) {
	call := strings.Join(weather, "")
	call = call[strings.Index(call, "<function"):]
	considered := []string{"I could\n", call, "\nor not.\n</thi", "nk>\n\nWhich city?"}
	for _, tt := range []struct {
		name, thinking, model string
		pieces                []string
		want                  []string
	}{
		{"marked", translate.ThinkingMarked, "m", considered, []string{"text", "tool_use"}},
		{"maybe", translate.ThinkingMaybe, "m", considered, []string{"text"}},
		{"open", translate.ThinkingOpen, "m", considered, []string{"text"}},
		{"by its family", "", "zai.glm-4.7", considered, []string{"text"}},
		{"never closed", translate.ThinkingMaybe, "m", []string{"I look.\n", call}, []string{"text", "tool_use"}},
	} {
		s := newServer(t, completing(endOfTurn, tt.pieces...), func(o *Options) {
			o.Routes[0].Thinking, o.Routes[0].Model = tt.thinking, tt.model
		})
		m := accumulate(t, readFrames(t, post(s, streamed(question)).Body))
		var got []string
		for _, block := range m.Content {
			got = append(got, block.Type)
		}
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: the answer is %q, want %q", tt.name, got, tt.want)
		}
	}
}
