package fidelity

import "dragoman/translate"

// This file writes an instance in the json format.

// toolResponse is what a model writes next after calls in JSON. The upstream stops there.
const toolResponse = "<tool_response>"

// prompt returns a prompt that escapes nothing. It asks for calls in the form of the writing. If w.asked
// names another format, it asks for calls in that format, and accepts all formats.
func (w *Writing) prompt() (*translate.Prompt, error) {
	target := translate.Target{Format: translate.FormatJSON}
	switch {
	case w.manner != nil && w.asked != w.manner.format:
		target = translate.Target{Format: w.asked, Accept: translate.AcceptAll}
	case w.manner != nil:
		target.Format = w.asked
	case !w.JSON:
		return &translate.Prompt{}, nil
	}
	return translate.Render((&Instance{}).Request(), target)
}

// writeJSON writes the instance as calls in JSON: in the layout that the model has seen, or in another one.
func writeJSON(c chance, inst *Instance) *Writing {
	w := &writer{chance: c, Writing: &Writing{JSON: true, inst: inst}}
	w.line = pick(c, []string{"\n", "\n", "\n", "", " "})
	w.writeProse()
	for w.call = range inst.Calls {
		w.add(rWrapOpen, "<tool_call>", w.line)
		w.add(rJSONCall, w.jsonCall(&inst.Calls[w.call]), w.line)
		w.add(rWrapClose, "</tool_call>", w.line)
	}
	return w.Writing
}

// jsonCall returns one call as JSON.
func (w *writer) jsonCall(call *Call) string {
	l := layout{}
	if w.oneIn(2) {
		l = layout{indent: w.oneIn(3), space: w.oneIn(2), slash: w.oneIn(3)}
	}
	members := []Member{{"name", str(call.Name)}, {"arguments", call.Input}}
	if w.oneIn(8) {
		members[0], members[1] = members[1], members[0]
	}
	return string(Value{Kind: '{', Members: members}.append(nil, l, 0))
}

// callMember returns one member of a call in JSON.
func callMember(name, json string) string { return str(name).JSON() + ": " + json }
