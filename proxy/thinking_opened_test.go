package proxy

import (
	"slices"
	"strings"
	"testing"

	"dragoman/translate"
)

// What the template of a server has opened is thinking until it ends, where the model's entry or its
// family says so: a call in it is text. Thinking that the server gives apart is not in the text.
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
