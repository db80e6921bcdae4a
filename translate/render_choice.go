package translate

import (
	"dragoman/translate/messages"
	"fmt"
)

const prefillRefused = "This model does not support assistant message prefill. The conversation must end with a user message."

// choice ends the prompt as tool_choice asks: a forced call is opened in a
// prefill, or asked for in words where the model takes no prefill.
func (r *renderer) forceCall() error {
	turns := r.prompt.Turns
	last := &turns[len(turns)-1]
	if last.Role == messages.RoleAssistant && !r.target.Prefill {
		return &messages.InvalidRequestError{Message: prefillRefused}
	}
	choice := r.req.ToolChoice
	if !r.req.OffersTools() || choice.Type != messages.ChoiceAny && choice.Type != messages.ChoiceTool {
		return nil
	}
	name := choice.Name
	if choice.Type == messages.ChoiceAny && len(r.req.Tools) == 1 {
		name = r.req.Tools[0].Name
	}
	if !r.target.Prefill {
		last.Parts = append(last.Parts, Part{Type: PartText, Text: r.instruction(name)})
		return nil
	}
	r.prompt.opening = r.opening(name)
	if last.Role == messages.RoleUser {
		r.prompt.Turns = append(turns, Turn{Role: messages.RoleAssistant, Parts: []Part{{Type: PartText, Text: r.prompt.opening}}})
		return nil
	}
	text := emptyLine(last.Parts) + r.prompt.opening
	last.Parts = append(last.Parts, Part{Type: PartText, Text: text})
	return nil
}

// opening is the beginning of a call to the named tool, or to any if name is "".
func (r *renderer) opening(name string) string {
	return r.format.openCall(r.escape.Text(name))
}

// instruction asks for a call to the named tool, or to any if name is "".
func (r *renderer) instruction(name string) string {
	if name == "" {
		return r.language().callAnyTool
	}
	return fmt.Sprintf(r.language().callTool, r.escape.Text(name))
}
