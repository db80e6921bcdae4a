package markup

import "strings"

// This file reads values that are written as nested elements instead of JSON.

// Element is one child of a value that is written as elements: <Tag>Text</Tag>.
type Element struct{ Tag, Text string }

// ReadElements splits text into elements. It returns false if text has anything but elements and
// white space.
func ReadElements(text string) (list []Element, ok bool) {
	for {
		text = strings.TrimLeft(text, " \t\r\n")
		if text == "" {
			return list, true
		}
		end := strings.IndexByte(text, '>')
		if text[0] != '<' || end < 2 || !isElementTag(strings.TrimSuffix(text[1:end], "/")) {
			return nil, false
		}
		tag := text[1:end]
		text = text[end+1:]
		if name, empty := strings.CutSuffix(tag, "/"); empty {
			list = append(list, Element{Tag: name})
			continue
		}
		n := closingTag(text, tag)
		if n < 0 {
			return nil, false
		}
		list = append(list, Element{tag, TrimNewlines(text[:n])})
		text = text[n+len("</>")+len(tag):]
	}
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
