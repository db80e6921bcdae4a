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
	if n.isPlainString() {
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
		return v.JSON(), !n.spells(v)
	}
	if n.kind == kindBoolean && c.oneIn(4) && v.Kind != 'n' {
		return map[bool]string{true: "True", false: "False"}[v.Kind == 't'], true
	}
	if (v.Kind == '[' || v.Kind == '{') && c.oneIn(2) {
		if text, ok := elementsOf(c, n, v); ok {
			return text, true
		}
	}
	kind := func(k nodeKind) bool { return n.any(func(alt *node) bool { return alt.kind == k }, 0) }
	couldBeString := n.kind == kindUnion && (kind(kindAny) && kind(kindString) || n.any(func(alt *node) bool { return alt.spells(v) }, 0))
	return v.in(c.anyLayout()), !couldBeString
}

// spells reports whether a string of the enum has the text of v.
func (n *node) spells(v Value) bool {
	return slices.ContainsFunc(n.enum, func(e Value) bool { return e.Kind == '"' && e.Text == v.JSON() })
}

// isPlainString reports whether the schema allows only strings.
func (n *node) isPlainString() bool { return n.kind == kindString && n.nullable == "" }

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
		if !ok || strings.Contains(text, "<"+tag+">") || strings.Contains(text, "</"+tag+">") || strings.Contains(text, "<![CDATA[") {
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

// isElementName reports whether a nested element can have the name.
func isElementName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return r != '_' && r != '-' && r != '.' && (r < '0' || r > '9') && (r < 'a' || r > 'z') && (r < 'A' || r > 'Z')
	})
}
