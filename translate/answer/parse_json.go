package answer

import (
	"bytes"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"

	"github.com/go-json-experiment/json/jsontext"
)

// A call in JSON: <tool_call>{"name":…,"arguments":{…}}</tool_call>, in a wrapper of any name.

// readJSONName is the state atJSONName: a wrapper has been read, or a call in one, and { is next. If
// the first member is the name of an offered tool, as models write it, the call is certain
// before its arguments come. In any case the whole object is then read (inJSONCall); a name
// that no tool can have is given back.
func (p *parser) readJSONName() state {
	name, v := matchJSONName(p.in.rest(), p.in.eof)
	if v == markup.NeedMore {
		return wait
	}
	p.value = valueSeen{}
	if p.call.alone {
		switch p.matchCallKey(p.in.rest()) {
		case markup.NeedMore:
			return wait
		case markup.NoMatch:
			return p.giveBack()
		}
	}
	if v == markup.Match {
		if next, ok := p.nameTool(name); !ok {
			return next
		}
	}
	return inJSONCall
}

// matchJSONName matches `{"name": "…"` and returns the name. A name with escapes is no match: it is
// read with the whole object. A first string that is too long for a name stands for one that no tool
// can have.
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
		case s[i] == '"' && bytes.IndexByte(s[i+1:], '"') < 0: // another member, whose name is open
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

// matchFirstString matches the string that s begins with: see matchJSONName. more is the verdict if it
// may go on.
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

// readJSONCall is the state inJSONCall: nothing, or a part, of a call in JSON has been read. It holds
// the text up to the last brace, and then writes the arguments (afterJSONCall). A call that cannot
// be read as JSON is given back or, if its block is open, broken off; so is one that was cut.
func (p *parser) readJSONCall() state {
	v := &p.value
	rest := p.in.rest()
	n, end := v.json.ReadObject(rest)
	v.held = append(v.held, rest[:n]...)
	p.in.take(n, SpanValue)
	switch {
	case p.holdsTooMuch():
		return p.closeTooLong()
	case end == markup.Match:
		return p.endJSONCall()
	case end == markup.NoMatch && v.json.Depth == 1 && !v.json.InString && !lacksMember(v.held): // a tag in place of the last brace, which the model forgot
		switch _, tag := p.matchOpener(p.in.rest()); {
		case tag == markup.NeedMore:
			return wait
		case tag == markup.NoMatch && !p.cutShort:
			return p.closeUnreadableJSON()
		}
		p.noteReason("missing_brace")
		v.held, v.braced = append(v.held, '}'), true
		return p.endJSONCall()
	case end == markup.NoMatch:
		return p.closeUnreadableJSON()
	case !p.in.eof:
		return wait
	case p.cutShort || p.isPending():
		said := markup.Unescape(string(v.held), p.escaped, "")
		if !p.call.isInput() {
			said = held.CutArguments(said)
		}
		p.out.writeCutObject(said)
		return p.breakOff()
	}
	p.calls.incomplete = true // it has no end, and may have been cut
	return p.closeUnreadableJSON()
}

// lacksMember reports whether a member belongs behind text, which an object begins with.
func lacksMember(text []byte) bool {
	text = bytes.TrimRight(text, " \t\r\n")
	return bytes.HasSuffix(text, []byte(",")) || bytes.HasSuffix(text, []byte("{"))
}

// heldTool returns what is known of the tool of the call.
func (p *parser) heldTool() *held.Tool {
	return &held.Tool{Name: p.call.tool, Schema: p.call.schema, Unoffered: p.call.unoffered, Braced: p.value.braced}
}

// endJSONCall reads a call whose text is whole, and writes its arguments as the input.
func (p *parser) endJSONCall() state {
	said := markup.Unescape(string(p.value.held), p.escaped, "")
	if p.call.isInput() {
		return p.endJSONInput(said)
	}
	call, ok := held.ReadObject(said, &p.tools)
	if !ok {
		return p.closeUnreadableJSON()
	}
	if p.call.tool == "" {
		if next, ok := p.nameTool(call.Tool()); !ok {
			return next
		}
	}
	input, slips, ok := p.heldTool().Arguments(&call)
	if !ok {
		p.call.unread = true
		return p.closeUnreadableJSON()
	}
	if p.call.spelling.IsUnsure() && (!call.IsBare() || !held.Takes(p.call.schema, input)) {
		return p.giveBack() // the description of a tool
	}
	if !p.call.spelling.IsListed() && p.format.Name != format.JSON && p.format.Name != format.Llama {
		p.noteReason("json_call")
	}
	p.noteReasons(slips)
	return p.writeJSONInput(said, input)
}

// endJSONInput is endJSONCall where the object is the input alone.
func (p *parser) endJSONInput(said string) state {
	if said[0] == '"' {
		p.noteReason("json_string")
		said = rawjson.UnquoteLoose(said)
	}
	input, slips, ok := p.heldTool().Input(said)
	if !ok {
		return p.closeUnreadableJSON()
	}
	if p.call.unoffered && p.call.spelling.IDs && held.IsCallID(p.call.tool) && !p.inferTool(input) {
		return p.giveBackCall("tool_name")
	}
	p.noteReasons(slips)
	return p.writeJSONInput(said, input)
}

// inferTool names the tool of a call whose id has no name in it: the one offered tool that takes such an
// input. It reports false if there is none, or several.
func (p *parser) inferTool(input jsontext.Value) bool {
	i, ok := held.Infer(len(p.tools.List), func(i int) *schema.Schema { return p.schemas.Of(&p.tools.List[i]) }, input)
	if ok {
		p.nameTool(p.tools.List[i].Name)
		p.noteReason("tool_name")
	}
	return ok
}

// writeJSONInput writes the input of a call, which stands in what the model said.
func (p *parser) writeJSONInput(said string, input []byte) state {
	if !jsontext.Value(said).IsValid() {
		p.noteReason("mended_json")
	}
	p.out.writeInput(input[:len(input)-1]) // closeToolUse writes the last brace
	p.out.markWhole()
	if !p.call.mustBeWhole && !p.call.inSentence && !p.isEcho() {
		p.openCall()
	}
	p.value.held = nil
	p.call.jsonInput, p.call.nested = true, held.ClosesWithin(said)
	p.call.members = memberNames(input)
	return afterJSONCall
}

// closeUnreadableJSON gives a call back that cannot be read as JSON. If its block is open already, the
// call is broken off, and its text follows the block. Where a closing tag tells its end, the text goes up to
// that: what looks like a call before it may stand in a string.
func (p *parser) closeUnreadableJSON() state {
	p.noteReason("invalid_json")
	held := p.value.held
	if p.value.braced {
		held = held[:len(held)-1]
	}
	p.value.held = nil
	switch {
	case p.isPending():
		return p.giveBackCall("invalid_json")
	case p.out.pending:
		return p.refuse()
	}
	p.call.stray = held
	p.in.seen.makeStray()
	g := p.call.spelling
	next := p.closeUnreadable()
	if next == betweenCalls && g.IsJSON() && g.Ends() {
		p.call.spelling = g
		return inBrokenCall
	}
	return next
}

// readAfterJSONCall is the state afterJSONCall: the last } of a call in JSON has been read, so the
// call is whole. It only looks whether the closing tag of the wrapper is there, or another call,
// to note a missing one, and leaves both to betweenCalls.
func (p *parser) readAfterJSONCall() state {
	if p.call.alone {
		v := p.matchAloneEnd(p.in.rest())
		switch {
		case v == markup.NeedMore:
			return wait
		case v == markup.NoMatch || p.call.spelling == listedCalls:
			return p.leakAlone()
		}
	}
	if p.call.bare && p.call.spelling == format.HarmonySpelling && !p.call.apart {
		switch held.MatchErasedEnd(p.in.rest(), p.in.eof) {
		case markup.NeedMore:
			return wait
		case markup.NoMatch:
			return p.giveBack()
		}
		p.call.apart = true
	}
	if !p.in.skipBlanks() {
		if !p.in.eof {
			return wait
		}
		return p.closeUnended()
	}
	rest := p.in.rest()
	if p.call.fence != "" && !p.call.alone {
		switch {
		case markup.IsPrefixOf(rest, "```") && !p.in.eof:
			return wait
		case markup.HasPrefix(rest, "```"):
			p.in.take(len("```"), SpanMarkup)
		}
		p.call.fence = ""
		return afterJSONCall
	}
	switch p.matchGoingOn(rest) {
	case markup.NeedMore:
		return wait
	case markup.Match:
		return p.closeDoubtful()
	}
	if rest[0] == '}' {
		p.noteReason("stray_text")
		p.in.take(1, SpanDropped)
		return afterJSONCall
	}
	t, v := p.matchOpener(rest)
	switch {
	case v == markup.NeedMore:
		return wait
	case p.call.isInput() && v == markup.Match && t.Closing && t.Is("invoke"):
		p.in.take(t.Len, SpanMarkup)
		return p.closeCall("")
	case v == markup.Match && t.Closing && t.IsWrapper(), rest[0] == '{':
		return p.closeCall("")
	}
	if p.call.wrapperOpen {
		switch _, v := p.matchSeparator(rest); v {
		case markup.NeedMore:
			return wait
		case markup.Match:
			return p.closeCall("")
		}
	}
	return p.closeUnended()
}

// closeUnended closes a call that is whole, and whose end is not there.
func (p *parser) closeUnended() state {
	if !p.call.spelling.Ends() {
		return p.closeCall("")
	}
	return p.closeCall("missing_closer")
}
