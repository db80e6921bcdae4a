package answer

import (
	"bytes"
	"cmp"
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/emit"
	"dragoman/translate/answer/tagged"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// states holds the function of each state except wait.
var states = [...]func(*parser) state{
	inText:         (*parser).readText,
	atAnswer:       (*parser).readAnswer,
	afterThinking:  (*parser).readAfterThinking,
	inRehearsal:    (*parser).readRehearsal,
	inWrapper:      (*parser).readWrapper,
	atInvoke:       (*parser).readInvoke,
	atToolName:     (*parser).readToolName,
	inTags:         (*parser).readTags,
	atJSONName:     (*parser).readJSONName,
	inJSONCall:     (*parser).readJSONCall,
	afterJSONCall:  (*parser).readAfterJSONCall,
	betweenCalls:   (*parser).readBetweenCalls,
	atFenceEnd:     (*parser).readFenceEnd,
	atLineEnd:      (*parser).readLineEnd,
	inBrokenCall:   (*parser).readBrokenCall,
	inLiteral:      (*parser).readLiteral,
	inForeignBlock: (*parser).readForeignBlock,
	afterAnswer:    (*parser).readAfterAnswer,
}

// newParser returns a parser for the answer to a prompt, which belongs to req. It sends events to yield until yield
// returns false. It keeps neither req nor the prompt.
func newParser(req *messages.Request, asked *prompt.Prompt, yield func(messages.Event, error) bool) *parser {
	tools := asked.Tools
	if tools == nil {
		tools = prompt.Outliving(req.Tools)
	}
	p := &parser{
		req: answered(req, tools), format: cmp.Or(asked.Declared, format.List[0]), state: inText,
		in:    completion.New(),
		out:   emit.New(yield, strings.Clone(req.ID)),
		Reads: asked.Reads, escaped: asked.Escaped, mayCall: req.ShowsTools(), streamValues: asked.Target.StreamValues == prompt.ValuesFlow,
		quotedCalls: asked.Target.QuotedCalls == prompt.QuotedRead,
		tools:       format.ToolNames{List: tools}, schemas: asked.Schemas.Outliving(tools),
		text:     textSeen{opening: asked.Opening, apart: markup.Unescaper{Escapes: asked.Escaped}, takesThinking: req.Thinking != messages.ThinkingOff},
		invented: asked.Invented,
	}
	if len(p.invented) > 0 { // without invented values, the model may mean the call of the example
		p.example, p.out.Wrote, p.out.Keeps = asked.Example, p.openUnlessEcho, emit.MaxKept
	}
	if asked.ToolAPI != nil {
		p.mayCall = p.mayCall && asked.Target.Rescues()
		if p.mayCall {
			p.balance, p.out.Keeps = callBalance{}, emit.MaxCompared
		}
	}
	if p.Reads == nil {
		p.Reads = format.NewReads(p.format, nil, 0)
	}
	if !p.text.takesThinking {
		p.text.hidesThinking = asked.Target.UnaskedThinking == format.UnaskedHide
		p.text.takesThinking = p.text.hidesThinking || asked.Target.UnaskedThinking == format.UnaskedBlock
	}
	p.prepare()
	if n := len(asked.Turns); n > 0 && asked.Turns[n-1].Role == messages.RoleAssistant {
		var prefill strings.Builder
		for _, part := range asked.Turns[n-1].Parts {
			prefill.WriteString(part.Text)
		}
		p.text.prefill = strings.TrimSuffix(prefill.String(), asked.Opening)
	}
	switch {
	case p.text.prefill != "" || p.text.opening != "": // the completion continues the prefill
	case asked.Target.Thinking == format.ThinkingMaybe || asked.Target.Thinking == format.ThinkingOpen:
		p.text.opened = asked.Target.Thinking
	default:
		p.state = p.nextText()
	}
	return p
}

// prepare sets up the tag reader and the first bytes of calls that begin a line.
func (p *parser) prepare() {
	p.tags = tagged.NewReader(&p.call.OpenCall, &p.in, &p.out, p.Reads, &p.tools, p.escaped)
	p.tags.Stop, p.tags.Open, p.tags.Whole, p.tags.Hold = p.format.StopSequence, p.openOffered, p.openCertain, p.holdOffered
	p.noteLineStarts()
}

// feed reads the next piece of the completion. The piece may be cut anywhere, even within a character. Text that
// the states cannot decide on yet stays in the input. feed("") only runs the states, after the input has got its
// end.
func (p *parser) feed(s string) {
	for {
		piece := s[:min(len(s), p.in.Room())]
		s = s[len(piece):]
		p.in.Add(piece)
		if !p.passOn() {
			p.run()
		}
		if p.in.IsFull() {
			p.decideAsText()
		}
		if s == "" || p.ended || p.out.Gone {
			return
		}
	}
}

// passOn writes the added text without running the states, if they would write it unchanged. That is the case in
// prose or in a string value, if every `<` is plain text and no escape of ours occurs. It reports whether it wrote
// the text.
func (p *parser) passOn() bool {
	if p.writePlain == nil || p.in.EOF || p.out.Gathered() > emit.MaxHeld {
		return false
	}
	rest := p.in.Rest()
	n, kind := 0, completion.SpanValue
	switch {
	case p.state == inText:
		kind = completion.SpanText
		n = p.nextTextTag(rest)
		if p.mayCall {
			n = p.nextLiteral(rest[:n])
		}
		if p.escaped.Tags != 0 {
			n = completion.NextEntity(rest, n)
		}
	default:
		n = p.tags.Plain(rest)
	}
	if n < len(rest) || n == 0 {
		return false
	}
	p.writePlain(p, rest)
	p.in.TakeAll(kind)
	p.in.Compact()
	p.out.Flush()
	return true
}

// run runs the states until one of them waits for more text.
func (p *parser) run() {
	p.writePlain = nil
	for !p.out.Gone && !p.ended {
		next := states[p.state](p)
		if next == wait {
			break
		}
		p.state = next
	}
	p.in.Compact()
	p.out.Flush()
}

// decideAsText gives back the text after the mark, because it is too long: see MaxUndecided. A call that is certain
// continues.
func (p *parser) decideAsText() {
	if p.call.Certain {
		p.openCall()
		p.run()
		return
	}
	p.in.TakeAll(completion.SpanText)
	p.tags.Begin()
	if p.state == inRehearsal {
		p.keepRehearsed(true)
	}
	if p.call.Tool == "" {
		p.state = p.giveBack()
	} else {
		p.state = p.giveBackCall(messages.ReasonTooLong)
	}
	p.run()
}

// finish reads the rest of the text after the upstream has stopped. stop and sequence are what the upstream
// reported. Upstreams omit the stop sequence from the text. finish decides whether the parser has to read it.
func (p *parser) finish(stop messages.Stop, sequence string) {
	f, ours := p.format, p.format.IsOurs(stop, sequence)
	p.in.CutShort = stop != messages.StopEndTurn && (!ours || p.call.openFence) // in code, the model may have quoted the tag
	if p.tags.ClosesValue(f.ImpliedEnd) {
		p.in.CutShort = true // the tag ends that parameter, and not the calls
	}
	switch {
	case ours && (sequence == "" || p.state == inJSONCall) && p.wouldBeText(f.StopSequence):
		// In a value, the parser would read the tag as text. But an upstream that names no sequence may have
		// reached the model's own end, so it is not certain that the model wrote the tag. In a string of JSON, the tag
		// must not look like the end of a broken call.
	case ours && sequence == "" && p.call.alone && p.text.answered:
		// JSON behind prose is a call if a closing tag follows. It may as well be a text of the client, which the model
		// repeats, and an upstream that names no sequence does not say that there was a tag.
	case ours && p.call.begun && !p.call.openFence:
		// The tag ended the calls, or it was text of an open value and the upstream named the tag. The states tell
		// the two apart. If nobody named the tag, it is no text.
		if sequence == "" {
			p.out.HeldEnd = f.ImpliedEnd
		}
		p.feed(f.ImpliedEnd)
	case sequence == f.StopSequence && p.text.code.isOpen():
		p.feed(f.StopSequence) // the model quoted the tag in Markdown code
	case stop == messages.StopSequence && p.endsCall(sequence) && !p.call.openFence && !p.wouldBeText(sequence):
		p.feed(sequence)
		p.in.CutShort = false
	}
	p.in.End()
	p.feed("")
	p.out.DropHeldEnd()
	p.finishText()
}

// endsCall reports whether a stop sequence is the closing tag of the current call, or of its wrapper. Some clients
// have such a tag among their own stop sequences (docs/reference/legacy-format.md §10), so a call that stopped
// there is whole. Undecided text may form a whole call with the tag: <tool_call>ping, for example.
func (p *parser) endsCall(sequence string) bool {
	if sequence == "" || sequence[0] != '<' {
		return false
	}
	t, v := p.matchOpener([]byte(sequence))
	if v != markup.Match || t.Len != len(sequence) || !t.Closing || !t.Is("invoke") && !t.IsWrapper() {
		return false
	}
	if rest := p.in.Rest(); !p.call.begun && len(rest) > 0 && !p.text.code.isOpen() {
		opener, v := p.matchTextTag(append(bytes.Clone(rest), sequence...))
		name, named := opener.NameAttribute()
		return v == markup.Match && opener.Kind == markup.KindInvoke && named && p.tools.Named(name) != nil
	}
	return p.call.begun
}
