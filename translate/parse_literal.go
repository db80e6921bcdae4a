package translate

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// Calls that are literals of a language: [book(note="a"), ping()], call:book{count:3}. They are read when
// they are whole, up to the end of their last bracket. In a wrapper that is all; without one they are
// calls only if nothing speaks against it: they stand where a line begins or, if they have arguments, on
// a line of their own end; they close, name offered tools and carry what those require.

// literalSeen is what has been seen of calls that are literals.
type literalSeen struct {
	literalScan
	from     int  // where they begin: see input.offset
	whole    bool // the last bracket has been read
	bare     bool // they stand without a wrapper
	marked   bool // the wrapper is that of a format of literals
	midLine  bool // text stands before them on their line
	unclosed bool // a tag stands where the last bracket belongs
}

// literalCall is one of them.
type literalCall struct {
	name  string
	input jsontext.Value
	typed bool // the values are as they are meant: see retype
}

// nextLiteral returns the index in text of what may begin such calls in prose, or len(text).
func (p *parser) nextLiteral(text []byte) int {
	n := len(text)
	if p.readsLiteral[pythonLiteral] {
		if i := bytes.IndexByte(text, '['); i >= 0 {
			n = i
		}
	}
	if !p.readsLiteral[gemmaLiteral] {
		return n
	}
	atStart := !p.text.code.midLine
	for at := 0; at < n; atStart = true {
		if i := markup.SkipBlanks(text, at, n); atStart && i < n && (markup.HasPrefix(text[i:], gemmaCall) || markup.IsPrefixOf(text[i:], gemmaCall)) {
			return i
		}
		i := bytes.IndexByte(text[at:n], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return n
}

// readTextLiteral reads what may begin such calls in prose, which rest begins with: as text, or as their
// beginning (inLiteral). The mark then stands before it.
func (p *parser) readTextLiteral(rest []byte) state {
	syntax, name, _, v := p.matchLiteral(rest)
	if v == markup.NeedMore {
		return wait
	}
	code := &p.text.code
	code.settle()
	if tool, _ := p.tools.find(name); v == markup.NoMatch || tool == nil || code.fence > 0 || code.inline > 0 {
		return p.takeText(1)
	}
	p.beginCall(markup.Tag{})
	if p.text.thinkingTag != "" {
		return inRehearsal
	}
	p.beginLiteral(syntax, name)
	p.literal.midLine = code.midLine
	return inLiteral
}

// matchLiteral matches the beginning of a call, up to the bracket before its arguments: n is the index of
// that.
func (p *parser) matchLiteral(rest []byte) (syntax literalSyntax, name string, n int, v markup.Verdict) {
	head := rest[:min(len(rest), 2*maxToolName)]
	more := markup.NoMatch
	if len(head) < 2*maxToolName {
		more = p.in.needMore()
	}
	if p.readsLiteral[gemmaLiteral] {
		if name, n, v = matchGemmaHead(head, more); v != markup.NoMatch {
			return gemmaLiteral, name, n, v
		}
	}
	if p.readsLiteral[pythonLiteral] {
		name, n, v = matchPythonHead(head, more)
		return pythonLiteral, name, n, v
	}
	return noLiteral, "", 0, markup.NoMatch
}

// matchPythonHead matches the name of a call in Python, maybe as the first of a list. more is the verdict
// if it may go on.
func matchPythonHead(head []byte, more markup.Verdict) (name string, n int, v markup.Verdict) {
	from := 0
	if len(head) > 0 && head[0] == '[' {
		from = 1
	}
	from = markup.SkipBlanks(head, from, len(head))
	n = from
	for n < len(head) && rawjson.IsPythonCallByte(head[n]) {
		n++
	}
	name = string(head[from:n])
	n = markup.SkipBlanks(head, n, len(head))
	switch {
	case n == len(head):
		return "", 0, more
	case head[n] != '(' || name == "":
		return "", 0, markup.NoMatch
	}
	return name, n, markup.Match
}

// matchWrapped matches calls in a wrapper, after which they are next. In one that other formats have they
// must be to an offered tool.
func (p *parser) matchWrapped(rest []byte) (syntax literalSyntax, name string, v markup.Verdict) {
	syntax, name, _, v = p.matchLiteral(rest)
	if v == markup.Match && !p.mayBeCalled(name) {
		v = markup.NoMatch
	}
	return syntax, name, v
}

// mayBeCalled reports whether calls may name a tool: an offered one, or any between markers.
func (p *parser) mayBeCalled(name string) bool {
	tool, _ := p.tools.find(name)
	return tool != nil || p.literal.marked && p.call.wrapperOpen && isToolName(name)
}

// beginLiteral begins to read calls, the first of which names a tool.
func (p *parser) beginLiteral(syntax literalSyntax, name string) {
	p.literal = literalSeen{literalScan: literalScan{syntax: syntax}, from: p.in.offset(), marked: p.literal.marked, bare: !p.call.wrapperOpen}
	p.call.tool, p.call.mustBeWhole = name, true
	p.call.bare = p.literal.bare && syntax == gemmaLiteral
}

// readLiteral is the state inLiteral: nothing, or a part, of calls that are literals has been read. The
// mark stands before them. When they are whole, it writes them all (betweenCalls, afterAnswer). If they
// are no calls, or do not come to their end, they are given back.
func (p *parser) readLiteral() state {
	l := &p.literal
	if !l.whole {
		n, v := l.scan(p.in.rest(), p.in.eof)
		p.in.take(n, SpanValue)
		switch {
		case v == markup.NoMatch:
			return p.closeUnbalanced()
		case v == markup.NeedMore && !p.in.eof:
			return wait
		case v == markup.NeedMore:
			return p.cutLiteral()
		}
		l.whole = true
	}
	if l.bare {
		switch p.matchAfterLiteral() {
		case markup.NeedMore:
			return wait
		case markup.NoMatch:
			return p.giveBackLiteral("bare_call")
		}
	}
	calls, ok := p.literalCalls()
	if !ok {
		return p.giveBackLiteral("invalid_literal")
	}
	return p.writeLiterals(calls)
}

// giveBackLiteral gives calls back. In prose they need not be meant as calls.
func (p *parser) giveBackLiteral(reason string) state {
	if p.literal.bare && (p.literal.midLine || reason == "bare_call") {
		return p.giveBack()
	}
	return p.giveBackCall(reason)
}

// matchAfterLiteral matches what may stand behind calls without a wrapper: the end of the line or of the
// text, another call, or the closing tag of a wrapper that is not there.
func (p *parser) matchAfterLiteral() markup.Verdict {
	rest := p.in.rest()
	i := 0
	for i < len(rest) && i < maxGap && (rest[i] == ' ' || rest[i] == '\t') {
		i++
	}
	if i < len(rest) && rest[i] == '<' {
		t, v := p.matchOpener(rest[i:])
		if v == markup.Match {
			v = markup.VerdictOf(t.IsWrapper() && t.Closing)
		}
		return v
	}
	if _, _, _, v := p.matchLiteral(rest[i:]); v == markup.Match && p.literal.syntax == gemmaLiteral {
		return v
	}
	if i == len(rest) && p.in.eof {
		return markup.Match
	}
	return p.in.matchLineEnd(rest[i:])
}

// closeUnbalanced reads calls that end at a tag before their last bracket: one that is missing there is
// read as if it stood there, if the tag ends the wrapper.
func (p *parser) closeUnbalanced() state {
	t, v := p.matchOpener(p.in.rest())
	switch {
	case v == markup.NeedMore:
		return wait
	case v == markup.Match && t.IsWrapper() && t.Closing && p.literal.depth == 1 && !p.literal.bare:
		p.literal.unclosed, p.literal.whole = true, true
		return inLiteral
	}
	return p.giveBackLiteral("invalid_literal")
}

// literalCalls returns the calls in the text that has been read, as far as they are whole, and reports
// whether that is all of it, and nothing speaks against them.
func (p *parser) literalCalls() (calls []literalCall, ok bool) {
	l := &p.literal
	text := string(p.in.since(l.from))
	if l.syntax == gemmaLiteral {
		if l.unclosed {
			text += "}"
		}
		calls, ok = p.readGemmaCall(text)
	} else {
		if l.unclosed {
			text += "]"
		}
		calls, ok = p.readPythonCalls(text)
	}
	for i := range calls {
		ok = ok && (!l.bare || p.mayBeBare(&calls[i]))
		if !p.mayBeCalled(calls[i].name) {
			return calls[:i], false
		}
	}
	return calls, ok
}

// readPythonCalls returns the calls in text that are whole, and reports whether all are.
func (p *parser) readPythonCalls(text string) (calls []literalCall, ok bool) {
	read, ok := rawjson.ReadPythonCalls(text)
	for _, c := range read {
		input := markup.Unescape(string(c.Arguments), p.escaped, "")
		calls = append(calls, literalCall{c.Name, jsontext.Value(input), c.Spread})
	}
	return calls, ok
}

// mayBeBare reports whether a call counts that stands without a wrapper.
func (p *parser) mayBeBare(c *literalCall) bool {
	tool, _ := p.tools.find(c.name)
	if tool == nil || p.literal.midLine && len(c.input) == len("{}") {
		return false
	}
	return !slices.ContainsFunc(p.schemas.of(tool).Required, func(name string) bool { return rawjson.Lookup(c.input, name) == nil })
}

// writeLiterals writes calls that have been read, one after another.
func (p *parser) writeLiterals(calls []literalCall) (next state) {
	if p.literal.unclosed {
		p.noteReason("missing_brace")
	}
	next = betweenCalls
	for i := range calls {
		if i > 0 {
			p.beginNextCall(markup.Tag{})
			p.call.mustBeWhole = true
		}
		if next, ok := p.nameTool(calls[i].name); !ok {
			return next
		}
		p.writeJSONInput("{}", p.retyped(&calls[i]))
		if next = p.closeCall(""); next != betweenCalls {
			break
		}
	}
	return next
}

// retyped returns the input of the call that is named, with the values that its schema has as something
// else than strings.
func (p *parser) retyped(c *literalCall) jsontext.Value {
	if c.typed {
		return c.input
	}
	o := rawjson.ReadObject(c.input)
	for i := range o.Members {
		m := &o.Members[i]
		m.Value = retype(p.call.schema, m.Name, m.Value)
	}
	return o.JSON()
}

// retype returns the value of a parameter, which a model has written as a literal: a string that the
// schema takes for something else, since it takes no strings, is that. Some models write all values in
// quotes.
func retype(in *schema.Schema, name string, value jsontext.Value) jsontext.Value {
	property, s, declared := in.PropertyByTag(name)
	if value.Kind() != '"' || !declared || property != name || s.AcceptsString() {
		return value
	}
	if typed, fits := schema.AppendTypedLiteral(nil, s, rawjson.Unquote(value)); fits {
		return typed
	}
	return value
}

// cutLiteral ends calls whose text ends before their last bracket. Those of a list that are whole count,
// in a wrapper; the last one is broken off or given back.
func (p *parser) cutLiteral() state {
	l := &p.literal
	if l.bare {
		return p.giveBackLiteral("incomplete")
	}
	calls, _ := p.literalCalls()
	if len(calls) > 0 {
		if next := p.writeLiterals(calls); next != betweenCalls {
			return next
		}
		return p.cutNextCall()
	}
	p.call.mustBeWhole = false
	if next, ok := p.nameTool(p.call.tool); !ok {
		return next
	}
	return p.breakOff()
}
