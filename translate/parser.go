package translate

import (
	"cmp"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// parser reads one completion. Text arrives in pieces of any size; a state
// reads as much of it as it can decide on and returns the next state, or nil to
// wait for more. What a state reads of a text does not depend on its pieces:
// undecided text, at most a tag or two, stays unread in in.
type parser struct {
	req    *messages.Request
	format *format
	emit   func(messages.Event) bool

	in      []byte // text not yet read, from pos on
	pos     int
	mark    int    // start of what may have to be given back as text, or -1
	hidden  int    // how much after mark a prefill said, not the model
	partial []byte // the beginning of a character
	eof     bool   // no more text will come
	state   state
	direct  func(*parser, []byte) // where text without markup goes; nil: to the state

	// The message.
	usage      messages.Usage
	open       string // type of the open block, "" between blocks
	index      int    // of the open or next block
	out        []byte // gathered for the open block
	outcomes   []messages.Outcome
	started    bool
	ended      bool
	unheard    bool // nobody listens any more
	cut        bool // what follows is not part of the answer
	cutShort   bool // the upstream stopped before the model had ended
	read       int  // bytes of completion
	calls      int  // whole calls
	callsEnded bool // the end of the calls was read
	incomplete bool // the last call was not read to its end

	schemas     map[*messages.Tool]*schema.Schema
	tools       map[string]*messages.Tool   // by name, once one is looked up
	alike       map[string][]*messages.Tool // by name in any case
	holdsValues bool                        // each parameter is sent when it is whole, unless its tool says otherwise

	// Text.
	offers   bool          // calls may come
	talks    bool          // the model may go on after its calls: see Rescue
	escaped  markup.TagSet // what to unescape
	deep     bool          // the & at pos is already out: see entity
	blank    []byte        // white space that ends the text so far
	quote    quote
	prefill  string // the client's, which the completion goes on from
	opening  string // ours
	thinking string // the tag of thinking that is open
	thinks   bool   // thinking at the beginning is a block of its own
	reasons  bool   // such a block is open
	spoken   bool   // something else has begun
	relapsed bool   // thinking was never closed: its calls are calls

	continuation
	currentCall
	currentValue
}

type state func(*parser) state

func newParser(req *messages.Request, prompt *Prompt, emit func(messages.Event) bool) *parser {
	p := &parser{req: req, format: cmp.Or(prompt.format, formats[0]), emit: emit, mark: -1, state: textState, offers: req.OffersTools(), thinks: req.Thinking != messages.ThinkingOff,
		holdsValues: prompt.holdsValues, escaped: prompt.escaped, opening: prompt.opening}
	if n := len(prompt.Turns); n > 0 && prompt.Turns[n-1].Role == messages.RoleAssistant {
		for _, part := range prompt.Turns[n-1].Parts {
			p.prefill += part.Text
		}
		p.prefill = p.prefill[:len(p.prefill)-len(p.opening)]
	}
	if prompt.continues && p.offers {
		p.prompt, p.left = prompt, prompt.MaxTokens
	}
	return p
}

// rest is the text not yet read.
func (p *parser) rest() []byte { return p.in[p.pos:] }

// skip reads white space and reports whether text follows it.
func (p *parser) skip() bool {
	p.pos = markup.SkipBlanks(p.in, p.pos, len(p.in))
	return p.pos < len(p.in)
}

// blanks skips white space from i on. It says No if there are as many as limit,
// which bounds what is held, and asks for more where the text may go on with them.
func (p *parser) blanks(rest []byte, i, limit int) (int, markup.Verdict) {
	end := i + limit
	for i < end && i < len(rest) && markup.IsBlank(rest[i]) {
		i++
	}
	switch {
	case i == end:
		return i, markup.NoMatch
	case i == len(rest) && !p.eof:
		return i, markup.NeedMore
	}
	return i, markup.Match
}

// cutState reads nothing: the answer has ended. A model that may go on has only
// ended its calls.
func cutState(p *parser) state {
	if p.talks {
		p.offers, p.mark = false, -1
		return textState
	}
	p.cut = true
	p.pos, p.mark = len(p.in), -1
	return nil
}
