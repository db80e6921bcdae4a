package upstreamtest

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"dragoman/translate/messages"
)

// serverTGI is the [Chat.Server] that answers completions like Text Generation Inference
// (docs/reference/raw-prompts.md §2.1).
const serverTGI = "tgi"

// checkTGI returns the problem for which TGI, but not other servers, would reject the body.
func (b *completionsBody) checkTGI() *malformed {
	switch {
	case b.Model != serverTGI: // any other name would be an adapter
		return &malformed{text: "adapter " + b.Model + " was not loaded"}
	case b.TopP != nil && (*b.TopP <= 0 || *b.TopP >= 1):
		return &malformed{text: "Input validation error: `top_p` must be > 0.0 and < 1.0"}
	}
	return nil
}

// playTGI sends an answer. Its text includes what ended it: the stop sequence or, in a stream, the token that
// ends a turn. The last chunk has the token counts.
func (s *Chat) playTGI(ctx context.Context, w http.ResponseWriter, c Completion, b completionsBody) {
	reason, ending := "eos_token", c.StopSequence
	switch {
	case c.Stop == messages.StopMaxTokens:
		reason = "length"
	case c.StopSequence != "":
		reason = "stop_sequence"
	case b.Stream:
		ending = endOfTurn(*b.Prompt)
	default:
		reason = "stop"
	}
	chunk := func(text, reason, more string) event {
		return event{data: fmt.Appendf(nil, `{"object":"text_completion","id":"","created":1700000000,"model":"fake","system_fingerprint":"3","choices":[{"index":0,"text":%s,"logprobs":null,"finish_reason":%q}]%s}`,
			quote(text), reason, more)}
	}
	usage := `,"usage":` + string(c.chatUsage())
	if !b.Stream {
		s.play(ctx, &wholeFrames{w, newBody(w, c)}, []event{chunk(c.Text+ending, reason, usage)}, c.Fault)
		return
	}
	var list []event
	for _, piece := range c.pieces() {
		list = append(list, chunk(piece, "", ""))
	}
	list = append(list, chunk(ending, reason, usage), event{data: []byte("[DONE]")})
	s.play(ctx, &chatFrames{w, newBody(w, c), s.errorBody}, list, c.Fault)
}

// endOfTurn returns the token that ends a turn in the template of a prompt; "" for an unknown template.
func endOfTurn(prompt string) string {
	for _, t := range rawTemplates {
		if strings.Contains(prompt, t.open) {
			return t.end
		}
	}
	return ""
}
