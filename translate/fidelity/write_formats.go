package fidelity

import (
	"dragoman/translate/format"

	"slices"
	"strconv"
	"strings"

	"dragoman/translate"
)

// This file writes an instance in the formats of other makers' models: tags around values as they stand, or
// markers around JSON. How each writes is data, which shares nothing with the declarations under test.

// manner is one way to write calls in a format: what stands around names and values. A newline in it is
// layout, in place of which other white space may stand.
type manner struct {
	format string    // one of translate.Formats
	stop   string    // what the upstream stops at
	wrap   [2]string // around all calls of an answer; "" for nothing
	each   bool      // wrap is around each call
	call   [3]string // before the name of the tool, behind it, and behind the parameters
	id     string    // stands for the name of the tool: NAME is that name, and N the index of the call; "" for NAME
	param  [3]string // the same of a parameter; with none, the input is one JSON object
	list   [2]string // around all calls, within wrap
	// between stands between two calls; text writes a whole one, where its name does not stand in a marker.
	between string
	text    func(*Call) string
	other   string // behind the name of a parameter that is no string; "" for param[1]
	bare    bool   // a newline within the tags of a value is part of it
	cdata   bool   // a string may stand in a CDATA section
	fixed   bool   // the layout is as it stands
	twice   bool   // models close a value twice in a row, so that none can end with its own closing tag
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

// dsmlManner is how DSML is written in a wrapper of that name: V4 has another one than V3.2.
func dsmlManner(wrapper string) manner {
	return manner{format: format.DSML, stop: "</｜DSML｜" + wrapper + ">", wrap: [2]string{"<｜DSML｜" + wrapper + ">\n", "</｜DSML｜" + wrapper + ">\n"}, bare: true,
		call:  [3]string{`<｜DSML｜invoke name="`, "\">\n", "</｜DSML｜invoke>\n"},
		param: [3]string{`<｜DSML｜parameter name="`, `" string="true">`, "</｜DSML｜parameter>\n"}, other: `" string="false">`}
}

// isJSON reports whether the input of a call is one JSON object.
func (m *manner) isJSON() bool { return m.param[0] == "" }

// closers returns the names of the closing tags, as they stand after `</`.
func (m *manner) closers() []string {
	names := []string{"parameters"}
	for _, text := range []string{m.param[2], m.call[2], m.wrap[1]} {
		if name, ok := strings.CutPrefix(strings.TrimSpace(text), "</"); ok {
			names = append(names, strings.TrimSuffix(name, ">"))
		}
	}
	return names
}

// takesName reports whether the name of a parameter can stand in its tag as it is.
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

// addFrame adds what stands around calls, in the layout of the writing.
func (w *writer) addFrame(r role, text string) {
	if tag, found := strings.CutSuffix(text, "\n"); found {
		w.add(r, strings.ReplaceAll(tag, "\n", w.line), w.line)
	} else if text != "" {
		w.add(r, strings.ReplaceAll(text, "\n", w.line), "")
	}
}

// writeInput writes the input of a call: its parameters, or a JSON object.
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

// mannerTags returns the tags of a parameter in the manner of the writing, and reports false if they cannot
// have its name.
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

// callOpener returns what a call begins with.
func (m *manner) callOpener() string { return strings.TrimRight(m.call[0], `="`) }

// holdsOpener reports whether text holds the beginning of a tag that opens a parameter in the manner of the
// writing, or its value.
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

// isWholeJSON reports whether one of the elements of a list, each in a parameter of its own, begins like a
// whole list, with which the parameter could end.
func (w *writer) isWholeJSON(items []string) bool {
	return w.manner != nil && slices.ContainsFunc(items, func(item string) bool { return strings.HasPrefix(strings.TrimSpace(item), "[") })
}

// holdsCloser reports whether a value that is no string holds a closing tag of the manner, where its type
// may tell of another end.
func (w *writer) holdsCloser(v Value, text string, closers []string) bool {
	return w.manner != nil && v.Kind != '"' && slices.ContainsFunc(closers, func(name string) bool { return strings.Contains(text, "</"+name) })
}
