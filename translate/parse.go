package translate

import (
	"cmp"
	"strings"
	"unicode/utf8"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// states are the functions that read each state.
var states = [...]func(*parser) state{
	inText:         (*parser).readText,
	afterThinking:  (*parser).readAfterThinking,
	inRehearsal:    (*parser).readRehearsal,
	inWrapper:      (*parser).readWrapper,
	atInvoke:       (*parser).readInvoke,
	atToolName:     (*parser).readToolName,
	inCall:         (*parser).readCall,
	atValue:        (*parser).readValueStart,
	inValue:        (*parser).readValue,
	atJSONName:     (*parser).readJSONName,
	inJSONCall:     (*parser).readJSONCall,
	afterJSONCall:  (*parser).readAfterJSONCall,
	betweenCalls:   (*parser).readBetweenCalls,
	inBrokenCall:   (*parser).readBrokenCall,
	inForeignBlock: (*parser).readForeignBlock,
	afterAnswer:    (*parser).readAfterAnswer,
}

// newParser returns a parser of the answer to a prompt, which yields its events until yield
// returns false.
func newParser(req *messages.Request, prompt *Prompt, yield func(messages.Event) bool) *parser {
	p := &parser{
		req: req, format: cmp.Or(prompt.format, formats[0]), state: inText,
		in:      input{mark: -1},
		out:     emitter{yield: yield, seed: req.ID},
		escaped: prompt.escaped, mayCall: req.OffersTools(), holdsValues: prompt.holdsValues,
		tools: toolNames{list: req.Tools}, schemas: cmp.Or(prompt.schemas, new(toolSchemas)),
		text: textSeen{opening: prompt.opening, thinkingAsked: req.Thinking != messages.ThinkingOff},
	}
	if n := len(prompt.Turns); n > 0 && prompt.Turns[n-1].Role == messages.RoleAssistant {
		var prefill strings.Builder
		for _, part := range prompt.Turns[n-1].Parts {
			prefill.WriteString(part.Text)
		}
		p.text.prefill = strings.TrimSuffix(prefill.String(), prompt.opening)
	}
	return p
}

// feed reads more text, of whole characters or not.
func (p *parser) feed(s string) {
	if p.feedPlain(s) {
		return
	}
	for {
		piece := s[:min(len(s), p.in.room())]
		s = s[len(piece):]
		p.in.add(piece)
		p.run()
		if p.in.isFull() {
			p.decideAsText()
		}
		if s == "" || p.ended || p.out.gone {
			return
		}
	}
}

// run reads as far as the states can decide.
func (p *parser) run() {
	p.writePlain = nil
	for !p.out.gone {
		next := states[p.state](p)
		if next == wait {
			break
		}
		p.state = next
	}
	p.in.compact()
	p.out.flush()
}

// decide takes what has been undecided for too long for text.
func (p *parser) decideAsText() {
	p.in.takeAll()
	p.value = valueSeen{}
	if p.call.tool == "" {
		p.state = p.giveBack()
	} else {
		p.state = p.giveBackCall("too_long")
	}
	p.run()
}

// feedPlain reads the piece that most are: text without markup, in the middle of prose or of a
// string, with nothing undecided before it. It reports whether s is one.
func (p *parser) feedPlain(s string) bool {
	if p.writePlain == nil || s == "" || p.out.gathered() > maxHeld {
		return false
	}
	if p.out.openKind == messages.BlockToolUse && p.value.lastNewline == "" && len(s) <= maxPiece && p.in.isAllRead() && rawjson.IsPlain(s) {
		p.out.writeString(s)
		p.value.endsBlank = markup.IsBlank(s[len(s)-1])
		p.out.flush()
		return true
	}
	if len(s) > maxPiece || strings.IndexByte(s, '<') >= 0 ||
		p.escaped != 0 && strings.IndexByte(s, '&') >= 0 || !p.in.isAllRead() || !utf8.ValidString(s) {
		return false
	}
	p.writePlain(p, p.in.borrow(s))
	p.out.flush()
	return true
}

// finish reads what is left when the upstream has stopped.
func (p *parser) finish(stop messages.Stop, sequence string) {
	f, ours := p.format, p.format.isOurs(stop, sequence)
	p.cutShort = stop != messages.StopEndTurn && !ours
	switch {
	case ours && sequence == "" && p.wouldBeText(f.stopSequence):
		// It may as well be that the model had no more to say: nothing tells that it
		// wrote the tag.
	case ours && p.call.begun:
		// The upstream took the tag off that ended the calls, or, if it says so, that
		// the model quoted: with it, there is one way to read both.
		p.feed(f.impliedEnd)
	case sequence == f.stopSequence && p.text.code.isOpen():
		p.feed(f.stopSequence)
	case stop == messages.StopSequence && sequence == invokeEnd && p.call.begun && !p.wouldBeText(invokeEnd):
		p.feed(invokeEnd)
		p.cutShort = false
	}
	p.in.end()
	p.feed("")
	p.finishText()
}

// invokeEnd is the end of one call: a stop sequence of some clients
// (docs/reference/legacy-format.md §10).
const invokeEnd = "</invoke>"
