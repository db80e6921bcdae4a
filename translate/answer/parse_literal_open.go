package answer

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// The beginning of calls in literal syntax, in prose or in a wrapper.

// nextLiteral returns the index in text of a possible call in prose that begins without a bracket or tag, or
// len(text).
func (p *parser) nextLiteral(text []byte) int {
	n := len(text)
	if p.text.joined {
		n = held.NextJoined(text[:n])
	}
	if !p.readsLineStarts() {
		return n
	}
	atStart := !p.text.code.midLine
	for at := 0; at < n; atStart = true {
		if atStart { // skip blank lines at once: else each line would scan all blank lines after it
			if at = markup.SkipBlanks(text, at, n); at < n && p.beginsCall(text[at:]) {
				return at
			}
		}
		i := bytes.IndexByte(text[at:n], '\n')
		if i < 0 {
			break
		}
		at += i + 1
	}
	return n
}

// readsLiterals reports whether calls may begin without a tag.
func (p *parser) readsLiterals() bool {
	return p.ReadsLiteral[format.PythonLiteral] || p.readsLineStarts()
}

// readsLineStarts reports whether calls without a tag may begin a line of prose.
func (p *parser) readsLineStarts() bool {
	return p.ReadsLiteral[format.GemmaLiteral] || p.ReadsChannels || p.ReadsNames || p.ReadsUnbracketed || len(p.Alone) > 0
}

// noteLineStarts records the first bytes of such calls. Most lines begin with another byte, so this check is quick.
func (p *parser) noteLineStarts() {
	for _, c := range [...]byte{format.GemmaCall[0], 'a', 't'} {
		p.lineStarts.Add(c)
	}
	if p.ReadsUnbracketed {
		p.lineStarts.Add(format.UnbracketedCall[0])
	}
	for i := 0; p.ReadsNames && i < len(p.tools.List); i++ {
		p.lineStarts.Add((p.tools.List[i].Name + " ")[0])
	}
	for _, begin := range p.Alone {
		switch begin {
		case "":
			p.aloneStarts.Add('{')
		case format.AloneName:
			for i := range p.tools.List {
				p.aloneStarts.Add((p.tools.List[i].Name + " ")[0])
			}
		default:
			p.aloneStarts.Add(begin[0])
		}
	}
}

// beginsCall reports whether text may begin such a call.
func (p *parser) beginsCall(text []byte) bool {
	if p.beginsAlone(text) {
		return true
	}
	if !p.lineStarts.Has(text[0]) {
		return false
	}
	return p.ReadsLiteral[format.GemmaLiteral] && (markup.HasPrefix(text, format.GemmaCall) || markup.IsPrefixOf(text, format.GemmaCall)) ||
		p.ReadsChannels && held.BeginsHeader(text) ||
		(p.ReadsNames || p.ReadsUnbracketed) && p.mayBeHeadless(text)
}

// readTextLiteral reads a possible beginning of such calls in prose, at the start of rest. It reads it as text, or
// as the beginning of a call (inLiteral, inTags) with the mark before it.
func (p *parser) readTextLiteral(rest []byte) state {
	if p.ReadsChannels && rest[0] != '[' {
		if next, v := p.readErasedHeader(rest); v != markup.NoMatch {
			return next
		}
	}
	code := &p.text.code
	code.settle()
	if !code.midLine && !code.isOpen() {
		if next, v := p.readAlone(rest, true); v != markup.NoMatch {
			return next
		}
		if next, v := p.readHeadless(rest); v != markup.NoMatch {
			return next
		}
	}
	syntax, name, v := p.matchLiteral(rest)
	if v == markup.NeedMore {
		return wait
	}
	if tool, _ := p.tools.Find(name); v == markup.NoMatch || tool == nil || code.fence > 0 || code.inline > 0 || syntax == format.PythonLiteral && rest[0] != '[' {
		if p.BeginsTag(rest[0]) {
			return p.readTextMarkup(rest)
		}
		return p.takeText(1)
	}
	p.beginCall(markup.Tag{})
	if p.text.thinkingTag != "" {
		return inRehearsal
	}
	p.call.line = p.textBefore(nil)
	p.beginLiteral(syntax, name)
	p.literal.MidLine = code.midLine
	return inLiteral
}

// readObjectCalls reads calls that are the whole answer, each with one JSON object in parentheses: [book({…})].
// Models of all formats write them (inLiteral). The verdict is NoMatch if rest begins with something else.
func (p *parser) readObjectCalls(rest []byte) (next state, v markup.Verdict) {
	if p.ReadsLiteral[format.PythonLiteral] {
		return wait, markup.NoMatch
	}
	i, v := p.in.MatchBlanks(rest, 0, completion.MaxGap)
	switch {
	case v != markup.Match:
		return wait, v
	case i == len(rest) || rest[i] != '[':
		return wait, markup.NoMatch
	}
	name, v := held.MatchPython(p.headOf(rest[i:]))
	if tool, _ := p.tools.Find(name); v == markup.Match && tool == nil {
		v = markup.NoMatch
	}
	if v != markup.Match {
		return wait, v
	}
	p.beginCall(markup.Tag{})
	p.beginLiteral(format.PythonLiteral, name)
	return inLiteral, v
}

// headOf returns the part of rest that is long enough for the name of a tool. more is the verdict on a name that
// does not end there.
func (p *parser) headOf(rest []byte) (head []byte, more markup.Verdict) {
	const most = 2 * format.MaxToolName
	if len(rest) < most {
		return rest, p.in.NeedMore()
	}
	return rest[:most], markup.NoMatch
}

// matchLiteral matches the beginning of a call, up to the bracket before its arguments.
func (p *parser) matchLiteral(rest []byte) (syntax format.LiteralSyntax, name string, v markup.Verdict) {
	head, more := p.headOf(rest)
	if p.ReadsLiteral[format.GemmaLiteral] {
		known := p.literalsKnown(format.GemmaLiteral)
		if name, _, v = known.MatchGemma(head, more); v != markup.NoMatch {
			return format.GemmaLiteral, name, v
		}
	}
	if p.ReadsLiteral[format.PythonLiteral] {
		name, v = held.MatchPython(head, more)
		return format.PythonLiteral, name, v
	}
	return format.NoLiteral, "", markup.NoMatch
}

// beginsList reports whether text, which begins with a bracket, may begin a list of Python calls.
func (p *parser) beginsList(text []byte) bool {
	if !p.ReadsLiteral[format.PythonLiteral] || !p.mayCall {
		return false
	}
	return held.MayBeginPython(text[:min(len(text), 2*format.MaxToolName)])
}

// matchWrapped matches calls in a wrapper, at the start of rest. In a wrapper that other formats use too, the calls
// must name an offered tool. In Gemma's own wrapper, a call without such a name is refused when it has ended.
func (p *parser) matchWrapped(rest []byte) (syntax format.LiteralSyntax, name string, v markup.Verdict) {
	syntax, name, v = p.matchLiteral(rest)
	if known := p.literalsKnown(syntax); v == markup.Match && !known.Marks && !known.MayCall(name) {
		v = markup.NoMatch
	}
	return syntax, name, v
}

// literalsKnown returns what the parser knows about calls of this syntax that may begin here.
func (p *parser) literalsKnown(syntax format.LiteralSyntax) held.Literals {
	known := held.Literals{Syntax: syntax, Tools: &p.tools, Escaped: p.escaped, Bare: !p.call.WrapperOpen, Objects: !p.ReadsLiteral[syntax]}
	if p.call.WrapperOpen {
		known.Marks = p.wrapperSpelling == format.GemmaCalls.Spelling
		known.Marked = known.Marks || p.wrapperSpelling == format.PythonicCalls.Spelling
	}
	return known
}

// schemaOf returns the schema of the offered tool with a name, or nil.
func (p *parser) schemaOf(name string) *schema.Schema {
	if tool, _ := p.tools.Find(name); tool != nil {
		return p.schemas.Of(tool)
	}
	return nil
}

// beginLiteral begins to read calls. name is the tool of the first call.
func (p *parser) beginLiteral(syntax format.LiteralSyntax, name string) {
	p.literal = literalSeen{Literals: p.literalsKnown(syntax), scan: held.LiteralScan{Syntax: syntax}, from: p.in.Offset()}
	p.literal.SchemaOf = p.schemaOf
	p.call.Tool, p.call.MustBeWhole = name, true
	p.call.Bare = p.literal.Bare && syntax == format.GemmaLiteral
}
