package fidelity

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// This file takes apart how formats write calls, by their declarations.

// group is the kind of a format.
type group uint8

const (
	inLegacy    group = 1 << iota // elements named after parameters
	inAttribute                   // elements with names in attributes, of Dragoman's own format
	inTags                        // elements of other makers
	inMarkers                     // markers around the name and one JSON object, with layout between them
	inBlocks                      // a whole call in JSON, in tags
	inLists                       // JSON or literals without layout

	ours     = inLegacy | inAttribute
	elements = ours | inTags
	makers   = inTags | inMarkers
	objects  = inMarkers | inBlocks | inLists
	anyGroup = elements | objects
)

// form is one way to write calls in a format: the texts around names and values. A newline in these texts is
// layout, so other white space may replace it.
type form struct {
	name    string         // of the format
	format  *format.Format // its declaration, or that of a variant; nil if it says nothing about writing
	group   group
	wrap    [2]string // texts around all calls of an answer; "" for none
	each    bool      // wrap is usually around each call
	call    [3]string // texts before the tool's name, after it, and after the parameters; "" if JSON or a literal has the name
	param   [3]string // the same for a parameter; "" if the input is one JSON object
	other   string    // the text after the name of a parameter that is not a string
	between string    // separates two calls
	keys    [2]string // the members of a call in JSON: its name and its input; "" for none
	fixed   bool      // the layout never varies
}

// forms are all ways to write calls, by the name of the format.
var forms, formats = func() (byName map[string][]*form, names []string) {
	byName = map[string][]*form{}
	for _, f := range slices.Concat(format.List[:], format.Variants()) {
		byName[f.Name] = append(byName[f.Name], formOf(f))
	}
	names = format.Names()
	for i := range undeclared {
		f := &undeclared[i]
		if byName[f.name] == nil {
			names = append(names, f.name)
		}
		byName[f.name] = append(byName[f.name], f)
	}
	return byName, names
}()

// formOf takes a declaration apart.
func formOf(f *format.Format) *form {
	w := &form{name: f.Name, format: f, wrap: [2]string{f.BeforeCalls, f.AfterCalls}, call: f.Shape.Call, param: f.Shape.Param, between: f.BetweenCalls}
	frame, _ := f.FrameOf("x")
	switch {
	case f.Name == format.Legacy:
		w.group, w.param = inLegacy, frame.Param
	case f.Name == format.Attribute:
		w.group, w.other = inAttribute, frame.Other
	case f.Name == format.Mistral || f.Name == format.Harmony:
		w.group, w.fixed = inLists, true
	case f.Shape.Call[0] == "":
		w.takeWhole(f, frame)
	case f.Shape.IsJSON():
		w.group = inMarkers
	default:
		w.group, w.other = inTags, frame.Other
		if i := strings.LastIndexByte(w.call[0], '<'); i > 0 { // a wrapper around each call
			w.wrap[0], w.call[0] = w.call[0][:i], w.call[0][i:]
			i = strings.LastIndexByte(w.call[2], '<')
			w.wrap[1], w.call[2], w.each = w.call[2][i:], w.call[2][:i], true
		}
	}
	return w
}

// takeWhole takes apart a format in which JSON or a literal has the name of the tool.
func (w *form) takeWhole(f *format.Format, frame format.Frame) {
	w.group, w.fixed = inLists, true
	opener, tail, isObject := strings.Cut(frame.Head, "{")
	switch {
	case isObject:
		at := strings.LastIndexByte(frame.Tail, '}')
		call, err := ReadValue([]byte("{" + tail + "{}" + frame.Tail[:at+1]))
		if err != nil {
			panic(err)
		}
		w.keys = [2]string{call.Members[0].Name, call.Members[1].Name}
		if w.wrap, w.each = [2]string{opener, frame.Tail[at+1:] + frame.Between}, true; w.name == format.JSON {
			w.group, w.fixed = inBlocks, false
		} else {
			w.wrap[1], w.between = "", "; " // as Llama's own template says
		}
	case frame.Head == "": // a literal of Gemma
		w.wrap, w.each = [2]string{strings.TrimSuffix(f.CallOpener, format.GemmaCall), f.CallCloser}, true
	}
}

// undeclared are ways to write calls that no declaration describes: of formats in which no model is asked
// (docs/reference/formats.md §15), and of DeepSeek V3 (§12).
var undeclared = []form{
	{name: format.DeepSeek, group: inMarkers, wrap: [2]string{"<｜tool▁calls▁begin｜>", "<｜tool▁calls▁end｜>"}, fixed: true,
		call: [3]string{"<｜tool▁call▁begin｜>function<｜tool▁sep｜>", "\n```json\n", "\n```<｜tool▁call▁end｜>"}},
	listOf("granite", "<|tool_call|>[", "]", "name", "arguments"),
	listOf("cohere", "<|START_ACTION|>[", "]<|END_ACTION|>", "tool_name", "parameters"),
	listOf("phi", "functools[", "]", "name", "arguments"),
	listOf("xlam", "[", "]", "name", "arguments"),
	listOf("nemotron", "<TOOLCALL>[", "]</TOOLCALL>", "name", "arguments"),
	listOf("apriel", "<tool_calls>[", "]</tool_calls>", "name", "arguments"),
	listOf("gigachat", "<|function_call|>", "", "name", "arguments"),
	listOf("internlm", "<|action_start|><|plugin|>", "<|action_end|>", "name", "parameters"),
	listOf("apertus", "<|tools_prefix|>[", "]<|tools_suffix|>", "", ""),
}

// listOf returns a way to write calls in a list of JSON objects, or each on its own.
func listOf(name, before, after, tool, input string) form {
	return form{name: name, group: inLists, wrap: [2]string{before, after}, each: !strings.HasSuffix(before, "["), between: ", ", keys: [2]string{tool, input}, fixed: true}
}

// list returns the texts of the wrapper without and with its bracket.
func (f *form) list() (marks, brackets [2]string) {
	marks = f.wrap
	if before, ok := strings.CutSuffix(f.wrap[0], "["); ok {
		marks = [2]string{before, strings.TrimPrefix(f.wrap[1], "]")}
		brackets = [2]string{"[", "]"}
	}
	return marks, brackets
}

// stop returns the upstream's stop sequence.
func (f *form) stop() string {
	if f.format == nil {
		return ""
	}
	return f.format.StopSequence
}

// model returns a model that is asked in this way.
func (f *form) model() string {
	if f.format == nil || f.format.Variant == "" {
		return ""
	}
	return f.format.Models[0]
}

// spelling returns which tags the parser reads; not nil.
func (f *form) spelling() *markup.Spelling {
	if f.format == nil || f.format.Spelling == nil {
		return &markup.Spelling{CDATA: true} // the tags are the attribute format's
	}
	return f.format.Spelling
}

// isJSON reports whether the input of a call is one JSON object or a literal.
func (f *form) isJSON() bool { return f.group&objects != 0 }

// opener returns the start of a call.
func (f *form) opener() string { return strings.TrimRight(f.call[0], `="`) }

// closers returns the names of the closing tags, without `</`.
func (f *form) closers() []string {
	names := []string{"parameters"}
	for _, text := range []string{f.param[2], f.call[2], f.wrap[1]} {
		if name, ok := strings.CutPrefix(strings.TrimSpace(text), "</"); ok {
			names = append(names, strings.TrimSuffix(name, ">"))
		}
	}
	return names
}

// tags returns the tags of a parameter, in the layout of the declaration.
func (f *form) tags(name string, isString bool) (open, shut string) {
	behind := f.param[1]
	if !isString {
		behind = f.other
	}
	if f.group == inLegacy {
		return "<" + name + ">", "</" + name + ">"
	}
	return f.param[0] + name + behind, strings.TrimSuffix(f.param[2], "\n")
}

// takesName reports whether the tag of a parameter can have this name unchanged.
func (f *form) takesName(name string) bool {
	return name != "" && strings.TrimSpace(name) == name && !strings.ContainsAny(name, "\"'<>&%[{\r\n")
}

// holdsOpener reports whether text contains the start of a tag that opens a parameter, or its value.
func (f *form) holdsOpener(text string) bool {
	if f.group == inLegacy {
		return false
	}
	for _, part := range strings.Split(f.param[0]+f.param[1], "<")[1:] {
		if n := strings.IndexAny(part, " =>"); part[0] != '/' && strings.Contains(text, "<"+part[:n]) {
			return true
		}
	}
	return false
}

// label returns the text that names the tool of the nth call.
func (f *form) label(name string, n int) string {
	if f.format == nil {
		return name
	}
	return f.format.Shape.Label(name, n)
}

// literal returns a call in a format whose declaration writes it as a whole, without the wrapper. Nothing in
// it is escaped: two signs that occur nowhere else, and in no name of Python, hide what would be.
func (f *form) literal(call *ToolCall) string {
	b := markup.Buffer{Escape: &markup.Escaper{}}
	input := strings.NewReplacer("<", "@⸢", "&", "@⸣").Replace(call.Input.JSON())
	f.format.WriteCall(&b, call.Name, 0, jsontext.Value(input), schema.Compile(jsontext.Value(call.tool.Schema)))
	marks, _ := f.list()
	text := strings.TrimSuffix(strings.NewReplacer("@⸢", "<", "@⸣", "&").Replace(string(b.Out)), f.between)
	if f.each {
		text = strings.TrimSuffix(strings.TrimPrefix(strings.TrimSpace(text), marks[0]), marks[1])
	}
	return text
}

// prompt returns a prompt that escapes nothing. It asks for calls in the form of the writing. If w.asked
// names another format, it asks for calls in that format, and accepts all formats.
func (w *Writing) prompt() (*translate.Prompt, error) {
	target := translate.Target{ModelOptions: translate.ModelOptions{Format: w.asked, Family: w.form.model()}, Memo: memo}
	if w.asked != w.form.name {
		target = translate.Target{ModelOptions: translate.ModelOptions{Format: w.asked, Accept: []string{translate.AcceptAll}}, Memo: memo}
	}
	return translate.Render((&Instance{}).Request(), target)
}
