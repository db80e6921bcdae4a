package prompt

import (
	"strings"

	"dragoman/translate/messages"
)

// forceCall ends the prompt as tool_choice asks (docs/reference/messages-api.md §6). Where
// a call is forced, the prompt ends in a prefill that begins it; where the model takes no
// prefill, the last turn asks for the call in words (see also [Target.TryPrefill]). Either way the model may write something
// else: correct.go holds it to the choice.
func (r *renderer) forceCall() {
	if !r.req.MustCall() || r.target.ToolAPI {
		return
	}
	name := r.req.ToolChoice.Name
	if r.req.ToolChoice.Type == messages.ChoiceAny && len(r.req.Tools) == 1 {
		name = r.req.Tools[0].Name
	}
	r.origins.to("tool_choice")
	turns := r.prompt.Turns
	last := &turns[len(turns)-1]
	if !r.target.Prefill && !r.target.TryPrefill {
		text := r.instruction(name)
		last.Parts = append(last.Parts, Part{Type: PartText, Text: text})
		r.origins.extendTurn(len(text), false)
		return
	}
	r.prompt.Opening = r.format.CallPrefill(r.escape.Text(name), r.calls)
	if last.Role == messages.RoleUser {
		r.prompt.Turns = append(turns, Turn{Role: messages.RoleAssistant, Parts: []Part{{Type: PartText, Text: r.prompt.Opening}}})
		r.origins.endTurn()
		r.origins.extendTurn(len(r.prompt.Opening), true)
		return
	}
	text := emptyLine(last.Parts) + r.prompt.Opening
	last.Parts = append(last.Parts, Part{Type: PartText, Text: text})
	r.origins.extendTurn(len(text), true)
}

// instruction returns the sentence that asks for a call to the named tool, or to any tool
// if name is "".
func (r *renderer) instruction(name string) string {
	if name == "" {
		return r.language().CallAnyTool
	}
	before, after, _ := strings.Cut(r.language().CallTool, "%s")
	return string(append(r.escape.AppendText([]byte(before), name), after...))
}
