package fidelity

import (
	"fmt"
	"slices"
	"strings"
)

// This file writes calls in the legacy format as a careful model does after it has read the prompt. It shares
// no code with the packages under test. Where other writers use a declaration, this one checks it.

// writeLegacyCall writes a call in the legacy format.
func (w *writer) writeLegacyCall(call *ToolCall) {
	w.add(rInvokeOpen, "<invoke>", w.line)
	w.add(rNameOpen, "<tool_name>", "")
	w.add(rName, call.Name, "")
	w.add(rNameClose, "</tool_name>", w.line)
	inside := len(call.Input.Members) > 0 || !w.oneIn(3)
	if inside {
		w.add(rParamsOpen, "<parameters>", w.line)
	}
	w.writeInput(call)
	if inside {
		w.add(rParamsClose, "</parameters>", w.line)
	}
	w.add(rInvokeClose, "</invoke>", w.line)
}

// reserved are the names of our tags, and of tags that the parser reads as ours.
var reserved = []string{"parameters", "parameter", "invoke", "function_calls", "function_results", "tool_name", "function_call", "tool_calls", "tool_call", "use_tool"}

// tagOf returns the tag of a property: its name, with %XX for each byte that a tag cannot contain. A name
// that spells one of our tags after a namespace is changed, too. tagOf does not use markup.ParamTag, which
// is under test.
func tagOf(name string) string {
	if name == "" {
		return "%"
	}
	colon := strings.LastIndexByte(name, ':')
	own := colon >= 0 && isReserved(name[colon+1:])
	odd := strings.ContainsFunc(name, breaksTag)
	var b strings.Builder
	for i, r := range name {
		if breaksTag(r) || r == ':' && (own || odd) || own && i == 0 {
			for _, c := range []byte(string(r)) {
				fmt.Fprintf(&b, "%%%02X", c)
			}
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// isReserved reports whether one of our tags has this name.
func isReserved(name string) bool {
	return slices.ContainsFunc(reserved, func(r string) bool { return strings.EqualFold(name, r) })
}

// continuesCall reports whether a parameter named like one of our tags would look like that tag, given how
// its value begins, or whether its value seems to close the call.
func continuesCall(name, text string) bool {
	text = strings.TrimLeft(text, " \t\r\n")
	return strings.HasPrefix(text, "<") || strings.Contains(text, "</") || strings.EqualFold(name, "parameters") && (text == "" || text[0] == '{')
}

// breaksTag reports whether r cannot stand in a tag.
func breaksTag(r rune) bool {
	return r <= ' ' || r == 0x7f || r == 0x85 || r == 0x2028 || r == 0x2029 || r < 0x80 && strings.ContainsRune(`<>/"'=&%!?[]`, r)
}

// maxName is the length of the longest name that is written as a tag, in bytes.
const maxName = 200

// attributeOf returns the quoted name for an attribute. If the property is undeclared or its name cannot be
// quoted, it returns the property's tag in quotes.
func attributeOf(name string, declared bool) string {
	switch {
	case !declared || name == "" || strings.ContainsAny(name, "%\n\r"):
		return `"` + tagOf(name) + `"`
	case !strings.Contains(name, `"`):
		return `"` + name + `"`
	case !strings.Contains(name, "'"):
		return "'" + name + "'"
	}
	return `"` + tagOf(name) + `"`
}

// misleads reports whether text contains a closing tag with something after it that could follow a value.
// No reader can then tell where the value ends. closers are the tags that may end the value.
func misleads(text string, closers []string) bool {
	if strings.HasPrefix(strings.TrimLeft(text, " \t\r\n"), "<![CDATA[") {
		return true // it would look like a CDATA section
	}
	for rest := text; ; {
		i := strings.Index(rest, "</")
		if i < 0 {
			return false
		}
		rest = rest[i+2:]
		for _, name := range closers {
			after, ok := strings.CutPrefix(rest, name)
			if !ok {
				continue
			}
			after = strings.TrimLeft(after, " \t\r\n")
			if after, ok = strings.CutPrefix(after, ">"); ok && strings.HasPrefix(strings.TrimLeft(after, " \t\r\n"), "<") {
				return true
			}
		}
	}
}

// swallows reports whether text, the value of the property own, could look like several values with wrong
// closing tags between them. In such text, tags of other properties come in an order that complete elements
// never have: a closing tag without an opening tag, and then an opening tag.
func swallows(text string, root *node, own string) bool {
	depth, stray := map[string]int{}, false
	for _, part := range strings.Split(text, "<")[1:] {
		tag, _, ended := strings.Cut(part, ">")
		name, closing := strings.CutPrefix(tag, "/")
		switch {
		case !ended || name == tagOf(own) || root.more == nil && !slices.ContainsFunc(root.props, func(p prop) bool { return name == tagOf(p.name) || name == p.name }):
		case !closing && stray:
			return true
		case !closing:
			depth[name]++
		case depth[name] == 0:
			stray = true
		default:
			depth[name]--
		}
	}
	return false
}
