package translate

import (
	"bytes"
	"strings"
	"unicode/utf8"
)

// parser reads one completion. Text arrives in pieces of any size; a state
// reads as much of it as it can decide on and returns the next state, or nil to
// wait for more. What a state reads of a text does not depend on its pieces:
// undecided text, at most a tag or two, stays unread in in.
type parser struct {
	req  *Request
	emit func(Event) bool

	in      []byte // text not yet read, from pos on
	pos     int
	mark    int    // start of what may have to be given back as text, or -1
	hidden  int    // how much after mark a prefill said, not the model
	partial []byte // the beginning of a character
	eof     bool   // no more text will come
	state   state
	direct  func(*parser, []byte) // where text without markup goes; nil: to the state

	// The message.
	usage      Usage
	open       string // type of the open block, "" between blocks
	index      int    // of the open or next block
	out        []byte // gathered for the open block
	outcomes   []Outcome
	started    bool
	ended      bool
	unheard    bool // nobody listens any more
	cut        bool // what follows is not part of the answer
	cutShort   bool // the upstream stopped before the model had ended
	read       int  // bytes of completion
	calls      int  // whole calls
	callsEnded bool // the end of the calls was read
	incomplete bool // the last call was not read to its end

	schemas map[*Tool]*schema

	// Text.
	offers   bool   // calls may come
	escaped  tagSet // what to unescape
	deep     bool   // the & at pos is already out: see entity
	blank    []byte // white space that ends the text so far
	quote    quote
	prefill  string // the client's, which the completion goes on from
	opening  string // ours
	thinking string // the tag of thinking that is open
	relapsed bool   // thinking was never closed: its calls are calls

	currentCall
	currentValue
}

type state func(*parser) state

func newParser(req *Request, prompt *Prompt, emit func(Event) bool) *parser {
	p := &parser{req: req, emit: emit, mark: -1, state: textState, offers: req.offers(),
		escaped: prompt.escaped, opening: prompt.opening}
	if n := len(prompt.Turns); n > 0 && prompt.Turns[n-1].Role == RoleAssistant {
		for _, part := range prompt.Turns[n-1].Parts {
			p.prefill += part.Text
		}
		p.prefill = p.prefill[:len(p.prefill)-len(p.opening)]
	}
	return p
}

// maxPiece bounds how much text is read at once, and so buffers and deltas.
const maxPiece = 16 << 10

// feed reads more text, of whole characters or not.
func (p *parser) feed(s string) {
	if p.straight(s) {
		return
	}
	for {
		piece := s[:min(len(s), maxPiece)]
		s = s[len(piece):]
		p.appendValid(piece)
		p.run()
		if s == "" || p.cut || p.unheard {
			return
		}
	}
}

// straight reads the piece that most are: text without markup, in the middle of
// prose or of a string, with nothing undecided before it.
func (p *parser) straight(s string) bool {
	if p.direct == nil || s == "" {
		return false
	}
	if p.nl == "" && p.open == BlockToolUse && len(s) <= maxPiece && len(p.partial) == 0 && isPlain(s) {
		p.out = append(p.out, s...)
		p.flush()
		return true
	}
	if len(s) > maxPiece || strings.IndexByte(s, '<') >= 0 ||
		p.escaped != 0 && strings.IndexByte(s, '&') >= 0 || len(p.partial) > 0 || !utf8.ValidString(s) {
		return false
	}
	p.in = append(p.in, s...)
	p.direct(p, p.in)
	p.in = p.in[:0]
	p.flush()
	return true
}

// appendValid adds text to in: whole characters only, U+FFFD for bytes that are none.
func (p *parser) appendValid(s string) {
	for len(p.partial) > 0 {
		switch {
		case p.eof && s == "" || utf8.FullRune(p.partial):
			r, n := utf8.DecodeRune(p.partial)
			p.in = utf8.AppendRune(p.in, r)
			p.partial = p.partial[:copy(p.partial, p.partial[n:])]
		case s == "":
			return
		default:
			p.partial = append(p.partial, s[0])
			s = s[1:]
		}
	}
	end := len(s) - partialRune(s)
	p.partial = append(p.partial, s[end:]...)
	if s = s[:end]; utf8.ValidString(s) {
		p.in = append(p.in, s...)
		return
	}
	for _, r := range s {
		p.in = utf8.AppendRune(p.in, r)
	}
}

// partialRune returns how many bytes at the end of s begin a character.
func partialRune(s string) int {
	if s == "" || s[len(s)-1] < utf8.RuneSelf {
		return 0
	}
	for i := 1; i < utf8.UTFMax && i <= len(s); i++ {
		if utf8.RuneStart(s[len(s)-i]) {
			if utf8.FullRuneInString(s[len(s)-i:]) {
				return 0
			}
			return i
		}
	}
	return 0
}

func (p *parser) run() {
	p.direct = nil
	if p.eof {
		p.appendValid("")
	}
	for next := p.state; next != nil && !p.unheard; next = next(p) {
		p.state = next
	}
	keep := p.pos
	if p.mark >= 0 {
		keep = p.mark
		p.mark = 0
	}
	if keep > 0 {
		n := copy(p.in, p.in[keep:])
		p.in = p.in[:n]
		p.pos -= keep
	}
	p.flush()
}

// rest is the text not yet read.
func (p *parser) rest() []byte { return p.in[p.pos:] }

// skip reads white space and reports whether text follows it.
func (p *parser) skip() bool {
	p.pos = skipBlanks(p.in, p.pos, len(p.in))
	return p.pos < len(p.in)
}

// blanks skips white space from i on. It says No if there are as many as limit,
// which bounds what is held, and asks for more where the text may go on with them.
func (p *parser) blanks(rest []byte, i, limit int) (int, verdict) {
	end := i + limit
	for i < end && i < len(rest) && isBlank(rest[i]) {
		i++
	}
	switch {
	case i == end:
		return i, matchNo
	case i == len(rest) && !p.eof:
		return i, matchMore
	}
	return i, matchYes
}

// cutState reads nothing: the answer has ended.
func cutState(p *parser) state {
	p.cut = true
	p.pos, p.mark = len(p.in), -1
	return nil
}

// textState reads text between calls.
func textState(p *parser) state {
	rest := p.rest()
	if len(rest) == 0 {
		p.direct = (*parser).text
		return nil
	}
	n := len(rest)
	if p.offers {
		if i := bytes.IndexByte(rest, '<'); i >= 0 {
			n = i
		}
	}
	if p.escaped != 0 {
		if i := bytes.IndexByte(rest[:n], '&'); i >= 0 {
			n = i
		}
	}
	if n > 0 {
		p.text(rest[:n])
		p.pos += n
		return textState
	}
	if rest[0] == '&' {
		if p.entity("", p.text) {
			return textState
		}
		return nil
	}
	return p.textMarkup(rest)
}

// textMarkup reads a `<` in text, with what it begins if that matters.
func (p *parser) textMarkup(rest []byte) state {
	t, v := matchTextTag(rest, p.eof)
	if v == matchMore {
		return nil
	}
	p.quote.settle()
	if v == matchNo || p.quote.fence > 0 {
		return p.plain(1)
	}
	if p.quote.inline > 0 { // markup in a code span; a block of calls is none
		if v = p.newlineAfter(rest[t.n:]); v == matchMore {
			return nil
		} else if v == matchNo {
			return p.plain(1)
		}
	}
	switch t.kind {
	case tagIsThinking:
		p.thinks(t)
		return p.plain(t.n)
	case tagIsResults:
		return p.inventedResults(rest, t)
	}
	if p.thinking != "" {
		p.startCall(t)
		return rehearsalState
	}
	p.startCall(t)
	if t.kind == tagIsWrapper {
		p.wrapped = true
		p.pos += t.n
		return wrapperState
	}
	return invokeState
}

// thinks notes a tag of thinking: the outermost one counts.
func (p *parser) thinks(t textTag) {
	switch {
	case t.closing && t.name == p.thinking:
		p.thinking = ""
	case !t.closing && p.thinking == "" && !p.relapsed:
		p.thinking = t.name
	}
}

// newlineAfter tells whether a line ends where rest begins.
func (p *parser) newlineAfter(rest []byte) verdict {
	switch {
	case len(rest) > 0 && (rest[0] == '\n' || rest[0] == '\r'):
		return matchYes
	case len(rest) == 0 && !p.eof:
		return matchMore
	}
	return matchNo
}

// plain reads n bytes as text.
func (p *parser) plain(n int) state {
	p.text(p.rest()[:n])
	p.pos += n
	return textState
}

// inventedResults ends the answer where the model begins to write the results
// itself: <function_results> at the start of a line, with an element in it.
func (p *parser) inventedResults(rest []byte, t textTag) state {
	i, v := p.blanks(rest, t.n, maxGap)
	switch {
	case v == matchMore:
		return nil
	case t.closing || p.quote.midLine || v == matchNo || i == len(rest) || rest[i] != '<':
		return p.plain(1)
	}
	p.outcomes = append(p.outcomes, Outcome{Kind: OutcomeRepaired, Reason: "invented_results"})
	return cutState
}

// rehearsalState reads a call within thinking: text, if the thinking is closed
// after it; a call, if it never is.
func rehearsalState(p *parser) state {
	rest := p.rest()
	for i := bytes.IndexByte(rest, '<'); i >= 0; i = bytes.IndexByte(rest, '<') {
		p.pos += i
		rest = rest[i:]
		t, v := matchTextTag(rest, p.eof)
		switch {
		case v == matchMore:
			return nil
		case v == matchYes && t.closing && t.name == p.thinking:
			p.thinking = ""
			p.pos += t.n
			return p.giveBack()
		}
		p.pos++
		rest = rest[1:]
	}
	p.pos = len(p.in)
	if !p.eof {
		return nil
	}
	p.pos, p.mark = p.mark, -1
	p.inCall, p.tentative = false, false
	p.thinking, p.relapsed = "", true
	return textState
}

// maxBlank bounds the white space that is held because a call may follow it.
const maxBlank = 4 << 10

// text adds to the answer's text. White space at its end is held: before a call
// it is layout.
func (p *parser) text(s []byte) {
	if p.offers {
		p.quote.advance(s)
	}
	n := len(s)
	if p.offers || p.open != BlockText {
		for n > 0 && isBlank(s[n-1]) {
			n--
		}
	}
	if n > 0 {
		if p.open != BlockText {
			p.openBlock(ContentBlock{Type: BlockText})
		}
		p.out = append(append(p.out, p.blank...), s[:n]...)
		p.blank = p.blank[:0]
	}
	p.blank = append(p.blank, s[n:]...)
	for len(p.blank) > maxBlank {
		if p.open != BlockText {
			p.openBlock(ContentBlock{Type: BlockText})
		}
		p.out = append(p.out, p.blank[:maxBlank]...)
		p.blank = p.blank[:copy(p.blank, p.blank[maxBlank:])]
	}
}

// endText sends the white space at the end of the answer.
func (p *parser) endText() {
	if p.open == BlockText && !p.cut {
		p.out = append(p.out, p.blank...)
		p.flush()
	}
}

// entity reads an `&` and undoes our escape if it is one; the bytes go to emit.
// It reports whether it could decide.
//
// Of `&amp;amp;…` the first entity is out before the end is known, since it
// stays either way: pos then stands at an & that is already out (deep), so that
// no run of them is ever held.
func (p *parser) entity(own string, emit func([]byte)) bool {
	names := p.escaped
	if own == "" {
		names &^= tagOwn
	}
	rest := p.rest()
	m := matchEscape(rest, names, own, p.eof)
	out, n := rest[:1], 1
	switch {
	case m.verdict == matchYes:
		out, n = []byte(m.plain), m.n
	case m.verdict == matchMore && p.mark < 0 && hasPrefix(rest, "&amp;amp;"):
		if !p.deep {
			emit(rest[:1])
		}
		emit(rest[1:5])
		rest[4], p.deep = '&', true
		p.pos += 4
		return true
	case m.verdict == matchMore:
		return false
	}
	if p.deep {
		out, p.deep = out[1:], false
	}
	if len(out) > 0 {
		emit(out)
	}
	p.pos += n
	return true
}
