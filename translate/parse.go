package translate

import (
	"bytes"
	"cmp"
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// states holds the function of each state but wait.
var states = [...]func(*parser) state{
	inText:         (*parser).readText,
	atAnswer:       (*parser).readAnswer,
	afterThinking:  (*parser).readAfterThinking,
	inRehearsal:    (*parser).readRehearsal,
	inWrapper:      (*parser).readWrapper,
	atInvoke:       (*parser).readInvoke,
	atToolName:     (*parser).readToolName,
	inCall:         (*parser).readCall,
	atValue:        (*parser).readValueStart,
	inValue:        (*parser).readValue,
	inNestedValue:  (*parser).readNestedValue,
	inDoubt:        (*parser).readDoubt,
	atJSONName:     (*parser).readJSONName,
	inJSONCall:     (*parser).readJSONCall,
	afterJSONCall:  (*parser).readAfterJSONCall,
	betweenCalls:   (*parser).readBetweenCalls,
	atFenceEnd:     (*parser).readFenceEnd,
	inBrokenCall:   (*parser).readBrokenCall,
	inLiteral:      (*parser).readLiteral,
	inForeignBlock: (*parser).readForeignBlock,
	afterAnswer:    (*parser).readAfterAnswer,
}

// newParser returns a parser of the answer to prompt, which is for req. Its events go to yield,
// until that returns false. It keeps neither of the two.
func newParser(req *messages.Request, prompt *Prompt, yield func(messages.Event, error) bool) *parser {
	tools := prompt.tools
	if tools == nil {
		tools = outliving(req.Tools)
	}
	p := &parser{
		req: answered(req, tools), format: cmp.Or(prompt.format, formats[0]), state: inText,
		in:    input{mark: -1},
		out:   emitter{yield: yield, seed: strings.Clone(req.ID)},
		reads: prompt.reads, escaped: prompt.escaped, mayCall: req.ShowsTools(), flowsValues: prompt.flowsValues,
		readsQuoted: prompt.readsQuoted,
		tools:       toolNames{list: tools}, schemas: prompt.schemas.outliving(tools),
		text:     textSeen{opening: prompt.opening, apart: markup.Unescaper{Escapes: prompt.escaped}, takesThinking: req.Thinking != messages.ThinkingOff},
		invented: prompt.invented,
	}
	if len(p.invented) > 0 { // or the call of the example may be meant
		p.example, p.out.wrote, p.out.keeps = prompt.example, p.openUnlessEcho, maxKept
	}
	if prompt.ToolAPI != nil {
		p.mayCall = p.mayCall && prompt.rescues
		if p.mayCall {
			p.balance, p.out.keeps = callBalance{}, maxCompared
		}
	}
	if p.reads == nil {
		p.reads = newReads(p.format, nil, 0)
	}
	if !p.text.takesThinking {
		p.text.hidesThinking = prompt.unaskedThinking == UnaskedHide
		p.text.takesThinking = p.text.hidesThinking || prompt.unaskedThinking == UnaskedBlock
	}
	p.noteLineStarts()
	if n := len(prompt.Turns); n > 0 && prompt.Turns[n-1].Role == messages.RoleAssistant {
		var prefill strings.Builder
		for _, part := range prompt.Turns[n-1].Parts {
			prefill.WriteString(part.Text)
		}
		p.text.prefill = strings.TrimSuffix(prefill.String(), prompt.opening)
	}
	switch {
	case p.text.prefill != "" || p.text.opening != "": // which the completion continues
	case prompt.thinking == ThinkingMaybe || prompt.thinking == ThinkingOpen:
		p.text.opened = prompt.thinking
	default:
		p.state = p.nextText()
	}
	return p
}

// feed reads the next piece of the completion, which may be cut anywhere, even within a character.
// Text that the states cannot decide on yet stays in the input. A call with "" only runs the
// states, after the input has got its end.
func (p *parser) feed(s string) {
	for {
		piece := s[:min(len(s), p.in.room())]
		s = s[len(piece):]
		p.in.add(piece)
		if !p.passOn() {
			p.run()
		}
		if p.in.isFull() {
			p.decideAsText()
		}
		if s == "" || p.ended || p.out.gone {
			return
		}
	}
}

// passOn writes the text that was added without the states, if they could only pass it on: in prose
// or in a string value, every `<` in it is text, and there is no escape of ours. It reports whether
// it did.
func (p *parser) passOn() bool {
	if p.writePlain == nil || p.in.eof || p.out.gathered() > maxHeld {
		return false
	}
	rest := p.in.rest()
	n, kind := 0, SpanValue
	switch {
	case p.state == inText:
		kind = SpanText
		n = p.nextTextTag(rest)
		if p.mayCall {
			n = p.nextLiteral(rest[:n])
		}
		if p.escaped.Tags != 0 {
			n = nextEntity(rest, n)
		}
	case len(p.call.ends) > 0:
		return false
	default:
		n = p.nextSpecial(rest, 0)
		p.value.looked = n
	}
	if n < len(rest) || n == 0 {
		return false
	}
	p.value.looked = 0
	if kind == SpanValue {
		p.value.edge = edgeOf(p.value.edge, rest)
	}
	p.writePlain(p, rest)
	p.in.takeAll(kind)
	p.in.compact()
	p.out.flush()
	return true
}

// run runs the states until one of them waits for more text.
func (p *parser) run() {
	p.writePlain = nil
	for !p.out.gone && !p.ended {
		next := states[p.state](p)
		if next == wait {
			break
		}
		p.state = next
	}
	p.in.compact()
	p.out.flush()
}

// decideAsText gives back the text after the mark, since there is too much of it: see maxUndecided. A call
// that is certain goes on.
func (p *parser) decideAsText() {
	if p.call.certain {
		p.openCall()
		p.run()
		return
	}
	p.in.takeAll(SpanText)
	p.value = valueSeen{}
	if p.call.tool == "" {
		p.state = p.giveBack()
	} else {
		p.state = p.giveBackCall("too_long")
	}
	p.run()
}

// finish reads what is left when the upstream has stopped. stop and sequence are what the upstream
// said. Where that was a stop sequence, which upstreams leave out of the text, finish decides
// whether the parser has to read it.
func (p *parser) finish(stop messages.Stop, sequence string) {
	f, ours := p.format, p.format.isOurs(stop, sequence)
	p.cutShort = stop != messages.StopEndTurn && !ours
	if p.value.open && "</"+p.value.text.closer+">" == f.impliedEnd {
		p.cutShort = true // the tag ends that parameter, and not the calls
	}
	switch {
	case ours && sequence == "" && p.wouldBeText(f.stopSequence):
		// In a value the tag would be read as text, but an upstream that names no sequence
		// may have come to the model's own end: it is not certain that the tag was written.
	case ours && p.call.begun:
		// The tag ended the calls or, where a value is open and the upstream named the tag,
		// was text of the value. The states tell the two apart.
		p.feed(f.impliedEnd)
	case sequence == f.stopSequence && p.text.code.isOpen():
		p.feed(f.stopSequence) // the model quoted the tag in Markdown code
	case stop == messages.StopSequence && p.endsCall(sequence) && !p.wouldBeText(sequence):
		p.feed(sequence)
		p.cutShort = false
	}
	p.in.end()
	p.feed("")
	p.finishText()
}

// endsCall reports whether a stop sequence is the closing tag of the call that is read, or of its wrapper. Some
// clients have one among their own (docs/reference/legacy-format.md §10), so a call that stopped at it is
// whole. Text that is not decided on may be a whole call with it, as <tool_call>ping is.
func (p *parser) endsCall(sequence string) bool {
	if sequence == "" || sequence[0] != '<' {
		return false
	}
	t, v := p.matchOpener([]byte(sequence))
	if v != markup.Match || t.Len != len(sequence) || !t.Closing || !t.Is("invoke") && !t.IsWrapper() {
		return false
	}
	if rest := p.in.rest(); !p.call.begun && len(rest) > 0 && !p.text.code.isOpen() {
		opener, v := p.matchTextTag(append(bytes.Clone(rest), sequence...))
		name, named := opener.NameAttribute()
		return v == markup.Match && opener.Kind == markup.KindInvoke && named && p.tools.named(name) != nil
	}
	return p.call.begun
}
