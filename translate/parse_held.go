package translate

import (
	"bytes"
	"cmp"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// append adds to the value.
func (p *parser) append(s []byte) {
	p.tags = p.tags || holdsTag(s)
	switch p.mode {
	case modeText:
		if p.cdata {
			p.out = rawjson.AppendEscapedUTF8(p.out, s)
			return
		}
		p.appendText(s)
	case modeNullable:
		p.held = append(p.held, s...)
		if len(p.held) > maxNull {
			p.nowText()
		} else if t := bytes.Trim(p.held, " \t\r\n"); string(t) != "null" && !markup.IsPrefixOf(t, "null") {
			p.nowText()
		}
	default:
		p.held = append(p.held, s...)
		if p.vs == nil {
			p.json.advance(s)
		}
	}
}

// maxNull bounds a null with white space around it.
const maxNull = 64

// jsonState follows a JSON object just far enough to know where it ends.
type jsonState struct {
	depth             int
	inString, escaped bool
}

func (j *jsonState) advance(s []byte) {
	for _, c := range s {
		j.step(c)
	}
}

func (j *jsonState) step(c byte) {
	switch {
	case j.escaped:
		j.escaped = false
	case j.inString && c == '\\':
		j.escaped = true
	case c == '"':
		j.inString = !j.inString
	case j.inString:
	case c == '{' || c == '[':
		j.depth++
	case c == '}' || c == ']':
		j.depth--
	}
}

// whole tells whether what was read may be all.
func (j *jsonState) whole() bool { return j.depth == 0 && !j.inString }

// nowText turns a value that might have been null into a string.
func (p *parser) nowText() {
	p.mode = modeText
	p.appendKey()
	p.out = append(p.out, '"')
	held := p.held
	p.held = nil
	p.append(held)
}

// appendText adds to a string, but for a newline at its end, which may be layout:
// see endsInLayout.
func (p *parser) appendText(s []byte) {
	if p.nl == "\r" && s[0] == '\n' {
		p.nl, s = "\r\n", s[1:]
		if len(s) == 0 {
			return
		}
	}
	flushed := p.nl != ""
	if flushed {
		p.out = rawjson.AppendEscaped(p.out, p.nl)
		p.nl = ""
	}
	n := len(s)
	switch {
	case s[n-1] == '\n' && n > 1 && s[n-2] == '\r':
		p.nl = "\r\n"
	case s[n-1] == '\n':
		p.nl = "\n"
	case s[n-1] == '\r':
		p.nl = "\r"
	}
	if s = s[:n-len(p.nl)]; len(s) > 0 {
		p.blankEnd = markup.IsBlank(s[len(s)-1])
	} else {
		p.blankEnd = p.blankEnd || flushed
	}
	p.out = rawjson.AppendEscapedUTF8(p.out, s)
}

// endsInLayout tells whether the newline at the end of the value is layout: where one
// stands after its opening tag as well, or where its closing tag is missing, so that
// it stands before that of the call. Else it is the value's own, such as the last of a
// file.
func (p *parser) endsInLayout() bool { return (p.padded || p.bare) && !p.cdata }

// endValue ends the value, n bytes on.
func (p *parser) endValue(n int) state {
	p.pos += n
	p.inValue = false
	if p.holdsTooMuch() {
		return p.endTooLong()
	}
	if p.vs == nil {
		return p.endObject()
	}
	if p.drop {
		return bodyState
	}
	if p.mode == modeText {
		return p.endString()
	}
	before := len(p.out)
	p.appendKey()
	var fits bool
	p.out, fits = p.appendValue(p.out)
	if !fits {
		p.misfit = cmp.Or(p.misfit, "type")
		p.mixed = p.mixed || p.inside.depth != nil
	}
	if !jsontext.Value(bytes.TrimSpace(p.held)).IsValid() {
		held := bytes.TrimRight(p.held, " \t\r\n")
		p.blankEnd = len(held) < len(markup.TrimLastNewline(string(p.held)))
		if p.isDoubtful() {
			p.out = p.out[:before]
			return p.endDoubtful()
		}
		p.swallows()
	}
	p.cameWhole()
	return bodyState
}

// endString ends a string, which is left open if it is in doubt.
func (p *parser) endString() state {
	if p.nl == "\r" || !p.endsInLayout() {
		p.out = rawjson.AppendEscaped(p.out, p.nl)
	}
	if p.isDoubtful() {
		return p.endDoubtful()
	}
	p.out = append(p.out, '"')
	p.swallows()
	p.cameWhole()
	return bodyState
}

// swallows takes down the parameters that may be text of this value.
func (p *parser) swallows() {
	for _, name := range p.inside.opened {
		p.swallowed = append(p.swallowed, swallowed{name, p.wholeTo})
	}
}

// appendValue appends the value that was held. Of an array, each element may
// stand in a parameter of its own.
func (p *parser) appendValue(dst []byte) ([]byte, bool) {
	text := string(p.held)
	if array := p.vs.ArraySchema(); array != nil {
		if list := p.repeated(text); list != nil {
			if out, ok := schema.AppendTypedItems(dst, array, list); ok {
				return out, true
			}
		}
	}
	if p.endsInLayout() {
		text = markup.TrimLastNewline(text)
	}
	return schema.AppendTyped(dst, p.vs, text)
}

// repeated reads `1</p><p>2`, which is what was read of <p>1</p><p>2</p>, as
// elements; nil if text is something else.
func (p *parser) repeated(text string) (list []markup.Element) {
	shut := "</" + p.closer + ">"
	mixed := false
	if p.padded {
		text = "\n" + text // which was read before the value
	}
	for {
		item, rest, more := strings.Cut(text, shut)
		mixed = mixed || p.holdsOwnTag(item) // of another element, whose closing tag is wrong
		if !more {
			if list == nil {
				return nil
			}
			p.mixed = mixed
			if p.bare {
				item = markup.TrimLastNewline(item)
			}
			return append(list, markup.Element{Tag: p.tag, Text: markup.TrimNewlines(item)})
		}
		list = append(list, markup.Element{Tag: p.tag, Text: markup.TrimNewlines(item)})
		rest = strings.TrimLeft(rest, " \t\r\n")
		n := p.ownTag(rest)
		if n == 0 {
			return nil
		}
		text = rest[n:]
	}
}

// holdsOwnTag tells whether text holds a tag that begins the parameter, or one that
// could end it.
func (p *parser) holdsOwnTag(text string) bool {
	for ; ; text = text[1:] {
		i := strings.IndexByte(text, '<')
		if i < 0 {
			return false
		}
		if text = text[i:]; p.ownTag(text) > 0 || strings.HasPrefix(text, "</parameter>") {
			return true
		}
	}
}

// ownTag returns the length of the opening tag of the parameter at the start of
// text, or 0.
func (p *parser) ownTag(text string) int {
	if len(text) < 2 || text[0] != '<' || p.child && text[1] != p.tag[0] && (p.name == "" || text[1] != p.name[0]) {
		return 0
	}
	t, v := markup.MatchTag([]byte(text[:min(len(text), markup.MaxTagLen)]), true)
	if v != markup.Match || t.Closing || t.Empty {
		return 0
	}
	if p.child {
		if string(t.Full) != p.tag || len(t.Attributes) > 0 {
			return 0
		}
		return t.Len
	}
	tag, ok := t.NameAttribute()
	if name, _, _ := p.schema.PropertyByTag(tag); !ok || !t.Is("parameter") || name != p.name {
		return 0
	}
	return t.Len
}

// endObject ends an input that was one JSON object.
func (p *parser) endObject() state {
	held := bytes.TrimSpace(p.held)
	p.held, p.json = nil, jsonState{} // where a quote was left open, no string goes on
	out, ok := rawjson.AppendLooseKind(p.out, string(held), '{')
	p.object = ok
	if !ok {
		p.fix("invalid_json")
		if p.whole {
			return p.giveBackCall("invalid_json")
		}
		p.lost = held
		return bodyState
	}
	p.out = out[:len(out)-1] // the brace comes with the end of the call
	p.cameWhole()
	if !p.inParams {
		p.fix("no_parameters_tag")
	}
	return bodyState
}
