package held

import (
	"bytes"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"

	"github.com/go-json-experiment/json/jsontext"
)

// Names of members in the literals of Gemma. They have no quotes, whatever signs stand in them.

// name reads the name of a member and what separates it from the value, and returns it as JSON.
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

// signedName returns the length of the name of a member that has signs in it which also have a meaning between members,
// as in {f(x):1,it's:2}; 0 if there is none. It ends at the first colon that a value stands behind. A name of a parameter
// is one that the tool declares.
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
			// What a comma separates may be a value without quotes, and what a blank does, text.
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

// mayBeText reports whether what stands behind the first colon of a name may be a string without quotes, which value
// ends: {at:10:30}. That is another reading, which is as good, unless the schema has no string there.
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

// isPastWord reports whether a value without quotes stands before what is next.
func (g *gemmaReader) isPastWord() bool {
	out := bytes.TrimSuffix(g.out, []byte(","))
	return len(out) < len(g.out) && bytes.IndexByte([]byte(`"]}`), out[len(out)-1]) < 0
}

// beginsValue reports whether rest, which stands behind a colon, begins with a value.
func (g *gemmaReader) beginsValue(rest []byte) bool {
	const most = 64
	rest = rest[markup.SkipBlanks(rest, 0, min(len(rest), most)):]
	if len(rest) == 0 || bytes.IndexByte([]byte(`{["`), rest[0]) >= 0 || GemmaDelimiter(rest) != "" {
		return len(rest) > 0
	}
	n := bytes.IndexAny(rest[:min(len(rest), most)], ",}])< \t\r\n")
	return n > 0 && gemmaWord(string(rest[:n])) != ""
}
