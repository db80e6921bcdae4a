package markup

import "strings"

// This file reads values that are written as nested elements with a mark before each tag.

// Mark comes before each tag in a call of MiniMax M3. It is one token for the model, and no value
// contains it.
const Mark = "]<]minimax[>["

// ReadMarked does what [ReadElements] does, for elements with a mark before each tag. The text of
// an element is everything between its tags. An opening tag may be only the mark: the closing tag
// then has the name, and the text is everything before it.
func ReadMarked(text string) (list []Element, ok bool) {
	for text = strings.TrimLeft(text, " \t\r\n"); text != ""; text = strings.TrimLeft(text, " \t\r\n") {
		rest, marked := strings.CutPrefix(text, Mark)
		tag := ""
		if behind, opened := strings.CutPrefix(rest, "<"); opened {
			tag, rest, _ = strings.Cut(behind, ">")
			marked = marked && tag != "" && tag[0] != '/'
		}
		n := closingMark(rest)
		if !marked || n < 0 {
			return nil, false
		}
		name, behind, ended := strings.Cut(rest[n+len(Mark+"</"):], ">")
		if !ended || name != tag && (tag != "" || strings.Contains(rest[:n], Mark)) {
			return nil, false
		}
		list = append(list, Element{name, rest[:n]})
		text = behind
	}
	return list, true
}

// closingMark returns the index in text of an element's closing tag, or -1. text begins after the
// opening tag. Other elements may be nested in it.
func closingMark(text string) int {
	for at, depth := 0, 0; ; {
		n := strings.Index(text[at:], Mark)
		if n < 0 {
			return -1
		}
		begun := at + n
		at = begun + len(Mark)
		switch {
		case !strings.HasPrefix(text[at:], "</"):
			depth++
		case depth == 0:
			return begun
		default:
			depth--
		}
	}
}
