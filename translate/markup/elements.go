package markup

import (
	"slices"
	"strings"
)

// This file reads values that are written as nested elements instead of JSON.

// Element is one child of a value that is written as elements: <Tag>Text</Tag>.
type Element struct{ Tag, Text string }

// ReadElements splits text into elements. It returns false if text has anything but elements and
// white space. The name of an element may be an attribute: <property name="city">.
func ReadElements(text string) (list []Element, ok bool) {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if text == "" {
			return list, true
		}
		end := strings.IndexByte(text, '>')
		if text[0] != '<' || end < 2 {
			return nil, false
		}
		tag, empty := strings.CutSuffix(text[1:end], "/")
		tag, name := elementName(tag)
		if !isElementTag(tag) || !isElementTag(name) {
			return nil, false
		}
		text = text[end+1:]
		if empty {
			list = append(list, Element{Tag: name})
			continue
		}
		n := closingTag(text, tag)
		if n < 0 {
			return nil, false
		}
		list = append(list, Element{name, TrimNewlines(text[:n])})
		text = text[n+len("</>")+len(tag):]
	}
}

// typedTags are the tags of elements that may have the name of a member as an attribute.
var typedTags = []string{"property", "string", "integer", "number", "boolean", "array", "object"}

const nameAttribute = ` name="`

// elementName splits the text of an opening tag into the tag and the name of the element. They differ if the name is
// an attribute.
func elementName(text string) (tag, name string) {
	tag, quoted, ok := strings.Cut(text, nameAttribute)
	name, ok2 := strings.CutSuffix(quoted, `"`)
	if !ok || !ok2 || !slices.Contains(typedTags, tag) {
		return text, text
	}
	return tag, name
}

// isElementTag reports whether an element can have the tag.
func isElementTag(tag string) bool {
	for i := range len(tag) {
		if !IsNameByte(tag[i]) && tag[i] != '%' {
			return false
		}
	}
	return tag != ""
}

// closingTag returns the index in text of an element's closing tag, or -1. text begins after the
// opening tag. Elements with the same tag may be nested in it.
func closingTag(text, tag string) int {
	open, shut := "<"+tag+">", "</"+tag+">"
	depth, at := 1, 0
	for {
		n := strings.Index(text[at:], shut)
		if n < 0 {
			return -1
		}
		depth += strings.Count(text[at:at+n], open) - 1
		if slices.Contains(typedTags, tag) {
			depth += strings.Count(text[at:at+n], "<"+tag+nameAttribute)
		}
		if depth == 0 {
			return at + n
		}
		at += n + len(shut)
	}
}

// TrimNewlines removes the newline after an opening tag, and then the newline before the closing
// tag. If there is no first newline, the last one belongs to the value.
func TrimNewlines(text string) string {
	if inner := trimFirstNewline(text); len(inner) < len(text) {
		return TrimLastNewline(inner)
	}
	return text
}

// trimFirstNewline removes one newline, \n or \r\n, from the start of text.
func trimFirstNewline(text string) string {
	if rest, ok := strings.CutPrefix(text, "\r\n"); ok {
		return rest
	}
	return strings.TrimPrefix(text, "\n")
}

// TrimLastNewline removes one newline, \n or \r\n, from the end of text.
func TrimLastNewline(text string) string {
	if rest, ok := strings.CutSuffix(text, "\r\n"); ok {
		return rest
	}
	return strings.TrimSuffix(text, "\n")
}
