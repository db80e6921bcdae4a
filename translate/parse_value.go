package translate

import (
	"bytes"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// currentValue is the value that is being read.
type currentValue struct {
	name   string         // of the property
	tag    string         // of the parameter
	child  bool           // it stands in <tag>, not in <parameter name="tag">
	closer string         // name of its own closing tag
	vs     *schema.Schema // nil for a whole input
	ns     string         // namespace of the call's tags, with its colon

	inValue bool // its end has not been read

	mode     valueMode
	held     []byte    // what was read of a value that is passed on when it has ended
	padded   bool      // a newline stands after its opening tag
	nl       string    // a newline that may be the last of a string, and layout
	cdata    bool      // within <![CDATA[
	drop     bool      // a parameter given twice
	json     jsonState // of a whole input
	ends     byteSet
	opens    byteSet  // as ends, for opening tags that are text of the value
	inside   siblings // tags of other parameters in the value
	tags     bool     // there are tags in the value
	bare     bool     // it has no closing tag of its own
	blankEnd bool     // the last that was read of it is white space, but for nl
	mixed    bool     // it holds tags of other parameters, or of other elements, and does not fit or is a list
	looked   int      // how far white space after a closing tag was read without a decision
}

type valueMode uint8

const (
	modeText     valueMode = iota // a string, passed on as it comes
	modeNullable                  // the same, or null: undecided
	modeHeld                      // typed when it has ended
)

func (p *parser) setNamespace(t markup.Tag) {
	p.ns = string(t.Full[:len(t.Full)-len(t.Name)])
}

// startValue begins the value of a parameter.
func (p *parser) startValue(t markup.Tag, name, tag string, child bool) state {
	p.pos += t.Len
	closer := tag
	if !child {
		closer = "parameter"
	}
	_, vs, _ := p.schema.PropertyByTag(tag)
	p.currentValue = currentValue{name: name, tag: tag, child: child, closer: closer, vs: vs, ns: p.ns, inValue: true, mode: modeHeld}
	p.markEnds()
	switch str, nullable := vs.IsString(); {
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
	if t.Empty {
		return p.endValue(0)
	}
	return valueStartState
}

// startObject begins an input that is written as one JSON object.
func (p *parser) startObject() state {
	p.currentValue = currentValue{ns: p.ns, inValue: true, mode: modeHeld}
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
	p.out = append(rawjson.AppendString(append(p.out, c), p.name), ':')
}

// What a CDATA section stands between.
const (
	cdataBegins = "<![CDATA["
	cdataEnds   = "]]>"
)

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
	i, v := p.blanks(rest, n, markup.MaxTagBlanks)
	switch {
	case v == markup.NeedMore, n == 0 && string(rest) == "\r" && !p.eof:
		return nil
	case v == markup.Match && markup.HasPrefix(rest[i:], cdataBegins):
		p.cdata = true
		p.pos += i + len(cdataBegins)
		return valueState
	case v == markup.Match && markup.IsPrefixOf(rest[i:], cdataBegins) && !p.eof:
		return nil
	}
	p.pos += n
	p.padded = n > 0
	return valueState
}

// valueState reads a value up to its end.
func valueState(p *parser) state {
	if !p.eof {
		return p.readValue()
	}
	before, sent := p.currentValue, len(p.out)
	if next := p.readValue(); next != nil {
		return next
	}
	// What could not be decided on before may be the beginning of a tag, or layout.
	p.currentValue, p.out = before, p.out[:sent]
	return p.cutValue()
}

// readValue reads a value as far as it goes. It returns nil if its end has not come.
func (p *parser) readValue() state {
	for p.pos < len(p.in) {
		if p.holdsTooMuch() {
			return p.endTooLong()
		}
		rest := p.rest()
		n, end, v := p.scanValue(rest)
		if n > 0 {
			p.append(rest[:n])
			p.pos += n
		}
		switch {
		case v == markup.Match:
			return p.endValue(end)
		case v == markup.NeedMore:
			return nil
		case n == len(rest), rest[n] == '<':
		case rest[n] == ']':
			return p.cdataEnd(rest[n:])
		case !p.entity(p.tag, p.append):
			return nil
		}
	}
	if p.mode == modeText && !p.cdata && p.mark < 0 {
		p.direct = (*parser).appendText
	}
	return nil
}

// scanValue returns how much of rest is plainly value, and what matchEnd says of
// what follows it. It does not ask where that is the end of rest, an `&` or `]`
// that matters, or where the value before it has to be held first.
func (p *parser) scanValue(rest []byte) (n, end int, v markup.Verdict) {
	for ; ; n++ {
		n = p.nextSpecial(rest, n)
		if n == len(rest) || rest[n] != '<' || n > 0 && p.mode == modeHeld {
			return n, 0, markup.NoMatch // what is held decides with what follows
		}
		if end, v = p.matchEnd(rest[n:]); v != markup.NoMatch {
			return n, end, v
		}
	}
}

// nextSpecial returns where from n on a value may end or hold an escape, or the
// length of rest: at a `<` or `</` before the first letter of a tag that matters, at
// an `&` or in a CDATA section a `]`.
func (p *parser) nextSpecial(rest []byte, n int) int {
	end := len(rest)
	for at := n; !p.cdata; at++ {
		i := bytes.IndexByte(rest[at:], '<')
		if i < 0 {
			break
		}
		at += i
		if at+1 == len(rest) || p.opens.has(rest[at+1]) || rest[at+1] == '/' && (at+2 == len(rest) || p.ends.has(rest[at+2])) {
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
	if p.vs == nil {
		return
	}
	if !p.child {
		p.opens.add('p')
	}
	for i := range p.schema.Properties {
		prop := &p.schema.Properties[i]
		p.markSibling(prop.Tag[0])
		if prop.Name != "" {
			p.markSibling(prop.Name[0])
		}
	}
	if p.schema.AdditionalProperties != nil && !p.whole {
		for c := range 256 {
			if markup.IsTagByte(byte(c)) {
				p.markSibling(byte(c))
			}
		}
	}
}

// markSibling notes how tags of another parameter begin.
func (p *parser) markSibling(c byte) {
	p.ends.add(c)
	if p.child {
		p.opens.add(c)
	}
}

// cdataEnd reads a `]` in a CDATA section: it ends with `]]>` before the end of
// the value, and goes on where another one begins at once.
func (p *parser) cdataEnd(rest []byte) state {
	switch {
	case markup.IsPrefixOf(rest, cdataEnds) && !p.eof:
		return nil
	case markup.IsPrefixOf(rest, cdataEnds):
		return p.cutValue()
	case !markup.HasPrefix(rest, cdataEnds):
	case markup.HasPrefix(rest[len(cdataEnds):], cdataBegins):
		p.pos += len(cdataEnds) + len(cdataBegins)
		return valueState
	case markup.IsPrefixOf(rest[len(cdataEnds):], cdataBegins) && !p.eof:
		return nil
	default:
		switch n, v := p.matchAfterCDATA(rest); v {
		case markup.NeedMore:
			return nil
		case markup.Match:
			return p.endValue(n)
		}
		if i, _ := p.blanks(rest, len(cdataEnds), markup.MaxTagBlanks); i < len(rest) && rest[i] == '<' {
			p.mixed = true // a wrong closing tag, or prose after the value
		}
	}
	p.append(rest[:1])
	p.pos++
	return valueState
}

// matchAfterCDATA is matchEnd for a value whose CDATA section ends where rest
// begins: n counts the end of the section too.
func (p *parser) matchAfterCDATA(rest []byte) (n int, v markup.Verdict) {
	i, v := p.blanks(rest, len(cdataEnds), markup.MaxTagBlanks)
	switch {
	case v != markup.Match:
		return 0, v
	case i == len(rest) || rest[i] != '<':
		return 0, markup.NoMatch
	}
	n, v = p.matchEnd(rest[i:])
	return i + n, v
}
