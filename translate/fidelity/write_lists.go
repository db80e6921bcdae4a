package fidelity

import (
	"dragoman/translate/format"

	"slices"
	"strings"

	"dragoman/translate"
)

// This file writes an instance in formats with lists of JSON objects or literals of a language
// (docs/reference/formats.md §7 to §11, §15). Each format is a manner, too.

// lists are the ways to write calls in these formats.
var lists = []manner{
	{format: format.Mistral, call: [3]string{"[TOOL_CALLS]", "[ARGS]", ""}, fixed: true},
	{format: format.Llama, wrap: [2]string{"<|python_tag|>", ""}, between: "; ", text: objectOf("name", "parameters")},
	{format: format.Pythonic, list: [2]string{"[", "]"}, between: ", ", text: pythonOf},
	{format: format.Gemma, wrap: [2]string{"<|tool_call>", "<tool_call|>"}, each: true, text: gemmaOf},
	{format: format.Harmony, call: [3]string{"<|start|>assistant<|channel|>commentary to=functions.", " <|constrain|>json<|message|>", "<|call|>"}, fixed: true},
	{format: "granite", wrap: [2]string{"<|tool_call|>", ""}, list: [2]string{"[", "]"}, between: ", ", text: objectOf("name", "arguments")},
	{format: "cohere", wrap: [2]string{"<|START_ACTION|>", "<|END_ACTION|>"}, list: [2]string{"[", "]"}, between: ", ", text: objectOf("tool_name", "parameters")},
	{format: "phi", wrap: [2]string{"functools", ""}, list: [2]string{"[", "]"}, between: ", ", text: objectOf("name", "arguments")},
	{format: "xlam", list: [2]string{"[", "]"}, between: ", ", text: objectOf("name", "arguments")},
	{format: "nemotron", wrap: [2]string{"<TOOLCALL>", "</TOOLCALL>"}, list: [2]string{"[", "]"}, between: ", ", text: objectOf("name", "arguments")},
	{format: "apriel", wrap: [2]string{"<tool_calls>", "</tool_calls>"}, list: [2]string{"[", "]"}, between: ", ", text: objectOf("name", "arguments")},
	{format: "gigachat", wrap: [2]string{"<|function_call|>", ""}, each: true, text: objectOf("name", "arguments")},
	{format: "apertus", wrap: [2]string{"<|tools_prefix|>", "<|tools_suffix|>"}, list: [2]string{"[", "]"}, between: ", ",
		text: func(c *Call) string { return "{" + str(c.Name).JSON() + ": " + c.Input.JSON() + "}" }},
}

// objectOf returns a function that writes a call as an object with these members.
func objectOf(name, arguments string) func(*Call) string {
	return func(c *Call) string {
		return "{" + callMember(name, str(c.Name).JSON()) + ", " + callMember(arguments, c.Input.JSON()) + "}"
	}
}

// pythonOf writes a call in Python.
func pythonOf(c *Call) string {
	var parts []string
	for _, m := range c.Input.Members {
		if !isPythonName(m.Name) {
			return c.Name + "(**" + inPython(c.Input) + ")"
		}
		parts = append(parts, m.Name+"="+inPython(m.Value))
	}
	return c.Name + "(" + strings.Join(parts, ", ") + ")"
}

// inPython returns a value as a literal of Python.
func inPython(v Value) string {
	return bareWords(v.JSON(), strings.NewReplacer("true", "True", "false", "False", "null", "None"))
}

// gemmaOf writes a call as Gemma does, either with unquoted names and nothing escaped, or with a JSON
// object.
func gemmaOf(c *Call) string {
	text, ok := inGemma(c.Input)
	if !ok {
		text = c.Input.JSON()
	}
	return "call:" + c.Name + text
}

// inGemma returns a value as a literal of Gemma. It returns false if a name needs quotes.
func inGemma(v Value) (text string, ok bool) {
	parts := []string{}
	switch v.Kind {
	case '"':
		return gemmaQuote + v.Text + gemmaQuote, true
	case '[':
		for _, e := range v.List {
			text, ok := inGemma(e)
			if !ok {
				return "", false
			}
			parts = append(parts, text)
		}
		return "[" + strings.Join(parts, ",") + "]", true
	case '{':
		for _, m := range v.Members {
			text, ok := inGemma(m.Value)
			if !ok || !isPythonName(m.Name) {
				return "", false
			}
			parts = append(parts, m.Name+":"+text)
		}
		return "{" + strings.Join(parts, ",") + "}", true
	}
	return v.JSON(), true
}

// gemmaQuote is the quote around strings in such a literal.
const gemmaQuote = `<|"|>`

// isPythonName reports whether a parameter in Python can have this name.
func isPythonName(name string) bool {
	return isElementName(name) && !strings.ContainsAny(name, "-.") && (name[0] < '0' || name[0] > '9') && !slices.Contains([]string{"None", "null", "true", "false"}, name)
}

// writeList writes the instance in one of these formats.
func writeList(m *manner) func(chance, *Instance) *Writing {
	return func(c chance, inst *Instance) *Writing {
		w := &writer{chance: c, Writing: &Writing{manner: m, inst: inst}}
		w.asked = m.format
		if !slices.Contains(translate.Formats(), m.format) {
			w.asked = translate.FormatJSON // no prompt asks for this format
		}
		if len(m.wrap[0]+m.call[0]) > 0 && m.format != "phi" { // without a marker, only a whole answer is a call
			w.writeProse()
		}
		for w.call = range inst.Calls {
			call := &inst.Calls[w.call]
			if m.each || w.call == 0 {
				w.addMark(rWrapOpen, m.wrap[0])
			}
			if w.call == 0 {
				w.addMark(rParamsOpen, m.list[0])
			} else {
				w.addMark(rProse, m.between)
			}
			if m.text != nil {
				w.add(rJSONCall, m.text(call), "")
			} else {
				w.add(rInvokeOpen, m.call[0]+call.Name+m.call[1], "")
				w.add(rJSONCall, call.Input.JSON(), "")
				w.addMark(rInvokeClose, m.call[2])
			}
			if w.call == len(inst.Calls)-1 {
				w.addMark(rParamsClose, m.list[1])
			}
			if m.each || w.call == len(inst.Calls)-1 {
				w.addMark(rWrapClose, m.wrap[1])
			}
		}
		return w.Writing
	}
}

// addMark adds text around calls, if the format has it.
func (w *writer) addMark(r role, text string) {
	if text != "" {
		w.add(r, text, "")
	}
}
