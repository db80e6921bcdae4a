package held

import (
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Gemma calls: call:book{note:<|"|>a<|"|>,count:3,tags:[<|"|>b<|"|>]}. Member names have no quotes at any depth,
// and strings have no escapes.

// MatchGemma matches a call up to the bracket before its arguments, which may be { or (. Between markers, the word
// call before the name may be missing, or its colon, or both. more is the verdict if the text may go on.
func (l *Literals) MatchGemma(head []byte, more markup.Verdict) (name string, n int, v markup.Verdict) {
	from := 0
	switch {
	case markup.IsPrefixOf(head, format.GemmaCall):
		return "", 0, more
	case markup.HasPrefix(head, format.GemmaCall):
		for from = len(format.GemmaCall); from < len(head) && (head[from] == ' ' || head[from] == '\t'); {
			from++
		}
	case !l.Marks:
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
	name = l.Tools.Unqualified(strings.TrimRight(written, ":"))
	n = markup.SkipBlanks(head, n, len(head))
	switch {
	case n == len(head):
		return "", 0, more
	case head[n] == '<' && l.Marks && markup.HasPrefix(head, format.GemmaCall): // the brackets are missing
		tool, _ := l.Tools.Find(name)
		return name, n, markup.VerdictOf(tool != nil)
	case head[n] != '{' && head[n] != '(' || name == "":
		return "", 0, markup.NoMatch
	}
	if !l.Marks && head[n] == '(' { // argument names show that this is a call, and not prose about one
		switch i := skipName(head, markup.SkipBlanks(head, n+1, len(head))); {
		case i == len(head):
			return "", 0, more
		case head[i] != ':' && head[i] != '=':
			return "", 0, markup.NoMatch
		}
	}
	// An unknown name with a colon may consist of the names of a tool and of a parameter, with a missing bracket.
	if tool, _ := l.Tools.Find(name); tool == nil && (!markup.HasPrefix(head, format.GemmaCall) || strings.HasSuffix(written, ":")) {
		return "", 0, markup.NoMatch
	}
	return name, n, markup.Match
}

// skipName returns the index after an argument name and white space, which begin at text[i].
func skipName(text []byte, i int) int {
	for i < len(text) && markup.IsNameByte(text[i]) && text[i] != ':' {
		i++
	}
	return markup.SkipBlanks(text, i, len(text))
}

// readGemma is Read for a Gemma call. calls has one element.
func (l *Literals) readGemma(text string) (calls []Literal, ok bool) {
	name, n, v := l.MatchGemma([]byte(text), markup.NoMatch)
	if v != markup.Match { // the brackets are missing
		name = l.Tools.Unqualified(strings.TrimSpace(strings.TrimPrefix(text, format.GemmaCall)))
		s := l.SchemaOf(name)
		return []Literal{{name, jsontext.Value("{}"), nil}}, s != nil && len(s.Required) == 0
	}
	if l.Unclosed {
		text += string(closerOf(text[n]))
	}
	input, reason, ok := readGemmaArguments(text[n:], l.schemaOf(name), l.Escaped)
	switch {
	case ok && (!l.Bare && reason == messages.ReasonNone || l.keepsQuotes(name, input)):
		if !strings.HasPrefix(strings.TrimLeft(text[n+1:], " \t\r\n"), `"`) { // quoted names: the arguments are JSON
			input = l.retyped(name, input)
		}
		return []Literal{{name, input, with(nil, reason)}}, true
	case ok || l.Bare || !l.Ended: // later text may belong to a string, too
		return nil, false
	}
	call, ok := l.readErasedCall(text)
	if !ok {
		return nil, false
	}
	call.Slips = []messages.Reason{messages.ReasonUnquotedValue}
	return []Literal{call}, true
}

// ReadUnclosed returns a call with an unclosed last string. The string ends where the call ends, with the text.
func (l *Literals) ReadUnclosed(text string) (calls []Literal, ok bool) {
	text = strings.TrimSpace(text)
	for _, closer := range [...]string{format.Gemma4Marks.Call[1], format.FunctionGemmaMarks.Call[1]} {
		text = strings.TrimSpace(strings.TrimSuffix(text, closer))
	}
	name, n, v := l.MatchGemma([]byte(text), markup.NoMatch)
	in := l.SchemaOf(name)
	if v != markup.Match || in == nil {
		return nil, false
	}
	closer := string(closerOf(text[n]))
	text, ok = strings.CutSuffix(text, closer)
	if !ok {
		return nil, false
	}
	value := text[strings.LastIndex(text, format.GemmaQuote)+len(format.GemmaQuote):]
	switch {
	case strings.TrimSpace(value) == "", strings.Contains(value, format.Gemma4Marks.Call[1]), holdsPart([]byte(value)):
		return nil, false
	case TakesAny(in) && strings.Contains(value, ":"), erasedEnd(in, value, ':') < len(value): // value may hold another parameter
		return nil, false
	}
	calls, ok = l.readGemma(text + format.GemmaQuote + closer)
	if ok {
		calls[0].Slips = append([]messages.Reason{messages.ReasonMissingCloser}, calls[0].Slips...)
	}
	return calls, ok
}
