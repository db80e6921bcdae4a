package translate

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// Calls of Gemma: call:book{note:<|"|>a<|"|>,count:3,tags:[<|"|>b<|"|>]}. Names of members stand without
// quotes at every depth, and nothing is escaped in strings.

// gemmaCall stands before the name of the tool.
const gemmaCall = "call:"

// matchGemmaHead matches it and the name, up to the bracket before the arguments. more is the verdict if it
// may go on.
func matchGemmaHead(head []byte, more markup.Verdict) (name string, n int, v markup.Verdict) {
	switch {
	case markup.IsPrefixOf(head, gemmaCall):
		return "", 0, more
	case !markup.HasPrefix(head, gemmaCall):
		return "", 0, markup.NoMatch
	}
	from := markup.SkipBlanks(head, len(gemmaCall), len(head))
	n = from
	for n < len(head) && markup.IsNameByte(head[n]) {
		n++
	}
	name = string(head[from:n])
	n = markup.SkipBlanks(head, n, len(head))
	switch {
	case n == len(head):
		return "", 0, more
	case head[n] != '{' || name == "":
		return "", 0, markup.NoMatch
	}
	return name, n, markup.Match
}

// gemmaReader reads a literal, and appends its JSON to out.
type gemmaReader struct {
	out     []byte
	text    []byte
	i       int
	escaped markup.TagSet // names whose escapes are taken off in strings
}

// readGemma returns the JSON of a literal, and reports whether text is one.
func readGemma(text string, escaped markup.TagSet) (jsontext.Value, bool) {
	g := gemmaReader{text: []byte(text), escaped: escaped}
	ok := g.value(0)
	g.skipBlanks()
	v := jsontext.Value(g.out)
	return v, ok && g.i == len(g.text) && v.IsValid()
}

// maxGemmaDepth bounds how deep brackets may lie in each other: it is as for JSON.
const maxGemmaDepth = 10_000

func (g *gemmaReader) skipBlanks() { g.i = markup.SkipBlanks(g.text, g.i, len(g.text)) }

// next returns the next byte but white space, 0 at the end.
func (g *gemmaReader) next() byte {
	if g.skipBlanks(); g.i < len(g.text) {
		return g.text[g.i]
	}
	return 0
}

// value reads one value, within depth brackets.
func (g *gemmaReader) value(depth int) bool {
	if depth > maxGemmaDepth {
		return false
	}
	switch g.next() {
	case '{':
		return g.items('{', '}', depth, g.member)
	case '[':
		return g.items('[', ']', depth, g.value)
	}
	if text, ok := g.string(); ok {
		g.out = append(g.out, text...)
		return true
	}
	n := bytes.IndexAny(g.text[g.i:], ",}]<")
	if n < 0 {
		n = len(g.text) - g.i
	}
	word := string(bytes.TrimSpace(g.text[g.i : g.i+n]))
	g.i += n
	switch strings.ToLower(word) {
	case "true", "false", "null":
		g.out = append(g.out, strings.ToLower(word)...)
		return true
	case "none":
		g.out = append(g.out, "null"...)
		return true
	}
	g.out = append(g.out, word...)
	return rawjson.IsNumber(word)
}

// items reads what stands between brackets, of which the first is next, and that between commas.
func (g *gemmaReader) items(open, shut byte, depth int, item func(int) bool) bool {
	g.out = append(g.out, open)
	g.i++
	for n := 0; g.next() != shut; n++ {
		if n > 0 {
			g.out = append(g.out, ',')
		}
		if !item(depth + 1) {
			return false
		}
		if c := g.next(); c == ',' {
			g.i++
		} else if c != shut {
			return false
		}
	}
	g.i++
	g.out = append(g.out, shut)
	return true
}

// member reads a member of an object.
func (g *gemmaReader) member(depth int) bool {
	name, ok := g.string()
	if !ok {
		n := bytes.IndexAny(g.text[g.i:], ":{}[],<\"'\n")
		if n <= 0 {
			return false
		}
		name = rawjson.AppendString(nil, bytes.TrimSpace(g.text[g.i:g.i+n]))
		g.i += n
	}
	if g.next() != ':' {
		return false
	}
	g.i++
	g.out = append(append(g.out, name...), ':')
	return g.value(depth)
}

// string reads a string, with any quotes, and returns it as JSON. It reports false, and reads nothing, if
// none is next.
func (g *gemmaReader) string() (jsontext.Value, bool) {
	rest := g.text[g.i:]
	l := literalScan{syntax: gemmaLiteral}
	var v markup.Verdict
	if l.quote, v = l.matchQuote(rest, true); v != markup.Match {
		return nil, false
	}
	n, v := l.skipString(rest[len(l.quote):], true)
	if v != markup.Match {
		return nil, false
	}
	n += len(l.quote)
	g.i += n
	text := string(rest[len(l.quote):n])
	switch l.quote {
	case `"`:
		text = markup.Unescape(text, g.escaped, "")
		if quoted, ok := rawjson.AppendLoose(nil, `"`+text); ok {
			return quoted, true
		}
		text = strings.TrimSuffix(text, `"`)
	case "'":
		text = strings.TrimSuffix(strings.TrimSuffix(text, gemmaQuote), "'")
	default:
		text = markup.Unescape(strings.TrimSuffix(text, l.quote), g.escaped, "")
	}
	return rawjson.AppendString(nil, text), true
}

// readGemmaCall returns the call that text is, as a list of one, and reports whether it is one.
func (p *parser) readGemmaCall(text string) (calls []literalCall, ok bool) {
	name, n, _ := matchGemmaHead([]byte(text), markup.NoMatch)
	input, ok := readGemma(text[n:], p.escaped)
	quoted := strings.HasPrefix(strings.TrimLeft(text[n+1:], " \t\r\n"), `"`)
	if ok && (!p.literal.bare || p.keepsQuotes(name, input)) {
		return []literalCall{{name, input, quoted}}, true
	}
	if p.literal.bare {
		return nil, false
	}
	call, ok := p.readErasedCall(text)
	if !ok {
		return nil, false
	}
	p.noteReason("unquoted_value")
	return []literalCall{call}, true
}
