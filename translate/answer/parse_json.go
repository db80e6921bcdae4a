package answer

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// JSON calls: <tool_call>{"name":…,"arguments":{…}}</tool_call>, in a wrapper of any name.

// readJSONName is the state atJSONName: the parser has read a wrapper, or a call in one, and { is next. Models
// usually write the name of the tool as the first member. If that name is an offered tool, the call is certain
// before its arguments come. In any case the parser then reads the whole object (inJSONCall). If the name is
// invalid for every tool, the parser gives the call back.
func (p *parser) readJSONName() state {
	name, v := matchJSONName(p.in.Rest(), p.in.EOF)
	if v == markup.NeedMore {
		return wait
	}
	p.json = jsonSeen{}
	if p.call.alone {
		switch p.matchCallKey(p.in.Rest()) {
		case markup.NeedMore:
			return wait
		case markup.NoMatch:
			return p.giveBack()
		}
	}
	if v == markup.NoMatch {
		p.json.depth = held.DepthOf(p.in.Rest())
		return inJSONCall
	}
	if tool, _ := p.tools.Find(name); tool == nil && p.call.alone {
		switch p.matchUnoffered(name, p.in.Rest()) {
		case markup.NeedMore:
			return wait
		case markup.NoMatch:
			return p.giveBack()
		}
		return inJSONCall // which names the tool, if the object is a call
	}
	if next, ok := p.nameTool(name); !ok {
		return next
	}
	return inJSONCall
}

// matchJSONName matches `{"name": "…"` and returns the name. If the name has escapes, it does not match, and the
// parser finds the name after the whole object. If the first string is too long, matchJSONName returns its
// beginning as the name: no tool can have it.
func matchJSONName(s []byte, eof bool) (name string, v markup.Verdict) {
	more := markup.NeedMore
	if most := 2 * format.MaxToolName; eof || len(s) >= most {
		more, s = markup.NoMatch, s[:min(len(s), most)]
	}
	i := 0
	for _, token := range []string{"{", `"name"`, ":"} {
		switch i = markup.SkipBlanks(s, i, len(s)); {
		case markup.HasPrefix(s[i:], token):
			i += len(token)
		case markup.IsPrefixOf(s[i:], token):
			return "", more
		case s[i] == '"' && bytes.IndexByte(s[i+1:], '"') < 0: // the name of another member, still open
			return matchFirstString(s[i:], more)
		default:
			return "", markup.NoMatch
		}
	}
	i = markup.SkipBlanks(s, i, len(s))
	switch {
	case i == len(s):
		return "", more
	case s[i] != '"':
		return "", markup.NoMatch
	}
	return matchFirstString(s[i:], more)
}

// matchFirstString matches the string at the start of s: see matchJSONName. more is the verdict if the string may
// go on.
func matchFirstString(s []byte, more markup.Verdict) (name string, v markup.Verdict) {
	end := bytes.IndexAny(s[1:], `"\\`)
	switch {
	case end < 0 && len(s) > format.MaxToolName+1:
		return string(s[1:]), markup.Match
	case end < 0:
		return "", more
	case s[1+end] != '"':
		return "", markup.NoMatch // an escape
	}
	return string(s[1 : 1+end]), markup.Match
}

// readJSONCall is the state inJSONCall: the parser has read nothing, or a part, of a JSON call. It holds the text
// up to the last brace, and then writes the arguments (afterJSONCall). If the JSON is unreadable or cut off, it
// gives the call back, or breaks it off if the block is already open.
func (p *parser) readJSONCall() state {
	v := &p.json
	rest := p.in.Rest()
	n, end := v.depth.ReadObject(rest)
	v.held = append(v.held, rest[:n]...)
	p.in.Take(n, completion.SpanValue)
	switch {
	case p.out.HoldsTooMuch(len(v.held)):
		return p.closeTooLong()
	case end == markup.Match:
		return p.endJSONCall()
	case end == markup.NoMatch && v.depth.Depth == 1 && !v.depth.InString && !lacksMember(v.held): // the model forgot the last brace: a tag follows
		switch _, tag := p.matchOpener(p.in.Rest()); {
		case tag == markup.NeedMore:
			return wait
		case tag == markup.NoMatch && !p.in.CutShort:
			return p.closeUnreadableJSON(messages.ReasonInvalidJSON)
		}
		p.call.NoteReason(messages.ReasonMissingBrace)
		v.held, v.braced = append(v.held, '}'), true
		return p.endJSONCall()
	case end == markup.NoMatch:
		return p.closeUnreadableJSON(messages.ReasonInvalidJSON)
	case !p.in.EOF:
		return wait
	case p.call.alone && p.call.Tool == "" && isNamed(v.held): // the tool is not offered
		return p.giveBack()
	case p.findBrokenEnd():
		return p.endBroken()
	case p.in.CutShort || p.tags.IsPending():
		said := markup.Unescape(string(v.held), p.escaped, "")
		if !p.call.IsInput() {
			said = held.CutArguments(said)
		}
		p.out.WriteCutObject(said)
		return p.breakOff()
	}
	p.calls.incomplete = true // the call has no end, and may have been cut off
	return p.closeUnreadableJSON(messages.ReasonInvalidJSON)
}

// isNamed reports whether an object begins with a name.
func isNamed(object []byte) bool {
	_, v := matchJSONName(object, true)
	return v == markup.Match
}

// lacksMember reports whether another member must follow text, the beginning of an object.
func lacksMember(text []byte) bool {
	text = bytes.TrimRight(text, " \t\r\n")
	return bytes.HasSuffix(text, []byte(",")) || bytes.HasSuffix(text, []byte("{"))
}

// heldTool returns what the parser knows about the tool of the call.
func (p *parser) heldTool() *held.Tool {
	return &held.Tool{Name: p.call.Tool, Schema: p.call.Schema, Unoffered: p.call.Unoffered, Braced: p.json.braced}
}

// endJSONCall reads the whole text of a call, and writes the arguments as the input.
func (p *parser) endJSONCall() state {
	said := markup.Unescape(string(p.json.held), p.escaped, "")
	if p.call.IsInput() {
		return p.endJSONInput(said)
	}
	call, ok := held.ReadObject(said, &p.tools)
	if !ok && p.findBrokenEnd() {
		return p.endBroken()
	}
	if !ok {
		return p.closeUnreadableJSON(messages.ReasonInvalidJSON)
	}
	if p.call.Tool == "" {
		if next, ok := p.nameTool(call.Tool()); !ok {
			return next
		}
	}
	input, slips, ok := p.heldTool().Arguments(&call)
	if !ok {
		p.call.Unread = true
		return p.closeUnreadableJSON(append(slips, messages.ReasonInvalidJSON)[0])
	}
	if p.call.Spelling.IsUnsure() && (!call.IsBare() || !held.Takes(p.call.Schema, input)) {
		return p.giveBack() // the description of a tool, not a call
	}
	if !p.call.Spelling.IsListed() && p.format.Name != format.JSON && p.format.Name != format.Llama {
		p.call.NoteReason(messages.ReasonJSONCall)
	}
	p.noteReasons(slips)
	p.json.plain = call.IsPlain(input)
	return p.writeJSONInput(said, input)
}

// endJSONInput is endJSONCall for an object that is only the input.
func (p *parser) endJSONInput(said string) state {
	if strings.HasPrefix(said, `"`) {
		p.call.NoteReason(messages.ReasonJSONString)
		said = rawjson.UnquoteLoose(said)
	}
	input, slips, ok := p.heldTool().Input(said)
	if !ok {
		return p.closeUnreadableJSON(messages.ReasonInvalidJSON)
	}
	if p.call.Unoffered && p.call.Spelling.IDs && held.IsCallID(p.call.Tool) && !p.inferTool(input) {
		return p.giveBackCall(messages.ReasonToolName)
	}
	p.noteReasons(slips)
	return p.writeJSONInput(said, input)
}

// inferTool finds the tool of a call that has an id without a name: the only offered tool that accepts the input.
// It returns false if no tool, or more than one, accepts it.
func (p *parser) inferTool(input jsontext.Value) bool {
	i, ok := held.Infer(len(p.tools.List), func(i int) *schema.Schema { return p.schemas.Of(&p.tools.List[i]) }, input)
	if ok {
		p.nameTool(p.tools.List[i].Name)
		p.call.NoteReason(messages.ReasonToolName)
	}
	return ok
}

// writeJSONInput writes the input of a call. said is the text from which the input was read.
func (p *parser) writeJSONInput(said string, input []byte) state {
	if !jsontext.Value(said).IsValid() {
		p.call.NoteReason(messages.ReasonMendedJSON)
	}
	p.out.WriteInput(input[:len(input)-1]) // the emitter's CloseToolUse writes the last brace
	p.out.MarkWhole()
	if !p.call.MustBeWhole && p.call.line == nil && !p.isEcho() {
		p.openCall()
	}
	p.json.held = nil
	p.call.NoteInput(input)
	p.call.nested = held.ClosesWithin(said)
	return afterJSONCall
}

// closeUnreadableJSON gives back a call with unreadable JSON. If its block is already open, the parser breaks the
// call off, and writes its text after the block. In a format with closing tags, all text up to the closing tag
// belongs to the call, because a string in it may look like a call.
func (p *parser) closeUnreadableJSON(reason messages.Reason) state {
	p.call.NoteReason(reason)
	held := p.json.held
	if p.json.braced {
		held = held[:len(held)-1]
	}
	p.json.held = nil
	switch {
	case p.call.alone && (p.call.Tool == "" || p.call.Unoffered) && p.calls.whole == 0: // JSON that is no call
		return p.giveBack()
	case p.listEnd != "" && p.out.Pending && p.refusesElement(): // the calls behind it in the list may be read
		return p.refuseAs(messages.Outcome{Kind: messages.OutcomeRefused, Tool: p.call.Tool, Reason: p.call.Reason, Unread: true, InText: true})
	case p.tags.IsPending():
		return p.giveBackCall(reason)
	case p.out.Pending:
		return p.refuse()
	}
	p.call.Stray = held
	p.in.Seen.MakeStray()
	g := p.call.Spelling
	next := p.closeUnreadable()
	if next == betweenCalls && g.IsJSON() && g.Ends() {
		p.call.Spelling = g
		return inBrokenCall
	}
	return next
}

// readAfterJSONCall is the state afterJSONCall: the parser has read the last } of a JSON call, so the call is
// whole. It looks for the closing tag of the wrapper, or for another call, to record a missing closing tag. It
// leaves both to betweenCalls.
func (p *parser) readAfterJSONCall() state {
	if p.call.alone {
		v := p.matchAloneEnd(p.in.Rest())
		switch {
		case v == markup.NeedMore:
			return wait
		case v == markup.NoMatch || p.call.Spelling == listedCalls || p.call.Unoffered && p.call.Bare:
			reason := messages.ReasonDiscussed
			if p.calls.whole > 0 {
				reason = messages.ReasonBareCall
			}
			return p.leakCalls(reason, p.call.Tool)
		}
	}
	if p.call.Bare && p.call.Spelling == format.HarmonySpelling && !p.call.apart {
		switch held.MatchErasedEnd(p.in.Rest(), p.in.EOF) {
		case markup.NeedMore:
			return wait
		case markup.NoMatch:
			return p.giveBack()
		}
		p.call.apart = true
	}
	if !p.in.SkipBlanks() {
		if !p.in.EOF {
			return wait
		}
		return p.closeUnended()
	}
	rest := p.in.Rest()
	switch p.matchGoingOn(rest) {
	case markup.NeedMore:
		return wait
	case markup.Match:
		return p.closeDoubtful()
	}
	if rest[0] == '}' {
		p.call.NoteReason(messages.ReasonStrayText)
		p.in.Take(1, completion.SpanDropped)
		return afterJSONCall
	}
	if p.call.Fence != "" && !p.call.alone {
		switch {
		case markup.IsPrefixOf(rest, "```") && !p.in.EOF:
			return wait
		case markup.HasPrefix(rest, "```"):
			p.in.Take(len("```"), completion.SpanMarkup)
		}
		p.call.Fence = ""
		return afterJSONCall
	}
	t, v := p.matchOpener(rest)
	switch {
	case v == markup.NeedMore:
		return wait
	case p.call.IsInput() && v == markup.Match && t.Closing && t.Is("invoke"):
		p.call.NoteSlip(&t)
		p.in.Take(t.Len, completion.SpanMarkup)
		return p.closeCall(messages.ReasonNone)
	case v == markup.Match && t.Closing && t.IsWrapper(), rest[0] == '{':
		return p.closeCall(messages.ReasonNone)
	}
	if p.call.WrapperOpen {
		switch _, v := p.matchSeparator(rest); v {
		case markup.NeedMore:
			return wait
		case markup.Match:
			return p.closeCall(messages.ReasonNone)
		}
	}
	return p.closeUnended()
}

// closeUnended closes a whole call without a closing tag.
func (p *parser) closeUnended() state {
	if !p.call.Spelling.Ends() {
		return p.closeCall(messages.ReasonNone)
	}
	return p.closeCall(messages.ReasonMissingCloser)
}
