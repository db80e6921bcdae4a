package tagged

import (
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
)

// This file reads parameters that have the name of a tag of the call's own structure. Here the tool has a property
// "invoke":
//
//	<parameters>
//	<invoke>x</invoke>
//	</parameters>
//
// Such a tag opens the parameter, unless the text after it could belong to the structure. For example, <tool_name>
// could follow the <invoke> of a call. Then there are two readings, and Dragoman breaks off the call.

// tagReading says what a tag with a reserved name can be.
type tagReading uint8

const (
	asParameter tagReading = iota
	asStructure
	asEither
	undecided // more text must arrive first
)

// readingOf returns what t can be. t is an opening tag between parameters, and its name is the name of a declared
// parameter if case is ignored.
func (r *Reader) readingOf(t *markup.Tag) tagReading {
	call := r.call
	fresh := len(call.Parameters) == 0 && !call.JSONInput
	switch {
	case !markup.IsReserved(string(t.Full)) || t.Is("parameter") || t.Empty:
		return asParameter
	case r.open.restarted && fresh, t.Is("invoke") && len(t.Attributes) > 0:
		return asStructure
	case t.Is("parameters") && fresh && !call.ParametersOpen && !call.AttributeForm: // <parameters> is expected here
		return r.readingOfFirst(t)
	case t.Is("parameters") && !fresh && call.ParametersOpen, t.Is("tool_name") && call.ParametersOpen:
		return asParameter
	case t.Is("tool_name"):
		return asEither
	}
	return r.readingBefore(t)
}

// readingOfFirst does what readingOf does, for <parameters> in its regular place. If a tag or JSON follows, t is
// structure. Other text could be prose or the value of a parameter, and a CDATA section is a value: then t can be
// both.
func (r *Reader) readingOfFirst(t *markup.Tag) tagReading {
	rest := r.in.Rest()
	i, v := r.in.MatchBlanks(rest, t.Len, completion.MaxGap)
	switch {
	case v == markup.NeedMore:
		return undecided
	case v == markup.Match && markup.IsPrefixOf(rest[i:], cdataBegins) && i < len(rest) && !r.in.EOF:
		return undecided
	case v == markup.Match && i < len(rest) && (rest[i] != '<' && rest[i] != '{' || markup.HasPrefix(rest[i:], cdataBegins)):
		return asEither
	}
	return asStructure
}

// mayBeDeclared reports whether an undeclared tag may still open a parameter: its name differs only in case, or
// the parameters of the tool are not known.
func (r *Reader) mayBeDeclared(tag string) bool {
	if r.call.Unoffered {
		return r.call.ParametersOpen && !strings.EqualFold(tag, "parameters")
	}
	if !markup.IsReserved(tag) {
		return false
	}
	_, _, declared := r.call.Schema.PropertyByTag(strings.ToLower(tag))
	return declared
}

// readingBefore does what readingOf does, if the text after t decides.
func (r *Reader) readingBefore(t *markup.Tag) tagReading {
	rest := r.in.Rest()
	i, v := r.in.MatchBlanks(rest, t.Len, completion.MaxGap)
	switch {
	case v != markup.Match || i == len(rest):
	case rest[i] == '{' && t.Is("parameters"):
		v = r.matchInput(rest[i:])
	case rest[i] != '<' || i+1 < len(rest) && rest[i+1] == '!': // CDATA is always a value
		v = markup.NoMatch
	default:
		var next markup.Tag
		if next, v = r.MatchTag(rest[i:]); v == markup.Match {
			v = markup.VerdictOf(follows(&next, t))
		}
	}
	switch v {
	case markup.NeedMore:
		return undecided
	case markup.Match:
		return asEither
	}
	return asParameter
}

// follows reports whether next, the tag after t, belongs to the structure that t would begin.
func follows(next, t *markup.Tag) bool {
	switch {
	case t.Is("parameters"): // a parameter could also be empty or contain markup
		return next.Is("parameters") || !next.Closing
	case next.Closing:
		return false
	case t.Is("invoke"):
		return next.Is("tool_name")
	case t.Is("function_results"):
		return next.Is("result") || next.Is("error")
	}
	return t.IsWrapper() && next.Is("invoke")
}

// maxFirstName limits the name that matchInput reads, in bytes.
const maxFirstName = 1 << 10

// matchInput reports whether rest, which begins with {, may be the whole input of the call. It may if its first
// member has the name of a parameter.
func (r *Reader) matchInput(rest []byte) markup.Verdict {
	i, v := r.in.MatchBlanks(rest, 1, completion.MaxGap)
	switch {
	case v == markup.NeedMore:
		return markup.NeedMore
	case v == markup.NoMatch || i == len(rest) || rest[i] != '"':
		return markup.NoMatch
	}
	end := i + 1
	for end < len(rest) && rest[end] != '"' && end-i < maxFirstName {
		if rest[end] == '\\' {
			end++
		}
		end++
	}
	switch {
	case end-i >= maxFirstName:
		return markup.NoMatch
	case end >= len(rest):
		return r.in.NeedMore()
	}
	var name string
	if json.Unmarshal(rest[i:end+1], &name) != nil {
		return markup.NoMatch
	}
	_, _, declared := r.call.Schema.PropertyByTag(markup.ParamTag(name))
	return markup.VerdictOf(declared || r.call.Schema.AdditionalProperties != nil)
}
