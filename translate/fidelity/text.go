package fidelity

import (
	"slices"
	"strings"
)

// How a careful model writes a value as text: strings as they are, other values as
// JSON or, where that can be read, as elements. A value that its schema would let
// a reader take for another one has no text.

// textOf returns a text of v under n, or false if there is none.
func textOf(c chance, n *node, v Value) (string, bool) {
	if v.Kind != '"' {
		return otherText(c, n, v)
	}
	if n.kind == kindString && n.nullable == "" {
		return v.Text, true
	}
	return v.Text, !looksLikeOther(n, v.Text)
}

// looksLikeOther tells whether a string could be taken for a value of another type
// or for another member of an enum.
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

// otherText writes a value that is no string.
func otherText(c chance, n *node, v Value) (string, bool) {
	if n.kind == kindEnum {
		for _, e := range n.enum {
			if e.Kind == '"' && e.Text == v.JSON() {
				return "", false
			}
		}
		return v.JSON(), true
	}
	if n.kind == kindBoolean && c.one(4) && v.Kind != 'n' {
		return map[bool]string{true: "True", false: "False"}[v.Kind == 't'], true
	}
	if (v.Kind == '[' || v.Kind == '{') && c.one(2) {
		if text, ok := elementsOf(c, n, v); ok {
			return text, true
		}
	}
	l := layout{space: c.one(2), indent: c.one(4), slash: c.one(2)}
	couldBeString := n.kind == kindUnion && n.has(kindAny, 0) && n.has(kindString, 0)
	return string(v.append(nil, l, 0)), !couldBeString && !hidesInEnum(n, v)
}

// has tells whether a node of kind k is among the alternatives.
func (n *node) has(k nodeKind, depth int) bool {
	return n.kind == k || depth < maxDepth && slices.ContainsFunc(n.alts, func(alt *node) bool { return alt.has(k, depth+1) })
}

// hidesInEnum tells whether a string of an enum among the alternatives spells the value.
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
		b.WriteString(between + "<" + tag + ">" + laidOut(c, text) + "</" + tag + ">")
	}
	if between != "" {
		b.WriteByte('\n')
	}
	return b.String(), true
}

// laidOut puts a newline after the opening and before the closing tag: where the
// text has one of its own there, and sometimes elsewhere.
func laidOut(c chance, text string) string {
	bare := strings.TrimLeft(text, "\r\n") == text
	switch {
	case bare && !c.one(4):
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

// declares tells whether the property is declared.
func (n *node) declares(name string) bool {
	for _, p := range n.props {
		if p.name == name {
			return true
		}
	}
	return false
}
