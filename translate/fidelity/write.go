package fidelity

import (
	"slices"
	"strings"

	"dragoman/translate"
)

// This file writes an instance as a model would.

// role is the kind of a piece.
type role uint8

const (
	rProse role = iota
	rWrapOpen
	rListOpen
	rBetween
	rInvokeOpen // includes the name, but not in legacy
	rNameOpen   // only in legacy, like the next three
	rName
	rNameClose
	rParamsOpen
	rParamOpen
	rValue
	rParamClose
	rJSON     // the whole input as JSON, where the format has elements
	rJSONCall // the whole input as JSON, or the whole call as JSON or a literal, as the format has it
	rParamsClose
	rInvokeClose
	rListClose
	rWrapClose
)

// piece is a part of a writing and the white space after it. The part is a tag, or the text between two
// tags.
type piece struct {
	role        role
	text, space string
	call        int    // index of its call
	name        string // name of its parameter
}

// Writing is an instance as a model writes it.
type Writing struct {
	*form
	asked   string // the format of the prompt
	inst    *Instance
	prose   string // the text before the calls
	layout  layout // of JSON
	swapped bool   // in JSON, the input comes before the name
	pieces  []piece
}

// Text returns the whole text.
func (w *Writing) Text() string { return joined(w.pieces) }

// stop returns the stop sequence of an upstream if the prompt asks for the writing's format, and ""
// otherwise.
func (w *Writing) stop() string {
	if w.asked != w.form.name {
		return ""
	}
	return w.form.stop()
}

// joined returns the text of the pieces.
func joined(pieces []piece) string {
	var b strings.Builder
	for _, p := range pieces {
		b.WriteString(p.text)
		b.WriteString(p.space)
	}
	return b.String()
}

// writer writes one instance.
type writer struct {
	chance
	*Writing
	call int    // index of the call that is being written
	line string // white space between tags
}

// proses are texts that a model writes before its calls.
var proses = []string{"", "", "I'll look that up.", "Let me check.\n\nFirst the weather:", "<thinking>\nThe user wants a < b. I need the tool.\n</thinking>",
	"Voilà : 天気を調べます。", "1. one\n2. two", "Use `go test` for that.", "```go\nx := 1\n```", "The tag <b> is bold & fine."}

// write writes the instance in one of the forms of a format, as models do.
func write(c chance, inst *Instance, name string) *Writing {
	w := &writer{chance: c, Writing: &Writing{form: pick(c, forms[name]), asked: name, inst: inst}}
	switch w.line = "\n"; {
	case w.fixed:
	case w.group&makers != 0:
		w.line = pick(c, []string{"\n", "\n", "", "\n  ", "\r\n", "\n\n"})
	default:
		w.line = pick(c, []string{"\n", "\n", "\n", "", "\n  ", "\r\n"})
	}
	switch {
	case !slices.Contains(translate.Formats(), name):
		w.asked = translate.FormatJSON // no prompt asks for this format
	case w.group&makers != 0 && w.oneIn(4):
		w.asked = pick(c, translate.Formats())
	}
	if !w.fixed {
		w.layout, w.swapped = c.anyLayout(), w.group == inBlocks && c.oneIn(8)
	}
	if w.wrap[0]+w.form.call[0] != "[" && name != "phi" { // without a marker, only a whole answer is a call
		w.writeProse()
	}
	w.writeCalls()
	return w.Writing
}

// writeProse writes the text before the calls.
func (w *writer) writeProse() {
	if w.prose = pick(w.chance, proses); w.prose != "" {
		w.add(rProse, w.prose, pick(w.chance, []string{"\n\n", "\n"}))
	}
}

// writeCalls writes the calls and what is around them.
func (w *writer) writeCalls() {
	each := w.each && (w.group&(inTags|inLists) == 0 || len(w.inst.Calls) == 1 || w.name == "gigachat" || w.name == "internlm" || !w.oneIn(4))
	marks, brackets := w.list()
	for w.call = range w.inst.Calls {
		first, last := w.call == 0, w.call == len(w.inst.Calls)-1
		if each || first {
			w.frame(rWrapOpen, marks[0])
			w.frame(rListOpen, brackets[0])
		} else if w.isJSON() {
			w.frame(rBetween, w.between)
		}
		w.writeCall(&w.inst.Calls[w.call])
		if each || last {
			w.frame(rListClose, brackets[1])
			w.frame(rWrapClose, marks[1])
		}
	}
}

// add adds a piece of the current call.
func (w *writer) add(r role, text, space string) { w.addParam(r, "", text, space) }

// addParam adds a piece of a parameter of the current call.
func (w *writer) addParam(r role, name, text, space string) {
	w.pieces = append(w.pieces, piece{r, text, space, w.call, name})
}

// frame adds text around calls, in the layout of the writing. Text between markers may vary although the
// declaration has none.
func (w *writer) frame(r role, text string) {
	tag, found := strings.CutSuffix(text, "\n")
	space := ""
	if found || w.group == inMarkers && !w.fixed {
		space = w.line
	}
	if text != "" {
		w.add(r, strings.ReplaceAll(tag, "\n", w.line), space)
	}
}

// writeCall writes one call.
func (w *writer) writeCall(call *ToolCall) {
	switch {
	case w.group == inLegacy:
		w.writeLegacyCall(call)
	case w.form.call[0] == "":
		w.add(rJSONCall, w.callText(call), "")
	default:
		w.frame(rInvokeOpen, w.form.call[0]+w.label(call.Name, w.call)+w.form.call[1])
		if w.isJSON() {
			w.add(rJSONCall, w.callText(call), "")
		} else {
			w.writeInput(call)
		}
		w.frame(rInvokeClose, w.form.call[2])
	}
}

// callText returns a call, or its input, as the format writes it.
func (w *Writing) callText(call *ToolCall) string {
	named, input := Member{w.keys[0], str(call.Name)}, Member{w.keys[1], call.Input}
	switch {
	case w.form.call[0] != "":
		return call.Input.in(w.layout)
	case w.format != nil && w.keys[0] == "":
		return w.literal(call)
	case w.keys[0] == "":
		return object(Member{call.Name, call.Input}).in(w.layout)
	case w.swapped:
		named, input = input, named
	}
	return object(named, input).in(w.layout)
}

// writeInput writes the input of a call as parameters, or as JSON. If a parameter cannot be written, it
// writes JSON.
func (w *writer) writeInput(call *ToolCall) {
	before := len(w.pieces)
	if len(call.Input.Members) > 0 && (w.oneIn(20) || !w.params(call)) {
		w.pieces = w.pieces[:before]
		if last := &w.pieces[before-1]; w.group == inTags && last.space == "" {
			last.space = "\n" // the name of a tool may end there
		}
		l := w.anyLayout()
		l.slash = true
		w.add(rJSON, call.Input.in(l), w.line)
	}
}

// params writes each parameter on its own. It returns false if the name or the value of a parameter could
// be read as something else.
func (w *writer) params(call *ToolCall) bool {
	root := call.tool.root
	for _, m := range call.Input.Members {
		open, shut, ok := w.tagsOf(root, m)
		if !ok || len(m.Name) > maxName {
			return false
		}
		items, ok := w.repeats(root.memberNode(m.Name), m, open, shut)
		if !ok {
			text, ok := textOf(w.chance, root.memberNode(m.Name), m.Value)
			if !ok || w.isAmbiguous(root, m, text, shut) {
				return false
			}
			items = []string{w.quoted(root.memberNode(m.Name), text)}
		}
		for _, item := range items {
			w.addParam(rParamOpen, m.Name, open, "")
			w.addParam(rValue, m.Name, item, "")
			w.addParam(rParamClose, m.Name, shut, w.line)
		}
	}
	return true
}

// tagsOf returns the tags of a parameter. It returns false if the tags cannot have this name.
func (w *writer) tagsOf(root *node, m Member) (open, shut string, ok bool) {
	open, shut = w.tags(m.Name, m.Value.Kind == '"')
	declared := root.declares(m.Name)
	if w.group&ours == 0 {
		return strings.ReplaceAll(open, "\n", w.line), shut, w.takesName(m.Name)
	}
	if !declared && w.line == "" {
		return "", "", false // an undeclared parameter needs a line of its own to be recognized
	}
	if w.group == inAttribute {
		return strings.TrimSuffix(w.param[0], `"`) + attributeOf(m.Name, declared) + strings.TrimPrefix(w.param[1], `"`), shut, true
	}
	open, shut = w.tags(tagOf(m.Name), true)
	return open, shut, declared || !isReserved(m.Name) // it would look like a tag of the call
}

// isAmbiguous reports whether no reader could tell where a value ends.
func (w *writer) isAmbiguous(root *node, m Member, text, shut string) bool {
	closers := append(w.closers(), tagOf(m.Name), "parameter", "invoke")
	for _, p := range root.props {
		closers = append(closers, tagOf(p.name))
	}
	switch {
	case w.group == inLegacy && isReserved(m.Name) && continuesCall(m.Name, text):
		return true
	case w.group == inTags && m.Value.Kind != '"' && slices.ContainsFunc(closers, func(name string) bool { return strings.Contains(text, "</"+name) }):
		return true // a reader that knows the value's type may find another end
	case w.spelling().ClosedTwice && strings.HasSuffix(strings.TrimSpace(text), shut):
		return true
	}
	return misleads(text, closers) || swallows(text, root, m.Name) || w.holdsOpener(text)
}

// quoted writes a value on lines of its own. A string is sometimes a CDATA section instead.
func (w *writer) quoted(n *node, text string) string {
	s := w.spelling()
	often := 12
	if s.Bare {
		often = 3
	}
	switch {
	case n.isPlainString() && s.CDATA && w.oneIn(often):
		return cdataOf(text)
	case s.Bare:
		return text
	}
	return lines(w.chance, text)
}

// cdataOf writes text as a CDATA section.
func cdataOf(text string) string {
	return "<![CDATA[" + strings.ReplaceAll(text, "]]>", "]]]]><![CDATA[>") + "]]>"
}

// repeats writes an array as one parameter for each element.
func (w *writer) repeats(n *node, m Member, open, shut string) (items []string, ok bool) {
	if n.kind != kindArray || m.Value.Kind != '[' || len(m.Value.List) < 2 || !w.oneIn(4) {
		return nil, false
	}
	for _, e := range m.Value.List {
		text, ok := textOf(w.chance, n.itemNode(), e)
		if !ok || strings.Contains(text, open) || strings.Contains(text, "</") || strings.Contains(text, "<![CDATA[") || strings.Contains(text, "<parameter") || w.holdsOpener(text) ||
			w.group == inLegacy && isReserved(m.Name) && continuesCall(m.Name, text) ||
			w.group == inTags && strings.HasPrefix(strings.TrimSpace(text), "[") { // it could end with the list
			return nil, false
		}
		items = append(items, w.quoted(&node{kind: kindAny}, text))
	}
	return items, true
}
