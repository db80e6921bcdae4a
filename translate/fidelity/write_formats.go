package fidelity

import (
	"dragoman/translate/format"

	"slices"
	"strconv"
	"strings"

	"dragoman/translate"
)

// This file writes an instance in other makers' formats: with tags around plain values, or with markers
// around JSON. The formats are described by data that is independent of the declarations under test.

// manner is one way to write calls in a format: the texts around names and values. A newline in these texts
// is layout, so other white space may replace it.
type manner struct {
	format string    // one of translate.Formats
	stop   string    // the upstream's stop sequence
	wrap   [2]string // texts around all calls of an answer; "" for none
	each   bool      // wrap is around each call
	call   [3]string // texts before the tool's name, after it, and after the parameters
	id     string    // replaces the tool's name: NAME is the name, N the index of the call; "" means NAME
	param  [3]string // the same for a parameter; if empty, the input is one JSON object
	list   [2]string // texts around all calls, inside wrap
	// between separates two calls. text writes a whole call, in formats without a marker around the name.
	between string
	text    func(*Call) string
	other   string // the text after the name of a parameter that is not a string; "" means param[1]
	bare    bool   // newlines inside the tags of a value are part of the value
	cdata   bool   // a string may be a CDATA section
	fixed   bool   // the layout never varies
	twice   bool   // models sometimes close a value twice, so a value cannot end with its own closing tag
}

// manners are the ways to write calls in these formats (docs/reference/formats.md §1 to §5, §12, §13). A
// format may have several.
var manners = []manner{
	{format: format.Qwen3Coder, stop: toolResponse, twice: true, wrap: [2]string{"<tool_call>\n", "</tool_call>\n"}, each: true,
		call: [3]string{"<function=", ">\n", "</function>\n"}, param: [3]string{"<parameter=", ">", "</parameter>\n"}},
	{format: format.SeedOSS, stop: toolResponse, wrap: [2]string{"<seed:tool_call>\n", "</seed:tool_call>\n"}, each: true,
		call: [3]string{"<function=", ">\n", "</function>\n"}, param: [3]string{"<parameter=", ">", "</parameter>\n"}},
	{format: format.GLM, stop: toolResponse, bare: true, twice: true,
		call: [3]string{"<tool_call>", "\n", "</tool_call>\n"}, param: [3]string{"<arg_key>", "</arg_key>\n<arg_value>", "</arg_value>\n"}},
	dsmlManner("tool_calls"), dsmlManner("function_calls"),
	{format: format.MiniMax, stop: "</minimax:tool_call>", wrap: [2]string{"<minimax:tool_call>\n", "</minimax:tool_call>\n"}, cdata: true,
		call: [3]string{`<invoke name="`, "\">\n", "</invoke>\n"}, param: [3]string{`<parameter name="`, `">`, "</parameter>\n"}},
	{format: format.MiniCPM, stop: toolResponse, bare: true, cdata: true,
		call: [3]string{`<function name="`, "\">\n", "</function>\n"}, param: [3]string{`<param name="`, `">`, "</param>\n"}},
	{format: format.Kimi, stop: "<|tool_calls_section_end|>", wrap: [2]string{"<|tool_calls_section_begin|>\n", "<|tool_calls_section_end|>\n"},
		call: [3]string{"<|tool_call_begin|>", "<|tool_call_argument_begin|>\n", "\n<|tool_call_end|>\n"}, id: "functions.NAME:N"},
	{format: format.DeepSeek, stop: "<｜tool▁calls▁end｜>", wrap: [2]string{"<｜tool▁calls▁begin｜>\n", "<｜tool▁calls▁end｜>\n"},
		call: [3]string{"<｜tool▁call▁begin｜>", "<｜tool▁sep｜>\n", "\n<｜tool▁call▁end｜>\n"}},
	{format: format.DeepSeek, stop: "<｜tool▁calls▁end｜>", wrap: [2]string{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"}, fixed: true,
		call: [3]string{"<｜tool▁call▁begin｜>function<｜tool▁sep｜>", "\n```json\n", "\n```<｜tool▁call▁end｜>"}},
}

// dsmlManner returns the manner of DSML with a wrapper of this name. V4 and V3.2 have different wrappers.
func dsmlManner(wrapper string) manner {
	return manner{format: format.DSML, stop: "</｜DSML｜" + wrapper + ">", wrap: [2]string{"<｜DSML｜" + wrapper + ">\n", "</｜DSML｜" + wrapper + ">\n"}, bare: true,
		call:  [3]string{`<｜DSML｜invoke name="`, "\">\n", "</｜DSML｜invoke>\n"},
		param: [3]string{`<｜DSML｜parameter name="`, `" string="true">`, "</｜DSML｜parameter>\n"}, other: `" string="false">`}
}

// isJSON reports whether the input of a call is one JSON object.
func (m *manner) isJSON() bool { return m.param[0] == "" }

// closers returns the names of the closing tags, without `</`.
func (m *manner) closers() []string {
	names := []string{"parameters"}
	for _, text := range []string{m.param[2], m.call[2], m.wrap[1]} {
		if name, ok := strings.CutPrefix(strings.TrimSpace(text), "</"); ok {
			names = append(names, strings.TrimSuffix(name, ">"))
		}
	}
	return names
}

// takesName reports whether the tag of a parameter can have this name unchanged.
func (m *manner) takesName(name string) bool {
	return name != "" && strings.TrimSpace(name) == name && !strings.ContainsAny(name, "\"'<>&%[{\r\n")
}

// writeIn returns a function that writes an instance in a format.
func writeIn(format string) func(chance, *Instance) *Writing {
	var list []manner
	for _, m := range manners {
		if m.format == format {
			list = append(list, m)
		}
	}
	return func(c chance, inst *Instance) *Writing { return writeManner(c, inst, &list[c.IntN(len(list))]) }
}

// writeManner writes the instance in a manner, in varying layout.
func writeManner(c chance, inst *Instance, m *manner) *Writing {
	w := &writer{chance: c, Writing: &Writing{Attribute: true, manner: m, inst: inst}}
	if w.line = "\n"; !m.fixed {
		w.line = pick(c, []string{"\n", "\n", "", "\n  ", "\r\n", "\n\n"})
	}
	w.asked = m.format
	if w.oneIn(4) {
		w.asked = pick(c, translate.Formats())
	}
	w.writeProse()
	each := m.each && (len(inst.Calls) == 1 || !w.oneIn(4))
	for w.call = range inst.Calls {
		call := &inst.Calls[w.call]
		if each || w.call == 0 {
			w.addFrame(rWrapOpen, m.wrap[0])
		}
		name := strings.NewReplacer("NAME", call.Name, "N", strconv.Itoa(w.call)).Replace(m.id)
		if m.id == "" {
			name = call.Name
		}
		w.addFrame(rInvokeOpen, m.call[0]+name+m.call[1])
		w.writeInput(call)
		w.addFrame(rInvokeClose, m.call[2])
		if each || w.call == len(inst.Calls)-1 {
			w.addFrame(rWrapClose, m.wrap[1])
		}
	}
	return w.Writing
}

// addFrame adds text around calls, in the layout of the writing.
func (w *writer) addFrame(r role, text string) {
	if tag, found := strings.CutSuffix(text, "\n"); found {
		w.add(r, strings.ReplaceAll(tag, "\n", w.line), w.line)
	} else if text != "" {
		w.add(r, strings.ReplaceAll(text, "\n", w.line), "")
	}
}

// writeInput writes the input of a call as parameters or as a JSON object.
func (w *writer) writeInput(call *Call) {
	l := layout{space: w.oneIn(2), indent: w.oneIn(4), slash: !w.manner.isJSON() || w.oneIn(4)}
	before := len(w.pieces)
	switch {
	case w.manner.isJSON():
		w.add(rJSONCall, string(call.Input.append(nil, l, 0)), "")
	case len(call.Input.Members) > 0 && (w.oneIn(20) || !w.params(call)):
		w.pieces = w.pieces[:before]
		if last := &w.pieces[before-1]; last.space == "" {
			last.space = "\n" // the name of a tool may end there
		}
		w.add(rJSON, string(call.Input.append(nil, l, 0)), w.line)
	}
}

// mannerTags returns the tags of a parameter in the manner of the writing. It returns false if they cannot
// have this name.
func (w *writer) mannerTags(m Member) (open, shut string, closers []string, ok bool) {
	open, shut = w.manner.tags(m.Name, m.Value.Kind == '"')
	return strings.ReplaceAll(open, "\n", w.line), shut, w.manner.closers(), w.manner.takesName(m.Name)
}

// tags returns the tags of a parameter, in the layout of the manner.
func (m *manner) tags(name string, isString bool) (open, shut string) {
	behind := m.param[1]
	if !isString && m.other != "" {
		behind = m.other
	}
	return m.param[0] + name + behind, strings.TrimSuffix(m.param[2], "\n")
}

// callOpener returns the start of a call.
func (m *manner) callOpener() string { return strings.TrimRight(m.call[0], `="`) }

// holdsOpener reports whether text contains the start of a tag that opens a parameter, or its value, in the
// manner of the writing.
func (m *manner) holdsOpener(text string) bool {
	for _, part := range strings.Split(m.param[0]+m.param[1], "<")[1:] {
		if n := strings.IndexAny(part, " =>"); part[0] != '/' && strings.Contains(text, "<"+part[:n]) {
			return true
		}
	}
	return false
}

// formatsOf returns the names of the formats that have manners in a list.
func formatsOf(list []manner) (names []string) {
	for _, m := range list {
		if !slices.Contains(names, m.format) {
			names = append(names, m.format)
		}
	}
	return names
}

// isWholeJSON reports whether an element of a list begins like a whole list. If each element is a parameter
// of its own, such a parameter could end with the list.
func (w *writer) isWholeJSON(items []string) bool {
	return w.manner != nil && slices.ContainsFunc(items, func(item string) bool { return strings.HasPrefix(strings.TrimSpace(item), "[") })
}

// holdsCloser reports whether a value that is not a string contains a closing tag of the manner. A reader
// that knows the value's type may find another end.
func (w *writer) holdsCloser(v Value, text string, closers []string) bool {
	return w.manner != nil && v.Kind != '"' && slices.ContainsFunc(closers, func(name string) bool { return strings.Contains(text, "</"+name) })
}
