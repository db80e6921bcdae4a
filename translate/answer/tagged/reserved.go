package tagged

import (
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
)

// Parameters that are named like a tag of a call's own structure, as in
//
//	<parameters>
//	<invoke>x</invoke>
//	</parameters>
//
// for a tool with a property "invoke". Such a tag is the parameter's unless what follows it could
// belong to the structure, as <tool_name> after <invoke> does. Then there are two readings, and the
// call is broken off.

// tagReading is what a tag that is named like one of ours can be.
type tagReading uint8

const (
	asParameter tagReading = iota
	asStructure
	asEither
	undecided // more text has to come
)

// readingOf returns what t can be, an opening tag between parameters whose name, in any case, is that
// of a declared parameter.
func (r *Reader) readingOf(t *markup.Tag) tagReading {
	call := r.call
	fresh := len(call.Parameters) == 0 && !call.JSONInput
	switch {
	case !markup.IsReserved(string(t.Full)) || t.Is("parameter") || t.Empty:
		return asParameter
	case r.open.restarted && fresh, t.Is("invoke") && len(t.Attributes) > 0:
		return asStructure
	case t.Is("parameters") && fresh && !call.ParametersOpen && !call.AttributeForm: // <parameters> is next
		return r.readingOfFirst(t)
	case t.Is("parameters") && !fresh && call.ParametersOpen, t.Is("tool_name") && call.ParametersOpen:
		return asParameter
	case t.Is("tool_name"):
		return asEither
	}
	return r.readingBefore(t)
}

// readingOfFirst is readingOf for <parameters> where it should stand: a tag or JSON goes on with it;
// text is prose or the value of a parameter, and a CDATA section is a value.
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

// mayBeDeclared reports whether a tag that no parameter has may be one's: in capitals, or of a tool
// whose parameters are not known.
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

// readingBefore is readingOf where what stands after t decides.
func (r *Reader) readingBefore(t *markup.Tag) tagReading {
	rest := r.in.Rest()
	i, v := r.in.MatchBlanks(rest, t.Len, completion.MaxGap)
	switch {
	case v != markup.Match || i == len(rest):
	case rest[i] == '{' && t.Is("parameters"):
		v = r.matchInput(rest[i:])
	case rest[i] != '<' || i+1 < len(rest) && rest[i+1] == '!': // CDATA is of a value
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

// follows reports whether the tag next, which stands after t, belongs to the structure that t is a
// tag of.
func follows(next, t *markup.Tag) bool {
	switch {
	case t.Is("parameters"): // or a parameter with nothing or with markup in it
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

// maxFirstName bounds the name that matchInput reads, in bytes.
const maxFirstName = 1 << 10

// matchInput reports whether rest, which begins with {, may be the whole input of the call: its first
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
