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
	rInvokeOpen // in the attribute form, it includes the name
	rNameOpen
	rName
	rNameClose
	rParamsOpen
	rParamOpen
	rValue
	rParamClose
	rJSON     // the whole input as JSON
	rJSONCall // a whole call as JSON
	rParamsClose
	rInvokeClose
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
	Attribute bool    // calls are written <invoke name="…">
	JSON      bool    // calls are written in the json format
	manner    *manner // how calls are written in another maker's format; nil for ours
	asked     string  // the format of the prompt, if manner is not nil
	inst      *Instance
	prose     string // the text before the calls
	pieces    []piece
}

// Text returns the whole text.
func (w *Writing) Text() string { return joined(w.pieces) }

// stop returns the stop sequence of an upstream if the prompt asks for the writing's format, and ""
// otherwise.
func (w *Writing) stop() string {
	switch {
	case w.manner != nil && w.asked != w.manner.format:
		return ""
	case w.manner != nil:
		return w.manner.stop
	case w.JSON:
		return toolResponse
	}
	return translate.CallsEnd
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

// write writes the instance in one of our forms, as models do.
func write(c chance, inst *Instance) *Writing {
	w := &writer{chance: c, Writing: &Writing{Attribute: c.oneIn(2), inst: inst}}
	w.line = pick(c, []string{"\n", "\n", "\n", "", "\n  ", "\r\n"})
	w.writeProse()
	w.add(rWrapOpen, "<function_calls>", w.line)
	for w.call = range inst.Calls {
		w.writeCall(&inst.Calls[w.call])
	}
	w.add(rWrapClose, "</function_calls>", "")
	return w.Writing
}

// writeProse writes the text before the calls.
func (w *writer) writeProse() {
	if w.prose = pick(w.chance, proses); w.prose != "" {
		w.add(rProse, w.prose, pick(w.chance, []string{"\n\n", "\n"}))
	}
}

// add adds a piece of the current call.
func (w *writer) add(r role, text, space string) {
	w.pieces = append(w.pieces, piece{role: r, text: text, space: space, call: w.call})
}

// addParam adds a piece of a parameter of the current call.
func (w *writer) addParam(r role, name, text, space string) {
	w.pieces = append(w.pieces, piece{r, text, space, w.call, name})
}

// writeCall writes one call.
func (w *writer) writeCall(call *Call) {
	if w.Attribute {
		w.add(rInvokeOpen, `<invoke name="`+call.Name+`">`, w.line)
	} else {
		w.add(rInvokeOpen, "<invoke>", w.line)
		w.add(rNameOpen, "<tool_name>", "")
		w.add(rName, call.Name, "")
		w.add(rNameClose, "</tool_name>", w.line)
		if len(call.Input.Members) > 0 || !w.oneIn(3) {
			w.add(rParamsOpen, "<parameters>", w.line)
		}
	}
	before := len(w.pieces)
	if len(call.Input.Members) > 0 && (w.oneIn(20) || !w.params(call)) {
		w.pieces = w.pieces[:before]
		l := layout{space: w.oneIn(2), indent: w.oneIn(2), slash: true}
		w.add(rJSON, string(call.Input.append(nil, l, 0)), w.line)
	}
	if !w.Attribute && (w.pieces[before-1].role == rParamsOpen) {
		w.add(rParamsClose, "</parameters>", w.line)
	}
	w.add(rInvokeClose, "</invoke>", w.line)
}

// params writes each parameter on its own. It returns false if the name or the value of a parameter could
// be read as something else. The caller then writes the call as JSON.
func (w *writer) params(call *Call) bool {
	root := call.tool.root
	for _, m := range call.Input.Members {
		if len(m.Name) > maxName {
			return false
		}
		declared := root.declares(m.Name)
		open, shut, closers, ok := w.tagsOf(root, m)
		own := !w.Attribute && isReserved(m.Name)
		between := w.line
		if !ok || own && !declared {
			return false // the parameter would look like a tag of the call
		}
		if !declared && between == "" && w.manner == nil {
			return false // an undeclared parameter needs a line of its own to be recognized
		}
		if items, ok := w.repeats(root.memberNode(m.Name), m.Value, open, shut); ok && !w.isWholeJSON(items) {
			if own && slices.ContainsFunc(items, func(item string) bool { return continuesCall(m.Name, item) }) {
				return false
			}
			for _, item := range items {
				w.addParam(rParamOpen, m.Name, open, "")
				w.addParam(rValue, m.Name, item, "")
				w.addParam(rParamClose, m.Name, shut, between)
			}
			continue
		}
		text, ok := textOf(w.chance, root.memberNode(m.Name), m.Value)
		if !ok || own && continuesCall(m.Name, text) || misleads(text, closers) || swallows(text, root, m.Name) || w.holdsOpener(text) || w.holdsCloser(m.Value, text, closers) ||
			w.manner != nil && w.manner.twice && strings.HasSuffix(strings.TrimSpace(text), shut) {
			return false
		}
		w.addParam(rParamOpen, m.Name, open, "")
		w.addParam(rValue, m.Name, w.quoted(root.memberNode(m.Name), text), "")
		w.addParam(rParamClose, m.Name, shut, between)
	}
	return true
}

// tagsOf returns the tags of a parameter, and the names of the tags that may end its value. It returns
// false if the tags cannot have this name.
func (w *writer) tagsOf(root *node, m Member) (open, shut string, closers []string, ok bool) {
	tag := tagOf(m.Name)
	open, shut, ok = "<"+tag+">", "</"+tag+">", true
	closers = []string{tag, "parameter", "parameters", "invoke"}
	switch {
	case w.manner != nil:
		open, shut, closers, ok = w.mannerTags(m)
	case w.Attribute:
		open, shut = "<parameter name="+attributeOf(m.Name, root.declares(m.Name))+">", "</parameter>"
	default:
		return open, shut, closers, ok
	}
	for _, p := range root.props {
		closers = append(closers, tagOf(p.name))
	}
	return open, shut, closers, ok
}

// holdsOpener reports whether text contains the start of a parameter with its name in the tag.
func (w *writer) holdsOpener(text string) bool {
	if w.manner != nil {
		return w.manner.holdsOpener(text)
	}
	return w.Attribute && strings.Contains(text, "<parameter")
}

// quoted writes a value on lines of its own. A string is sometimes a CDATA section instead.
func (w *writer) quoted(n *node, text string) string {
	if w.manner != nil && w.manner.bare {
		if w.manner.cdata && n.kind == kindString && n.nullable == "" && w.oneIn(3) {
			return cdataOf(text)
		}
		return text
	}
	if n.kind == kindString && n.nullable == "" && (w.manner == nil || w.manner.cdata) && w.oneIn(12) {
		return cdataOf(text)
	}
	return lines(w.chance, text)
}

// cdataOf writes text as a CDATA section.
func cdataOf(text string) string {
	return "<![CDATA[" + strings.ReplaceAll(text, "]]>", "]]]]><![CDATA[>") + "]]>"
}

// repeats writes an array as one parameter for each element.
func (w *writer) repeats(n *node, v Value, open, shut string) (items []string, ok bool) {
	if n.kind != kindArray || v.Kind != '[' || len(v.List) < 2 || !w.oneIn(4) {
		return nil, false
	}
	for _, e := range v.List {
		text, ok := textOf(w.chance, n.itemNode(), e)
		if !ok || strings.Contains(text, open) || strings.Contains(text, "</") || strings.Contains(text, "<![CDATA[") || w.holdsOpener(text) || strings.Contains(text, "<parameter") {
			return nil, false
		}
		items = append(items, w.quoted(&node{kind: kindAny}, text))
	}
	return items, true
}
