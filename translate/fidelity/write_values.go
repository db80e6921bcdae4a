package fidelity

import (
	"slices"
	"strings"
)

// This file writes values as a careful model does: strings unchanged, other values as JSON or, if a reader
// can understand them, as elements. A value has no text if a reader who knows the schema could take it for
// another value.

// textOf returns a text for v under the schema n, and false if v has none.
func textOf(c chance, n *node, v Value) (string, bool) {
	if v.Kind != '"' {
		return otherText(c, n, v)
	}
	if n.kind == kindString && n.nullable == "" {
		return v.Text, true
	}
	return v.Text, !looksLikeOther(n, v.Text)
}

// looksLikeOther reports whether a string could look like a value of another type, or like another member
// of an enum.
func looksLikeOther(n *node, text string) bool {
	trimmed := strings.Trim(text, " \t\r\n")
	if n.kind == kindString {
		return trimmed == "null"
	}
	if trimmed == "" && text != "" || trimmed != text && n.kind != kindEnum {
		return true
	}
	for _, e := range n.enum {
		if e.Kind != '"' && e.JSON() == text {
			return true
		}
	}
	if n.kind == kindEnum {
		return trimmed == "null" && n.nullable != ""
	}
	lower := strings.ToLower(trimmed)
	return trimmed != "" && strings.ContainsAny(trimmed[:1], `"-0123456789{[<&`) || lower == "true" || lower == "false" || lower == "null"
}

// otherText does what textOf does, for a value that is not a string.
func otherText(c chance, n *node, v Value) (string, bool) {
	if n.kind == kindEnum {
		for _, e := range n.enum {
			if e.Kind == '"' && e.Text == v.JSON() {
				return "", false
			}
		}
		return v.JSON(), true
	}
	if n.kind == kindBoolean && c.oneIn(4) && v.Kind != 'n' {
		return map[bool]string{true: "True", false: "False"}[v.Kind == 't'], true
	}
	if (v.Kind == '[' || v.Kind == '{') && c.oneIn(2) {
		if text, ok := elementsOf(c, n, v); ok {
			return text, true
		}
	}
	l := layout{space: c.oneIn(2), indent: c.oneIn(4), slash: c.oneIn(2)}
	couldBeString := n.kind == kindUnion && n.hasKind(kindAny, 0) && n.hasKind(kindString, 0)
	return string(v.append(nil, l, 0)), !couldBeString && !hidesInEnum(n, v)
}

// hasKind reports whether n or one of its alternatives is of kind k.
func (n *node) hasKind(k nodeKind, depth int) bool {
	return n.kind == k || depth < maxDepth && slices.ContainsFunc(n.alts, func(alt *node) bool { return alt.hasKind(k, depth+1) })
}

// hidesInEnum reports whether an enum among the alternatives contains a string that spells v.
func hidesInEnum(n *node, v Value) bool {
	for _, alt := range n.alts {
		for _, e := range alt.enum {
			if e.Kind == '"' && e.Text == v.JSON() {
				return true
			}
		}
		if hidesInEnum(alt, v) {
			return true
		}
	}
	return false
}

// elementsOf writes an array or an object as elements.
func elementsOf(c chance, n *node, v Value) (string, bool) {
	if n.kind == kindArray && v.Kind == '[' && len(v.List) > 0 {
		tag := pick(c, []string{"item", "element", "value"})
		return elementList(c, len(v.List), func(i int) (string, *node, Value) { return tag, n.itemNode(), v.List[i] })
	}
	if n.kind == kindObject && v.Kind == '{' && len(v.Members) > 0 {
		return elementList(c, len(v.Members), func(i int) (string, *node, Value) {
			m := v.Members[i]
			return m.Name, n.memberNode(m.Name), m.Value
		})
	}
	return "", false
}

// elementList writes n elements; at returns the tag, schema and value of the ith.
func elementList(c chance, n int, at func(int) (string, *node, Value)) (string, bool) {
	between := pick(c, []string{"\n", "", "\n  "})
	var b strings.Builder
	for i := range n {
		tag, node, v := at(i)
		if !isElementName(tag) {
			return "", false
		}
		text, ok := textOf(c, node, v)
		if !ok || strings.Contains(text, "<"+tag+">") || strings.Contains(text, "</"+tag+">") {
			return "", false
		}
		b.WriteString(between + "<" + tag + ">" + lines(c, text) + "</" + tag + ">")
	}
	if between != "" {
		b.WriteByte('\n')
	}
	return b.String(), true
}

// lines puts text on lines of its own. If the text begins with a newline, lines always does so, because the
// newline would otherwise be lost. For other text, it does so at random.
func lines(c chance, text string) string {
	bare := strings.TrimLeft(text, "\r\n") == text
	switch {
	case bare && !c.oneIn(4):
		return text
	case strings.HasSuffix(text, "\r"):
		return "\r\n" + text + "\r\n"
	}
	return "\n" + text + "\n"
}

// itemNode returns the schema of an array's elements.
func (n *node) itemNode() *node {
	if n.items == nil {
		return &node{kind: kindAny}
	}
	return n.items
}

// memberNode returns the schema of a member of an object.
func (n *node) memberNode(name string) *node {
	for _, p := range n.props {
		if p.name == name {
			return p.node
		}
	}
	return n.more
}

// declares reports whether a property is declared.
func (n *node) declares(name string) bool {
	for _, p := range n.props {
		if p.name == name {
			return true
		}
	}
	return false
}
