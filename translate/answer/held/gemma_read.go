package held

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// This file reads Gemma literals as models write them, with slips: other quotes and brackets, = for a colon, a
// missing comma, or a string without its opening delimiter.

// gemmaReader reads a literal, and appends its JSON to out.
type gemmaReader struct {
	out     []byte
	text    []byte
	i       int
	escaped markup.Escapes // the escapes to undo in strings

	in       *schema.Schema // schema of the arguments of a call; nil for another literal
	of       *schema.Schema // schema of the object that is being read; nil if unknown
	signs    bool           // names may contain punctuation: see signedName
	commas   bool           // a comma is missing
	unopened bool           // a string lacks its opening delimiter
	unsure   bool           // a repair is uncertain: quotes or blanks may belong to a string, as in "x"<|"|>
}

// readGemma returns the JSON of a literal, and reports whether text is a literal.
func readGemma(text string, escaped markup.Escapes) (jsontext.Value, bool) {
	g := gemmaReader{text: []byte(text), escaped: escaped}
	return g.whole(g.value(0))
}

// readGemmaArguments is readGemma for the arguments of a call. They may be in round brackets, or in both kinds.
// reason is the slip that was repaired, or ReasonNone.
func readGemmaArguments(text string, in *schema.Schema, escaped markup.Escapes) (input jsontext.Value, reason messages.Reason, ok bool) {
	last := text[len(text)-1]
	if inner := strings.TrimSpace(text[1 : len(text)-1]); strings.HasPrefix(inner, "{") {
		text, last = inner, inner[len(inner)-1]
	}
	if last == ']' {
		return nil, messages.ReasonNone, false
	}
	g := gemmaReader{text: []byte(text), escaped: escaped, in: in}
	input, ok = g.whole(g.items("{}", last, 0, g.member))
	if !ok {
		g = gemmaReader{text: []byte(text), escaped: escaped, in: in, of: in, signs: true}
		input, ok = g.whole(g.items("{}", last, 0, g.member))
		return input, messages.ReasonNone, ok && !g.commas && !g.unopened && !g.unsure
	}
	switch {
	case g.commas && g.unopened, g.unsure: // other delimiters may be missing instead
		return nil, messages.ReasonNone, false
	case g.commas:
		reason = messages.ReasonMissingComma
	case g.unopened:
		reason = messages.ReasonUnquotedValue
	}
	return input, reason, ok
}

// whole returns the JSON. It reports false if the text is not a literal, or has more text after it.
func (g *gemmaReader) whole(ok bool) (jsontext.Value, bool) {
	g.skipBlanks()
	v := jsontext.Value(g.out)
	return v, ok && g.i == len(g.text) && v.IsValid()
}

// maxGemmaDepth limits the nesting of brackets, as for JSON.
const maxGemmaDepth = 10_000

func (g *gemmaReader) skipBlanks() { g.i = markup.SkipBlanks(g.text, g.i, len(g.text)) }

// next returns the next byte that is not white space; 0 at the end.
func (g *gemmaReader) next() byte {
	if g.skipBlanks(); g.i < len(g.text) {
		return g.text[g.i]
	}
	return 0
}

// value reads one value inside depth brackets.
func (g *gemmaReader) value(depth int) bool {
	if depth > maxGemmaDepth {
		return false
	}
	switch g.next() {
	case '{':
		return g.items("{}", '}', depth, g.member)
	case '[':
		of := g.of
		g.of = nil
		ok := g.items("[]", ']', depth, g.value)
		g.of = of
		return ok
	}
	if text, ok := g.string(false); ok {
		g.out = append(g.out, text...)
		return true
	}
	rest := g.text[g.i:]
	n := bytes.IndexAny(rest, ",}])< \t\r\n")
	if n < 0 {
		n = len(rest)
	}
	if word := gemmaWord(string(rest[:n])); word != "" && GemmaDelimiter(rest[n:]) == "" {
		g.out, g.i = append(g.out, word...), g.i+n
		return true
	}
	return g.unopenedString()
}

// gemmaWord returns the JSON of a number, a boolean or null; "" for any other word.
func gemmaWord(word string) string {
	switch lower := strings.ToLower(word); {
	case lower == "none":
		return "null"
	case lower == "true", lower == "false", lower == "null":
		return lower
	case rawjson.IsNumber(word):
		return word
	}
	return ""
}

// GemmaDelimiter returns the delimiter at the start of text, or "".
func GemmaDelimiter(text []byte) string {
	for _, quote := range [...]string{format.GemmaQuote, format.GemmaEscape} {
		if markup.HasPrefix(text, quote) {
			return quote
		}
	}
	return ""
}

// unopenedString reads a string without its opening delimiter. It fails if another value may end inside the string.
func (g *gemmaReader) unopenedString() bool {
	rest := g.text[g.i:]
	n := 0
	for n < len(rest) && GemmaDelimiter(rest[n:]) == "" {
		next := bytes.IndexByte(rest[n+1:], '<')
		if next < 0 {
			return false
		}
		n += 1 + next
	}
	text := bytes.TrimSpace(rest[:n])
	if len(text) == 0 || bytes.IndexByte([]byte("([{,:="), text[len(text)-1]) >= 0 || mayHoldMember(text) || holdsPart(text) { // the delimiter may open another string
		return false
	}
	g.unopened, g.unsure = true, g.unsure || g.i > 0 && markup.IsBlank(g.text[g.i-1])
	g.out = rawjson.AppendString(g.out, markup.Unescape(string(rest[:n]), g.escaped, ""))
	g.i += n + len(GemmaDelimiter(rest[n:]))
	return bytes.IndexByte([]byte(",}])"), g.next()) >= 0
}

// holdsPart reports whether text contains a part of a Gemma delimiter, maybe the rest of a broken one.
func holdsPart(text []byte) bool {
	return bytes.Contains(text, []byte("<|")) || bytes.Contains(text, []byte("|>"))
}

// mayHoldMember reports whether text has a comma before a possible member name.
func mayHoldMember(text []byte) bool {
	for {
		i := bytes.IndexByte(text, ',')
		if i < 0 {
			return false
		}
		text = text[markup.SkipBlanks(text, i+1, len(text)):]
		if n := skipName(text, 0); n < len(text) && (text[n] == ':' || text[n] == '=') {
			return true
		}
	}
}

// items reads the items between brackets. The opening bracket is next, and shut is the closing bracket. brackets
// are the brackets of the JSON.
func (g *gemmaReader) items(brackets string, shut byte, depth int, item func(int) bool) bool {
	g.out = append(g.out, brackets[0])
	g.i++
	for n := 0; g.next() != shut; n++ {
		if n > 0 {
			g.out = append(g.out, ',')
		}
		from := g.i
		if !item(depth + 1) {
			return false
		}
		switch c := g.next(); {
		case c == ',':
			g.i++
		case c != shut && !g.lacksComma(g.text[from:g.i], depth, brackets == "{}"):
			return false
		}
	}
	g.i++
	g.out = append(g.out, brackets[1])
	return true
}

// lacksComma reports whether a comma is missing between the last item and the next. In an object, a member may
// follow. In a list, another item may follow after the end of a string or of brackets. Among the arguments of a
// call, the tool must declare the next member, and the item before must contain no parameter, because its string
// may not be closed.
func (g *gemmaReader) lacksComma(item []byte, depth int, isObject bool) bool {
	g.commas = true
	rest := g.text[g.i:]
	switch {
	case len(rest) == 0:
		return false
	case !isObject:
		return bytes.IndexByte([]byte(`"]}`), g.out[len(g.out)-1]) >= 0 && (bytes.IndexByte([]byte("\"'[{"), rest[0]) >= 0 || GemmaDelimiter(rest) != "")
	case depth == 0 && g.in != nil:
		from := g.i
		name, ok := g.name(depth + 1)
		g.i = from
		if !ok {
			return false
		}
		tag := rawjson.Unquote(name)
		property, _, declared := g.in.PropertyByTag(tag)
		return declared && property == tag && erasedEnd(g.in, string(item), ':') == len(item)
	}
	return true
}

// member reads a member of an object.
func (g *gemmaReader) member(depth int) bool {
	name, ok := g.name(depth)
	if !ok {
		return false
	}
	g.out = append(append(g.out, name...), ':')
	unopened, of := g.unopened, g.of
	if of != nil {
		_, g.of, _ = of.PropertyByTag(markup.ParamTag(rawjson.Unquote(name)))
	}
	ok = g.value(depth)
	g.of = of
	if g.unopened != unopened && depth == 1 && g.in != nil && !g.in.Declares([]byte(rawjson.Unquote(name))) {
		g.unsure = true // the member may belong to the string before
	}
	return ok
}

// string reads a string with any quotes, and returns it as JSON. If no string is next, it returns false and reads
// nothing. isName: the string may be the name of a member.
func (g *gemmaReader) string(isName bool) (jsontext.Value, bool) {
	rest := g.text[g.i:]
	l := LiteralScan{Syntax: format.GemmaLiteral, atName: isName}
	var v markup.Verdict
	if l.Quote, v = l.matchQuote(rest, true); v != markup.Match {
		return nil, false
	}
	n, v := l.skipString(rest[len(l.Quote):], true)
	if v != markup.Match {
		return nil, false
	}
	n += len(l.Quote)
	g.i += n
	text := string(rest[len(l.Quote):n])
	switch l.Quote {
	case `"`:
		g.unsure = g.unsure || strings.HasSuffix(text, `"`+format.GemmaQuote) && !strings.Contains(text, `\`)
		text = markup.Unescape(l.withoutEnd(text), g.escaped, "")
		if quoted, ok := rawjson.AppendLoose(nil, `"`+text+`"`); ok {
			return quoted, true
		}
	case "'":
		text = l.withoutEnd(text)
	default:
		text = markup.Unescape(l.withoutEnd(text), g.escaped, "")
	}
	return rawjson.AppendString(nil, text), true
}
