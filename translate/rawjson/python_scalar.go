package rawjson

import (
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// This file reads the numbers and strings of Python.

// number reads a number. It may have a sign, no digits before or after its point, and in code _
// between digits.
func (p *python) number() bool {
	if !p.take("+") && p.take("-") {
		p.out = append(p.out, '-')
	}
	from := p.i
	for p.i < len(p.text) && (isWordByte(p.text[p.i]) || p.text[p.i] == '.' || (p.text[p.i] == '-' || p.text[p.i] == '+') && p.i > from && p.text[p.i-1]|0x20 == 'e') {
		p.i++
	}
	text := p.text[from:p.i]
	if strings.Contains(text, "_") {
		if !p.code || strings.Contains(text, "__") || strings.HasPrefix(text, "_") || strings.HasSuffix(text, "_") {
			return false
		}
		text = strings.ReplaceAll(text, "_", "")
	}
	if strings.HasPrefix(text, ".") {
		text = "0" + text
	}
	if whole, rest, ok := strings.Cut(text, "."); ok && (rest == "" || rest[0]|0x20 == 'e') {
		text = whole + ".0" + rest
	}
	p.out = append(p.out, text...)
	return IsNumber(text) && text[0] != '-'
}

// string reads a string. After an r, backslashes begin no escape.
func (p *python) string() bool {
	raw := p.take("r") || p.take("R")
	quote := ""
	for _, q := range [...]string{`"""`, "'''", `"`, "'"} {
		if p.take(q) {
			quote = q
			break
		}
	}
	if quote == "" {
		return false
	}
	p.out = append(p.out, '"')
	for p.i < len(p.text) {
		n := strings.IndexAny(p.text[p.i:], quote[:1]+`\`)
		if n < 0 {
			return false
		}
		p.out = AppendEscaped(p.out, p.text[p.i:p.i+n])
		p.i += n
		switch {
		case p.take(quote):
			p.out = append(p.out, '"')
			return true
		case p.text[p.i] != '\\':
			p.out = AppendEscaped(p.out, quote[:1])
			p.i++
		case raw && p.i+1 < len(p.text):
			p.out = append(p.out, `\\`...)
			p.i++
			if c := p.text[p.i]; c == quote[0] || c == '\\' { // neither ends the string nor begins an escape
				p.out = AppendEscaped(p.out, p.text[p.i:p.i+1])
				p.i++
			}
		case raw || !p.escape():
			return false
		}
	}
	return false
}

// adjacent reads the strings after a string that Python joins with it: 'make ' 'test'. They must
// have white space between them; otherwise the quotes may be part of the string, as in SQL. In a
// list they are not joined, because a comma is missing.
func (p *python) adjacent() bool {
	for p.code {
		n := len(p.out)
		begin := p.i
		if p.skipBlanks(); p.i == begin || p.i == len(p.text) || strings.IndexByte(`"'rR`, p.text[p.i]) < 0 || p.out[n-1] != '"' {
			p.i = begin
			return true
		}
		if !p.string() {
			return false
		}
		p.out = append(p.out[:n-1], p.out[n+1:]...)
	}
	return true
}

// escape reads an escape in a string. An escape that Python does not know stays unchanged.
func (p *python) escape() bool {
	rest := p.text[p.i+1:]
	if rest == "" {
		return false
	}
	digits, base := 0, rune(16)
	switch c := rest[0]; c {
	case '\n':
		p.i += 2
		return true
	case 'x':
		digits = 2
	case 'U':
		digits = 8
	case 'u':
		for _, n := range [...]int{unitLen, 2 * unitLen} {
			if n > len(p.text)-p.i {
				break
			}
			if r, err := jsontext.AppendUnquote(nil, `"`+p.text[p.i:p.i+n]+`"`); err == nil {
				p.i += n
				p.out = AppendEscaped(p.out, r)
				return true
			}
		}
		return false
	case '0', '1', '2', '3', '4', '5', '6', '7':
		digits, base, rest = 1, 8, "x"+rest
		for digits < 3 && digits+1 < len(rest) && rest[digits+1] >= '0' && rest[digits+1] <= '7' {
			digits++
		}
		p.i--
	case 'N':
		return false
	default:
		p.i += 2
		if plain := pythonEscapes[c]; plain != 0 {
			p.out = AppendEscaped(p.out, string(rune(plain)))
			return true
		}
		p.i-- // read the character, which may have several bytes, as it is
		p.out = append(p.out, `\\`...)
		return true
	}
	if len(rest) <= digits {
		return false
	}
	r, ok := digitsOf(rest[1:1+digits], base)
	p.i += 2 + digits
	p.out = AppendEscaped(p.out, string(r))
	return ok && utf8.ValidRune(r)
}

// digitsOf returns the number that digits spell in a base. It returns false if one is not a digit.
func digitsOf(digits string, base rune) (n rune, ok bool) {
	for _, c := range []byte(digits) {
		d := base
		switch letter := c | 0x20; {
		case c >= '0' && c <= '9':
			d = rune(c - '0')
		case letter >= 'a' && letter <= 'f':
			d = rune(letter-'a') + 10
		}
		if d >= base || n > utf8.MaxRune {
			return 0, false
		}
		n = n*base + d
	}
	return n, true
}

// pythonEscapes maps the second byte of an escape to its character.
var pythonEscapes = [256]byte{'"': '"', '\'': '\'', '\\': '\\', 'a': '\a', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t', 'v': '\v'}
