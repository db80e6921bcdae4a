package rawjson

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// This file reads JSON with slips in its strings, where [AppendLoose] fails.

// AppendSlipped appends the JSON of text with slips to dst: unescaped quotes in strings, strings in
// single quotes or back-ticks, backslashes that begin no escape, names without quotes, words and
// numbers of Python. It returns false if there is no reading, or more than one. guessed: a quote
// was read as part of a string. Such a reading is certain only if the members are the expected
// ones.
func AppendSlipped(dst []byte, text string) (out []byte, guessed, ok bool) {
	r := slipped{out: dst, text: text}
	ok = r.value()
	if r.next(); !ok || r.i < len(text) || !jsontext.Value(r.out[len(dst):]).IsValid() {
		return dst, false, false
	}
	return r.out, r.guessed, true
}

// slipped reads JSON with slips, and appends correct JSON to out.
type slipped struct {
	out     []byte
	text    string
	i       int
	depth   int // number of open brackets
	guessed bool
}

// next returns the next byte that is not white space; 0 at the end.
func (r *slipped) next() byte {
	r.i += blankLen(r.text[r.i:])
	if r.i == len(r.text) {
		return 0
	}
	return r.text[r.i]
}

// blankLen returns the length of the white space at the start of text.
func blankLen(text string) int { return len(text) - len(strings.TrimLeft(text, " \t\r\n")) }

// value reads one value.
func (r *slipped) value() bool {
	switch c := r.next(); c {
	case '{', '[':
		if r.depth == maxPythonDepth {
			return false
		}
		r.depth++
		ok := r.items(c)
		r.depth--
		return ok
	case '"', '\'':
		return r.string(false)
	case '`':
		return r.template()
	}
	n := strings.IndexAny(r.text[r.i:], ",}] \t\r\n")
	if n < 0 {
		n = len(r.text) - r.i
	}
	word := r.text[r.i : r.i+n]
	r.i += n
	switch word {
	case "true", "True", "false", "False":
		r.out = append(r.out, strings.ToLower(word)...)
		return true
	case "null", "None":
		r.out = append(r.out, "null"...)
		return true
	}
	p := python{out: r.out, text: word, code: true}
	ok := p.number() && p.i == len(word)
	r.out = p.out
	return ok
}

// items reads the items in brackets. The opening bracket is next.
func (r *slipped) items(open byte) bool {
	r.i++
	r.out = append(r.out, open)
	for {
		switch r.next() {
		case 0:
			return false
		case open + 2: // the closing bracket in ASCII
			r.i++
			r.out = append(bytes.TrimSuffix(r.out, []byte(",")), open+2)
			return true
		}
		if open == '{' && !r.key() || !r.value() {
			return false
		}
		r.out = append(r.out, ',')
		switch r.next() {
		case ',':
			r.i++
		case open + 2:
		default:
			return false
		}
	}
}

// key reads the name of a member and its colon.
func (r *slipped) key() bool {
	if c := r.next(); c == '"' || c == '\'' {
		if !r.string(true) {
			return false
		}
	} else {
		n := r.i
		for r.i < len(r.text) && isWordByte(r.text[r.i]) {
			r.i++
		}
		if r.out = AppendString(r.out, r.text[n:r.i]); r.i == n {
			return false
		}
	}
	if r.next() != ':' {
		if name := bytes.TrimSuffix(r.out, []byte(`="`)); len(name) < len(r.out) && r.text[r.i-1] == '"' { // "name="f"
			r.out = append(name, `":`...)
			r.i--
			return true
		}
		return false
	}
	r.i++
	r.out = append(r.out, ':')
	return true
}

// string reads a string, which may begin with three quotes. A quote ends the string if the text
// after it may follow a string. The name of a member ends with the first quote. Quotes inside the
// string come in pairs: if their number is odd, one of them may have been the end.
func (r *slipped) string(key bool) bool {
	quote := r.text[r.i : r.i+1]
	if three := strings.Repeat(quote, 3); strings.HasPrefix(r.text[r.i:], three) {
		if quote = three; mayFollow(r.text[r.i+len(three):]) {
			return false // or the string is one quote
		}
	}
	r.i += len(quote)
	inner, open, braces := 0, 0, 0
	for from, i := r.i, r.i; i < len(r.text); i++ {
		switch {
		case r.text[i] == '{':
			braces++
		case r.text[i] == '}':
			braces--
		case r.text[i] == '\\':
			i++
		case !strings.HasPrefix(r.text[i:], quote):
		case !key && mayBeCode(r.text[i+len(quote):]):
			return false
		case key || mayFollow(r.text[i+len(quote):]):
			r.i = i + len(quote)
			r.out = append(r.out, '"')
			ok := r.characters(r.text[from:i], quote[0] == '\'')
			r.out = append(r.out, '"')
			return ok && inner%2 == 0
		case braces <= 0 && mayBeOutside(r.text[from:i], r.text[i+len(quote):], quote):
			return false
		default:
			r.guessed = true
			if inner++; inner%2 == 0 && isPadded(r.text[open:i]) {
				return false
			}
			open = i + len(quote)
		}
	}
	return false
}

// isPadded reports whether text is blank, or begins or ends with a blank. Between two quotes, such
// text may be outside of strings: "a" "b", with a missing comma.
func isPadded(text string) bool {
	return strings.TrimSpace(text) != text || strings.Trim(text, ",;|") == ""
}

// template reads a string in back-ticks, as in JavaScript. It returns false if the string has an
// expression, another back-tick, or an escape that JSON does not have.
func (r *slipped) template() bool {
	text := r.text[r.i+1:]
	n := strings.IndexByte(text, '`')
	if n < 0 || !mayFollow(text[n+1:]) || strings.Contains(text[:n], "${") {
		return false
	}
	for i := 0; i < n; i++ {
		if text[i] != '\\' {
			continue
		}
		if i++; i == n || strings.IndexByte(`nrtbf"\`, text[i]) < 0 {
			return false
		}
	}
	r.i += 1 + n + 1
	r.out = append(r.out, '"')
	ok := r.characters(text[:n], false)
	r.out = append(r.out, '"')
	return ok
}

// mayBeOutside reports whether a quote between two parts of a string may belong to a member or to
// another string, because a comma or quote before it is missing: two quotes stand together, or a
// comma comes before, or a colon after.
func mayBeOutside(before, after, quote string) bool {
	return strings.HasPrefix(after, quote) && !mayFollow(after[len(quote):]) || strings.HasPrefix(after[blankLen(after):], ":") || strings.HasSuffix(strings.TrimRight(before, " \t\r\n"), ",")
}

// mayFollow reports whether text may come after a value.
func mayFollow(text string) bool {
	n := blankLen(text)
	return n == len(text) || strings.IndexByte(",}]", text[n]) >= 0
}

// characters writes the content of a string. A backslash that begins no escape stays a backslash.
// It returns false if an escape nearby is then ambiguous, such as \t in C:\Windows\temp or \b in
// \bfoo\d, and for escapes that only Python has. inPython: the string is a Python string.
func (r *slipped) characters(text string, inPython bool) bool {
	letters, classes := false, false
	for text != "" {
		n := strings.IndexByte(text, '\\')
		if n < 0 || n+1 == len(text) {
			n = len(text)
		}
		r.out = AppendEscaped(r.out, text[:n])
		if text = text[n:]; text == "" {
			break
		}
		switch c := text[1]; {
		case inPython && strings.IndexByte("/xUNav01234567", c) >= 0:
			return false
		case c == 'u' && isUnit(text):
			r.out = append(r.out, text[:unitLen]...)
			text = text[unitLen:]
			letters = true
			continue
		case c == '"' || c == '\\' || c == '/':
			r.out = append(r.out, '\\', c)
		case c == '\'': // Python, or JSON written like it
			r.out = append(r.out, c)
		case strings.IndexByte("nrtbf", c) >= 0:
			letters = true
			r.out = append(r.out, '\\', c)
		default:
			classes = true
			r.out = append(r.out, `\\`...)
			text = text[1:]
			continue
		}
		text = text[2:]
	}
	return !(letters && classes)
}

// unitLen is the length of an escape with four digits.
const unitLen = len(`\u00e9`)

// isUnit reports whether text, which begins with \u, begins with an escape of four digits.
func isUnit(text string) bool {
	if len(text) < unitLen {
		return false
	}
	_, ok := digitsOf(text[2:unitLen], 16)
	return ok
}

// mayBeCode reports whether text, after a quote, is an expression or a comment.
func mayBeCode(text string) bool {
	text = text[blankLen(text):]
	return strings.HasPrefix(text, "+") || strings.HasPrefix(text, "//") || strings.HasPrefix(text, "/*") || strings.HasPrefix(text, "#")
}
