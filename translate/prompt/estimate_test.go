package prompt

import (
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// An image counts as an image, except in a raw prompt, which has a word for it.
func TestEstimateOfImages(t *testing.T) {
	req := &messages.Request{MaxTokens: 1, Messages: []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{
		{Type: messages.BlockImage, Source: &messages.Source{Type: messages.SourceBase64, JSON: jsontext.Value(`{"type":"base64","media_type":"image/png","data":"aGk="}`)}},
		{Type: messages.BlockDocument, Source: &messages.Source{Type: messages.SourceBase64, JSON: jsontext.Value(`{"type":"base64","media_type":"application/pdf","data":"` + strings.Repeat("A", 1<<16) + `"}`)}},
	}}}}
	if got := mustRender(t, req, Target{}).EstimateTokens(); got < tokensPerImage+1<<14 {
		t.Errorf("%d tokens", got)
	}
	raw := mustRender(t, req, Target{ModelOptions: ModelOptions{ChatTemplate: "qwen2.5"}})
	if got := raw.EstimateTokens(); got == 0 || got > EstimateTokens(len(raw.Raw().Text)) {
		t.Errorf("%d tokens for %q", got, raw.Raw().Text)
	}
}

// TestLeastTokens checks that LeastTokens is never above three quarters of Qwen's tokens for
// ordinary text, which leaves room for coarser tokenizers. For a long English text, it must be more
// than half, so that Dragoman notices if the upstream read only part of a prompt.
func TestLeastTokens(t *testing.T) {
	for _, tt := range []struct {
		text   string
		tokens int // Qwen2.5's tokens
	}{
		{"The quick brown fox jumps over the lazy dog, and nobody in the neighbourhood pays any attention to it.", 21},
		{"Погода в Осло сегодня хорошая, но завтра обещают сильный дождь и ветер.", 28},
		{"आज ओस्लो में मौसम अच्छा है, लेकिन कल तेज़ बारिश और हवा की उम्मीद है।", 65},
		{"இன்று ஒஸ்லோவில் வானிலை நன்றாக உள்ளது, ஆனால் நாளை பலத்த மழை எதிர்பார்க்கப்படுகிறது.", 91},
		{"今天奥斯陆的天气很好,但是预计明天会有大雨和强风。", 16},
		{strings.Repeat("    ", 20) + "return the answer of the model\n" + strings.Repeat("-", 200), 12},
		{`{"name":"get_weather","description":"Weather of a city","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}`, 34},
	} {
		text := tt.text
		prompt := &Prompt{
			System: []Text{{Text: text}},
			Turns: []Turn{{Role: messages.RoleUser, Parts: []Part{
				{Type: PartText, Text: text}, {Type: PartImage}, {Type: PartDocument, Source: []byte(`{"data":"` + strings.Repeat("A", 1<<16) + `"}`)},
			}}},
		}
		if got := prompt.LeastTokens(); got == 0 || got > 2*tt.tokens*3/4 {
			t.Errorf("%d for a text of %d tokens, twice: %s", got, tt.tokens, tt.text)
		}
	}
}
