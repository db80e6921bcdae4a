package answer

import (
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/schema"
	"strings"
)

// Calls of Gemma: call:book{note:<|"|>a<|"|>,count:3,tags:[<|"|>b<|"|>]}. Names of members stand without
// quotes at every depth, and nothing is escaped in strings.

// matchGemma matches a call up to the bracket before its arguments, which is of either kind. Between markers
// the word before the name, its colon or both may be missing. more is the verdict if it may go on.
func (p *parser) matchGemma(head []byte, more markup.Verdict) (name string, n int, v markup.Verdict) {
	from, between := 0, p.call.wrapperOpen && p.wrapperSpelling == format.GemmaCalls.Spelling
	switch {
	case markup.IsPrefixOf(head, format.GemmaCall):
		return "", 0, more
	case markup.HasPrefix(head, format.GemmaCall):
		for from = len(format.GemmaCall); from < len(head) && (head[from] == ' ' || head[from] == '\t'); {
			from++
		}
	case !between:
		return "", 0, markup.NoMatch
	case head[0] == ':':
		from = 1
	case markup.HasPrefix(head, "call") && markup.IsBlank(head[len("call")]):
		from = markup.SkipBlanks(head, len("call"), len(head))
	}
	n = from
	for n < len(head) && markup.IsNameByte(head[n]) {
		n++
	}
	written := string(head[from:n])
	name = p.tools.Unqualified(strings.TrimRight(written, ":"))
	n = markup.SkipBlanks(head, n, len(head))
	switch {
	case n == len(head):
		return "", 0, more
	case head[n] != '{' && head[n] != '(' || name == "":
		return "", 0, markup.NoMatch
	}
	if !between && head[n] == '(' { // names of arguments tell it from a word about a call
		switch i := skipName(head, markup.SkipBlanks(head, n+1, len(head))); {
		case i == len(head):
			return "", 0, more
		case head[i] != ':' && head[i] != '=':
			return "", 0, markup.NoMatch
		}
	}
	// An unknown name with a colon may be that of a tool and of a parameter, whose bracket is missing.
	if tool, _ := p.tools.Find(name); tool == nil && (!markup.HasPrefix(head, format.GemmaCall) || strings.HasSuffix(written, ":")) {
		return "", 0, markup.NoMatch
	}
	return name, n, markup.Match
}

// skipName returns the index in text from i on that is past the name of an argument and white space.
func skipName(text []byte, i int) int {
	for i < len(text) && markup.IsNameByte(text[i]) && text[i] != ':' {
		i++
	}
	return markup.SkipBlanks(text, i, len(text))
}

// readGemmaCall returns the call that text is, as a list of one, and reports whether it is one.
func (p *parser) readGemmaCall(text string) (calls []literalCall, ok bool) {
	name, n, _ := p.matchGemma([]byte(text), markup.NoMatch)
	in := schema.ObjectOfStrings
	if tool, _ := p.tools.Find(name); tool != nil {
		in = p.schemas.Of(tool)
	}
	input, reason, ok := readGemmaArguments(text[n:], in, p.escaped)
	quoted := strings.HasPrefix(strings.TrimLeft(text[n+1:], " \t\r\n"), `"`)
	switch {
	case ok && (!p.literal.bare && reason == "" || p.keepsQuotes(name, input)):
		return []literalCall{{name, input, quoted, reason}}, true
	case ok || p.literal.bare || !p.literal.ended: // what stands behind may be of a string, too
		return nil, false
	}
	call, ok := p.readErasedCall(text)
	if !ok {
		return nil, false
	}
	call.slip = "unquoted_value"
	return []literalCall{call}, true
}
