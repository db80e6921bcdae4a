package prompt

import (
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// forceCall ends the prompt as tool_choice asks (docs/reference/messages-api.md §6). If a call is
// forced, the prompt ends with a prefill that begins the call. If the model takes no prefill, the
// last turn asks for the call in words (see also [Target.TryPrefill]). The model may still write
// something else; correct.go enforces the choice.
func (r *renderer) forceCall() {
	if !r.req.MustCall() || r.target.ToolAPI {
		return
	}
	name := r.req.ToolChoice.Name
	if r.req.ToolChoice.Type == messages.ChoiceAny && len(r.req.Tools) == 1 {
		name = r.req.Tools[0].Name
	}
	if !r.target.Prefill && !r.target.TryPrefill {
		r.addToLastTurn(r.instruction(name))
		return
	}
	r.prompt.Opening = r.format.CallPrefill(r.escape.Text(name), r.calls)
	if r.prompt.Turns[len(r.prompt.Turns)-1].Role == messages.RoleUser {
		r.addWrittenTurn(messages.RoleAssistant)
	}
	last := &r.prompt.Turns[len(r.prompt.Turns)-1]
	before := ""
	if !r.writer.framed {
		before = emptyLine(last.Parts)
	}
	r.addToLastTurn(r.escape.Markup(before+r.prompt.Opening, "tool_choice"))
	last.Parts[len(last.Parts)-1].Calls = true
}

// instruction returns the sentence that asks for a call to the named tool. If name is "", it asks
// for a call to any tool.
func (r *renderer) instruction(name string) markup.Sourced {
	if name == "" {
		return r.escape.Markup(r.language().CallAnyTool, "tool_choice")
	}
	before, after, _ := strings.Cut(r.language().CallTool, "%s")
	b := markup.Buffer{Escape: &r.escape, Source: "tool_choice"}
	return b.Write(before).WriteText(name).Write(after).Take()
}
