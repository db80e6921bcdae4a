package markup

import "strings"

// This file reads values that are written as nested elements with a mark before each tag.

// Mark stands before each tag of a call of MiniMax M3. It is one token to the model, which no value holds.
const Mark = "]<]minimax[>["

// ReadMarked is [ReadElements] for elements with a mark before each tag, whose text is all between the two.
func ReadMarked(text string) (list []Element, ok bool) {
	for text = strings.TrimLeft(text, " \t\r\n"); text != ""; text = strings.TrimLeft(text, " \t\r\n") {
		rest, ok := strings.CutPrefix(text, Mark+"<")
		tag, rest, ended := strings.Cut(rest, ">")
		if !ok || !ended || tag == "" || tag[0] == '/' {
			return nil, false
		}
		n := closingMark(rest)
		if n < 0 {
			return nil, false
		}
		list = append(list, Element{tag, rest[:n]})
		if text, ok = strings.CutPrefix(rest[n:], Mark+"</"+tag+">"); !ok {
			return nil, false
		}
	}
	return list, true
}

// closingMark returns the index in text of the closing tag of an element whose opening tag stands just
// before text, or -1. Others may be nested in it.
func closingMark(text string) int {
	for at, depth := 0, 0; ; {
		n := strings.Index(text[at:], Mark+"<")
		if n < 0 {
			return -1
		}
		begun := at + n
		at = begun + len(Mark) + 1
		switch {
		case !strings.HasPrefix(text[at:], "/"):
			depth++
		case depth == 0:
			return begun
		default:
			depth--
		}
	}
}
