package held

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// Member names in Gemma literals. They have no quotes, even if they contain punctuation.

// name reads a member name and its separator, and returns the name as JSON.
func (g *gemmaReader) name(depth int) (name jsontext.Value, ok bool) {
	g.skipBlanks()
	if n := g.signedName(depth); n > 0 {
		name = rawjson.AppendString(nil, bytes.TrimSpace(g.text[g.i:g.i+n]))
		g.i += n + 1
		return name, true
	}
	if name, ok = g.string(true); !ok {
		n := bytes.IndexAny(g.text[g.i:], ":={}[](),<\"'\n")
		if n <= 0 {
			return nil, false
		}
		name = rawjson.AppendString(nil, bytes.TrimSpace(g.text[g.i:g.i+n]))
		g.i += n
	}
	c := g.next()
	g.i++
	return name, c == ':' || c == '='
}

// signedName returns the length of a member name that contains punctuation with a meaning between members, as in
// {f(x):1,it's:2}. It returns 0 if there is no such name. The name ends at the first colon before a value. Of the
// arguments themselves, only a parameter that the tool declares is such a name.
func (g *gemmaReader) signedName(depth int) int {
	if !g.signs {
		return 0
	}
	rest := g.text[g.i:]
	signed, colon := false, 0
	for n, c := range rest {
		switch {
		case bytes.IndexByte([]byte("{}[]<\"\n"), c) >= 0:
			return 0
		case c == ':' && g.beginsValue(rest[n+1:]):
			name := string(bytes.TrimSpace(rest[:n]))
			if !signed || depth == 1 && !g.in.Declares([]byte(markup.ParamTag(name))) || colon > 0 && g.mayBeText(rest[:colon], rest[n+1:]) {
				return 0
			}
			return n
		case c == ':' || c == ',':
			// Text before a comma may be a value without quotes, and text before a blank may be prose.
			if n == 0 || markup.IsBlank(rest[n-1]) || n+1 == len(rest) || markup.IsBlank(rest[n+1]) || c == ',' && (colon > 0 || g.isPastWord()) {
				return 0
			}
			if signed = true; c == ':' && colon == 0 {
				colon = n
			}
		case bytes.IndexByte([]byte("()'="), c) >= 0:
			signed = true
		}
	}
	return 0
}

// mayBeText reports whether the text after the first colon of a name may be a string without quotes, which ends at
// value: {at:10:30}. That reading is equally good, unless the schema allows no string there.
func (g *gemmaReader) mayBeText(name, value []byte) bool {
	value = bytes.TrimLeft(value, " \t\r\n")
	if bytes.IndexByte([]byte("{[\""), value[0]) >= 0 || GemmaDelimiter(value) != "" {
		return false
	}
	if g.of == nil {
		return true
	}
	_, s, _ := g.of.PropertyByTag(markup.ParamTag(string(bytes.TrimSpace(name))))
	return s == nil || s.AcceptsString()
}

// isPastWord reports whether the last value that was read has no quotes.
func (g *gemmaReader) isPastWord() bool {
	out := bytes.TrimSuffix(g.out, []byte(","))
	return len(out) < len(g.out) && bytes.IndexByte([]byte(`"]}`), out[len(out)-1]) < 0
}

// beginsValue reports whether rest, the text after a colon, begins with a value.
func (g *gemmaReader) beginsValue(rest []byte) bool {
	const most = 64
	rest = rest[markup.SkipBlanks(rest, 0, min(len(rest), most)):]
	if len(rest) == 0 || bytes.IndexByte([]byte(`{["`), rest[0]) >= 0 || GemmaDelimiter(rest) != "" {
		return len(rest) > 0
	}
	n := bytes.IndexAny(rest[:min(len(rest), most)], ",}])< \t\r\n")
	return n > 0 && gemmaWord(string(rest[:n])) != ""
}
