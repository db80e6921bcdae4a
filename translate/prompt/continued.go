package prompt

import (
	"slices"

	"dragoman/translate/messages"
)

// ContinuedFrom returns a copy of the prompt with said at the end of the prefill. The model
// continues from there.
func (p *Prompt) ContinuedFrom(said string, maxTokens int) *Prompt {
	next := *p
	next.Why, next.Constraint = ReasonStopped, nil // a constraint is for a whole answer
	next.MaxTokens = maxTokens
	next.Turns = slices.Clone(p.Turns)
	if n := len(next.Turns); n == 0 || next.Turns[n-1].Role != messages.RoleAssistant {
		next.Turns = append(next.Turns, Turn{Role: messages.RoleAssistant})
	}
	last := &next.Turns[len(next.Turns)-1]
	last.Parts = slices.Clone(last.Parts)
	// An upstream may write a newline between two parts, so said must join the last part.
	if n := len(last.Parts); n > 0 && last.Parts[n-1].Type == PartText {
		last.Parts[n-1].Text += said
	} else {
		last.Parts = append(last.Parts, Part{Type: PartText, Text: said})
	}
	return &next
}
