package translate

import (
	"bytes"
	"strings"
)

// currentValue is the value that is being read.
type currentValue struct {
	name   string  // of the property
	tag    string  // of the parameter
	closer string  // name of its own closing tag
	vs     *schema // nil for a whole input
	ns     string  // namespace of the call's tags, with its colon

	mode   valueMode
	object bool      // the whole input was one JSON object
	held   []byte    // what was read of a value that is passed on when it has ended
	nl     string    // a newline that may be the last of a string
	cdata  bool      // within <![CDATA[
	drop   bool      // a parameter given twice
	json   jsonState // of a whole input
	ends   byteSet
	looked int // how far white space after a closing tag was read without a decision
}

type valueMode uint8

const (
	modeText     valueMode = iota // a string, passed on as it comes
	modeNullable                  // the same, or null: undecided
	modeHeld                      // typed when it has ended
)

func (p *parser) setNamespace(t tag) {
	p.ns = string(t.full[:len(t.full)-len(t.name)])
}

// startValue begins the value of a parameter.
func (p *parser) startValue(t tag, name, tag, closer string) state {
	p.pos += t.n
	_, vs, _ := p.schema.property(tag)
	p.currentValue = currentValue{name: name, tag: tag, closer: closer, vs: vs, ns: p.ns, mode: modeHeld}
	p.markEnds()
	switch str, nullable := vs.text(); {
	case p.seen[name]:
		p.fix("duplicate_parameter") // JSON has room for one: the first is out already
		p.drop = true
	case str && nullable:
		p.mode = modeNullable
	case str:
		p.mode = modeText
		p.appendKey()
		p.out = append(p.out, '"')
	}
	if t.empty {
		return p.endValue(0)
	}
	return valueStartState
}

// startObject begins an input that is written as one JSON object.
func (p *parser) startObject() state {
	p.currentValue = currentValue{ns: p.ns, mode: modeHeld}
	p.markEnds()
	return valueState
}

// appendKey begins a member of the input.
func (p *parser) appendKey() {
	c := byte(',')
	if len(p.seen) == 0 {
		c = '{'
		p.seen = map[string]bool{}
	}
	p.seen[p.name] = true
	p.out = append(appendJSONString(append(p.out, c), p.name), ':')
}

// valueStartState reads the newline after the opening tag, which is layout, and
// the beginning of a CDATA section.
func valueStartState(p *parser) state {
	rest := p.rest()
	n := 0
	switch {
	case len(rest) > 0 && rest[0] == '\n':
		n = 1
	case len(rest) > 1 && rest[0] == '\r' && rest[1] == '\n':
		n = 2
	}
	const open = "<![CDATA["
	i, v := p.blanks(rest, n, maxTagBlanks)
	switch {
	case v == matchMore, n == 0 && string(rest) == "\r" && !p.eof:
		return nil
	case v == matchYes && hasPrefix(rest[i:], open):
		p.cdata = true
		p.pos += i + len(open)
		return valueState
	case v == matchYes && isPrefixOf(rest[i:], open) && !p.eof:
		return nil
	}
	p.pos += n
	return valueState
}

// valueState reads a value up to its end.
func valueState(p *parser) state {
	for p.pos < len(p.in) {
		rest := p.rest()
		n, end, v := p.scanValue(rest)
		if n > 0 {
			p.append(rest[:n])
			p.pos += n
		}
		switch {
		case v == matchYes:
			return p.endValue(end)
		case v == matchMore:
			return nil
		case n == len(rest), rest[n] == '<':
		case rest[n] == ']':
			return p.cdataEnd(rest[n:])
		case !p.entity(p.tag, p.append):
			return nil
		}
	}
	if p.eof {
		return p.cutValue()
	}
	if p.mode == modeText && !p.cdata && p.mark < 0 {
		p.direct = (*parser).appendText
	}
	return nil
}

// scanValue returns how much of rest is plainly value, and what matchEnd says of
// what follows it. It does not ask where that is the end of rest, an `&` or `]`
// that matters, or where the value before it has to be held first.
func (p *parser) scanValue(rest []byte) (n, end int, v verdict) {
	for ; ; n++ {
		n = p.nextSpecial(rest, n)
		if n == len(rest) || rest[n] != '<' || n > 0 && p.mode == modeHeld {
			return n, 0, matchNo // what is held decides with what follows
		}
		if end, v = p.matchEnd(rest[n:]); v != matchNo {
			return n, end, v
		}
	}
}

// nextSpecial returns where from n on a value may end or hold an escape, or the
// length of rest: at a `<` and slash before the first letter of a closing tag
// that matters, at an `&` or in a CDATA section a `]`.
func (p *parser) nextSpecial(rest []byte, n int) int {
	end := len(rest)
	for at := n; !p.cdata; at++ {
		i := bytes.IndexByte(rest[at:], '<')
		if i < 0 {
			break
		}
		at += i
		if at+1 == len(rest) || rest[at+1] == '/' && (at+2 == len(rest) || p.ends.has(rest[at+2])) {
			end = at
			break
		}
	}
	if p.escaped != 0 {
		if i := bytes.IndexByte(rest[n:end], '&'); i >= 0 {
			end = n + i
		}
	}
	if p.cdata {
		if i := bytes.IndexByte(rest[n:end], ']'); i >= 0 {
			end = n + i
		}
	}
	return end
}

// byteSet is a set of bytes.
type byteSet [4]uint64

func (b *byteSet) add(c byte)      { b[c>>6] |= 1 << (c & 63) }
func (b *byteSet) has(c byte) bool { return b[c>>6]&(1<<(c&63)) != 0 }

// markEnds notes how the closing tags begin that may end the value: see matchEnd.
func (p *parser) markEnds() {
	for _, name := range [...]string{p.closer, p.tag, p.ns, "parameter", "invoke"} {
		if name != "" {
			p.ends.add(name[0])
		}
	}
	if p.closer == p.tag {
		return
	}
	for i := range p.schema.props {
		p.ends.add(p.schema.props[i].tag[0])
	}
}

// cdataEnd reads a `]` in a CDATA section: it ends with `]]>` before the end of
// the value, and goes on where another one begins at once.
func (p *parser) cdataEnd(rest []byte) state {
	const end, again = "]]>", "<![CDATA["
	switch {
	case isPrefixOf(rest, end) && !p.eof:
		return nil
	case !hasPrefix(rest, end):
	case hasPrefix(rest[len(end):], again):
		p.pos += len(end) + len(again)
		return valueState
	case isPrefixOf(rest[len(end):], again) && !p.eof:
		return nil
	default:
		i, v := p.blanks(rest, len(end), maxTagBlanks)
		n := 0
		if v == matchYes && i < len(rest) && rest[i] == '<' {
			n, v = p.matchEnd(rest[i:])
		} else if v == matchYes {
			v = matchNo
		}
		switch v {
		case matchMore:
			return nil
		case matchYes:
			return p.endValue(i + n)
		}
	}
	p.append(rest[:1])
	p.pos++
	return valueState
}

// append adds to the value.
func (p *parser) append(s []byte) {
	switch p.mode {
	case modeText:
		if p.cdata {
			p.out = appendJSONEscapedUTF8(p.out, s)
			return
		}
		p.appendText(s)
	case modeNullable:
		p.held = append(p.held, s...)
		if len(p.held) > maxNull {
			p.nowText()
		} else if t := bytes.Trim(p.held, " \t\r\n"); string(t) != "null" && !isPrefixOf(t, "null") {
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
}

// nowText turns a value that might have been null into a string.
func (p *parser) nowText() {
	p.mode = modeText
	p.appendKey()
	p.out = append(p.out, '"')
	held := p.held
	p.held = nil
	p.append(held)
}

// appendText adds to a string, but for a newline at its end, which may be layout.
func (p *parser) appendText(s []byte) {
	if p.nl == "\r" && s[0] == '\n' {
		p.nl, s = "\r\n", s[1:]
		if len(s) == 0 {
			return
		}
	}
	if p.nl != "" {
		p.out = appendJSONEscaped(p.out, p.nl)
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
	p.out = appendJSONEscapedUTF8(p.out, s[:n-len(p.nl)])
}

// endValue ends the value, n bytes on.
func (p *parser) endValue(n int) state {
	p.pos += n
	if p.vs == nil {
		return p.endObject()
	}
	if p.drop {
		return bodyState
	}
	if p.mode == modeText {
		if p.nl == "\r" {
			p.out = append(p.out, `\r`...)
		}
		p.out = append(p.out, '"')
		return bodyState
	}
	p.appendKey()
	var fits bool
	p.out, fits = p.appendValue(p.out)
	if !fits && p.misfit == "" {
		p.misfit = "type"
	}
	return bodyState
}

// appendValue appends the value that was held. Of an array, each element may
// stand in a parameter of its own.
func (p *parser) appendValue(dst []byte) ([]byte, bool) {
	text := string(p.held)
	if !p.cdata {
		text = trimLastNewline(text)
	}
	if p.vs.kinds&kindArray != 0 {
		if list, ok := p.repeated(text); ok {
			if out, ok := appendTyped(dst, p.vs, list); ok {
				return out, true
			}
		}
	}
	return appendTyped(dst, p.vs, text)
}

// repeated rewrites `1</p><p>2`, which is what was read of <p>1</p><p>2</p>, as elements.
func (p *parser) repeated(text string) (string, bool) {
	open, shut := "<"+p.tag+">", "</"+p.tag+">"
	if p.closer != p.tag {
		open, shut = `<parameter name="`+p.name+`">`, "</parameter>"
	}
	var list strings.Builder
	found := false
	for text = "\n" + text; ; { // the first newline is read already
		item, rest, more := strings.Cut(text, shut)
		list.WriteString("<item>" + trimNewlines(item) + "</item>")
		if !more {
			return list.String(), found
		}
		rest = strings.Trim(rest, " \t\r\n")
		if text, found = strings.CutPrefix(rest, open); !found {
			return "", false
		}
	}
}

// endObject ends an input that was one JSON object.
func (p *parser) endObject() state {
	held := bytes.TrimSpace(p.held)
	p.held = nil
	out, ok := appendJSONOf(p.out, string(held), '{')
	p.object = ok
	if !ok {
		p.fix("invalid_json")
		if p.whole {
			return p.giveBackCall("invalid_json")
		}
		p.lost = held
		return bodyState
	}
	p.out = out
	if !p.inParams {
		p.fix("no_parameters_tag")
	}
	return bodyState
}

// cutValue ends a value that the text ended in: of a string, what had arrived
// stays; other values would be a guess.
func (p *parser) cutValue() state {
	if p.mode == modeText && p.vs != nil {
		p.out = append(appendJSONEscaped(p.out, p.nl), '"')
	}
	if p.repair == "" {
		p.repair = "cut_value"
	}
	return p.endIncomplete()
}
