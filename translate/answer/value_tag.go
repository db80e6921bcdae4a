package answer

import (
	"bytes"

	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// The tags that mean something in a value: those that may end it, and those of elements of the same
// names, which pair up within it.

// tagKind is what a tag in a value, or between values, may mean.
type tagKind uint8

const (
	opensOther       tagKind = iota // an element, or a parameter that is not declared
	opensParameter                  // a parameter that the tool may have
	opensStructure                  // <parameters>, <invoke>, a wrapper or results: a call within the call, or the next one
	closesOther                     // an element, or a parameter
	closesParameters                // </parameters>
	closesCall                      // </invoke> or the end of a wrapper
	isComment                       // <!-- … -->
	isText                          // a CDATA section
)

// valueTag is a tag as the readings of a value see it.
type valueTag struct {
	kind      tagKind
	name      []byte         // without the namespace of the call; part of the input
	property  string         // the parameter that it opens, or that has its name
	declared  bool           // the tool declares that parameter
	maybe     bool           // it may be a parameter that is not declared: see takesAny
	schema    *schema.Schema // of that parameter
	given     bool           // that parameter was given in the call before
	bare      bool           // it has no attributes but the name of the parameter
	empty     bool           // it is an element of its own: <x/>
	nameless  bool           // it is <parameter>, without a name
	structure bool           // it has the name of a tag that opens a part of a call
	at, len   int            // where it stands in all that was fed, and how long it is
	after     int            // where the tag before it ends
	gap       gap            // what stands before it, after the tag before
	unopened  bool           // it lacks the tag before the value: <arg_key>x</arg_key>

	// Where it stands in a value: see stance.
	edge   edge // of the text before it
	behind byte // what stands behind it; 0 for nothing
}

// isCloser reports whether t is a closing tag.
func (t *valueTag) isCloser() bool { return t.kind >= closesOther && t.kind <= closesCall }

// closes reports whether t is a closing tag of the name.
func (t *valueTag) closes(name string) bool { return t.isCloser() && string(t.name) == name }

// closedAs reports whether the parameter that t opens, or closes, is closed by the name.
func (t *valueTag) closedAs(name []byte) bool { return bytes.Equal(t.name, name) }

// gap is what stands between two tags.
type gap uint8

const (
	gapNone  gap = iota // white space on one line, or nothing
	gapLines            // white space with a newline
	gapText             // text
)

// note records s, which stands between two tags.
func (g *gap) note(s []byte) {
	switch {
	case *g == gapText:
	case markup.SkipBlanks(s, 0, len(s)) < len(s):
		*g = gapText
	case bytes.IndexByte(s, '\n') >= 0:
		*g = gapLines
	}
}

// matchOpaque matches markup that holds no tags at the beginning of rest: a comment or, if an element
// begins there, a CDATA section. The end of a comment is near (markup.MatchComment), that of a section
// need not be: looked is how many bytes of rest have been searched for it in vain, so that they are not
// searched again for each piece. With NeedMore, n is how many have been now.
func matchOpaque(rest []byte, begins bool, looked int, eof bool) (n int, v markup.Verdict) {
	more := markup.NeedMore
	if eof {
		more = markup.NoMatch
	}
	switch {
	case begins && markup.IsPrefixOf(rest, cdataBegins):
		return 0, more
	case !begins || !markup.HasPrefix(rest, cdataBegins):
		return markup.MatchComment(rest, eof)
	}
	from := min(max(len(cdataBegins), looked-len(cdataEnds)), len(rest))
	if i := bytes.Index(rest[from:], []byte(cdataEnds)); i >= 0 {
		return from + i + len(cdataEnds), markup.Match
	}
	return len(rest), more
}

// valueTagAt returns what the tag means with which rest begins, of n bytes, at an index of the unread input.
func (p *parser) valueTagAt(rest []byte, n, at int) valueTag {
	if rest[1] == '!' {
		vt := valueTag{kind: isComment, at: p.in.offset() + at, len: n}
		if rest[2] == '[' {
			vt.kind = isText
		}
		return vt
	}
	t, _ := p.call.spelling.MatchTag(rest, true)
	vt := p.readValueTag(&t, at)
	vt.given = p.call.parameters[vt.property] || vt.property == p.value.text.property
	return vt
}

// readValueTag returns what the tag t means in the call that is being read. t is next after at bytes
// of the unread input.
func (p *parser) readValueTag(t *markup.Tag, at int) (vt valueTag) {
	vt = valueTag{name: p.withoutNamespace(t.Full), at: p.in.offset() + at, len: t.Len, bare: len(t.Attributes) == 0 && !t.Empty, empty: t.Empty}
	if t.Is("parameter") && !t.Closing {
		if name, ok := t.NameAttribute(); ok {
			vt.kind, vt.name, vt.bare, vt.unopened = opensParameter, parameterName, !t.Empty, t.Unopened
			vt.property, vt.schema, vt.declared = p.call.schema.PropertyByTag(name)
			return vt
		}
		vt.nameless = true
	}
	switch {
	case t.Spelling == nil:
		vt.declared = p.declares(vt.name)
	case len(t.Name) > 0:
		vt.name = t.Name
	case !t.Closing && t.Spelling.LacksLabel(t.Full, markup.Parameter):
		vt.name, vt.nameless = parameterName, true
	case bytes.Equal(vt.name, parameterName):
		vt.name = otherParameter
	default:
		vt.declared = p.declares(vt.name)
	}
	vt.maybe = !vt.declared && p.takesAny()
	if vt.declared || !t.Closing {
		vt.property, vt.schema, _ = p.call.schema.PropertyByTag(string(vt.name))
	}
	vt.structure = !t.Closing && (t.Is("parameters") || t.Is("invoke") || t.IsWrapper() || t.Is("function_results") ||
		t.Spelling != nil && len(t.Name) == 0 && t.Spelling.LacksLabel(t.Full, markup.Invoke))
	switch {
	case t.Closing && t.Is("parameters"):
		vt.kind = closesParameters
	case t.Closing && len(t.Name) > 0 && (t.Is("invoke") || t.Is("function_calls") || t.Is(p.wrapper)):
		vt.kind = closesCall
	case t.Closing:
		vt.kind = closesOther
	case vt.declared:
		vt.kind = opensParameter
	case vt.structure:
		vt.kind = opensStructure
	}
	return vt
}

// declares reports whether the tool declares a parameter of the name.
func (p *parser) declares(name []byte) bool {
	if len(name) == 0 || p.value.text.schema != nil && !p.value.names.Has(nameKey(name)) {
		return false
	}
	return p.call.schema.Declares(name)
}

// takesAny reports whether the tool has a schema for parameters that it does not declare, so that any
// tag may be that of a parameter.
func (p *parser) takesAny() bool {
	return p.call.schema.AdditionalProperties != nil && !p.call.unoffered
}

// withoutNamespace returns the name of a tag without the namespace of the call.
func (p *parser) withoutNamespace(name []byte) []byte {
	if ns := p.call.namespace; ns != "" && len(name) > len(ns) {
		return bytes.TrimPrefix(name, []byte(ns))
	}
	return name
}

// parameterName is the name by which each parameter of the attribute form is closed. Where a format
// spells that otherwise, an element of that name is otherParameter.
var parameterName, otherParameter = []byte("parameter"), []byte("<parameter")
