package markup

import "strings"

// This file reads values that are written as nested elements with a mark before each tag.

// Mark stands before each tag of a call of MiniMax M3. It is one token to the model, which no value holds.
const Mark = "]<]minimax[>["

// ReadMarked is [ReadElements] for elements with a mark before each tag, whose text is all between the two. Of
// an opening tag the mark alone may be there: the closing tag has the name, and text is all before it.
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

// closingMark returns the index in text of the closing tag of an element whose opening tag stands just
// before text, or -1. Others may be nested in it.
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
