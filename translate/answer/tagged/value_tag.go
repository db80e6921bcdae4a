package tagged

import (
	"bytes"
	"strings"

	"dragoman/translate/answer/held"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file finds what a tag in a value means. It may end the value, or belong to an element with the same name
// inside the value.

// matchOpaque matches markup without tags at the beginning of rest: a comment or, if begins is true, a CDATA
// section.
//
// A comment is short (markup.MatchComment), but a section may be long. looked is how many bytes of rest were
// already searched for its end. So no byte is searched again for each piece. If the verdict is NeedMore, n is the
// new number of searched bytes.
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

// valueTagAt returns the meaning of the tag at the beginning of rest. The tag has n bytes. at is its index in the
// unread text.
func (r *Reader) valueTagAt(rest []byte, n, at int) held.Tag {
	if rest[1] == '!' {
		vt := held.Tag{Kind: held.Comment, At: r.in.Offset() + at, Len: n}
		if rest[2] == '[' {
			vt.Kind = held.Section
		}
		return vt
	}
	t, v := r.call.Spelling.MatchTag(rest, true)
	if v == markup.Match {
		r.call.asDeclared(&t, rest)
	}
	vt := r.readValueTag(&t, at)
	vt.Given = r.call.Parameters[vt.Property] || vt.Property == r.value.text.Property
	return vt
}

// readValueTag returns the meaning of the tag t in the open call. at is the index of t in the unread text.
func (r *Reader) readValueTag(t *markup.Tag, at int) (vt held.Tag) {
	vt = held.Tag{Name: r.withoutNamespace(t.Full), At: r.in.Offset() + at, Len: t.Len, Bare: len(t.Attributes) == 0 && !t.Empty, Empty: t.Empty, Escaped: t.Escaped, Slip: t.Slip}
	if t.Is("parameter") && !t.Closing {
		if name, ok := t.NameAttribute(); ok {
			vt.Kind, vt.Name, vt.Bare, vt.Unopened = held.OpensParameter, parameterName, !t.Empty, t.Slip == messages.ReasonMissingOpener
			vt.Property, vt.Schema, vt.Declared = r.call.Schema.PropertyByTag(r.trimmedName(name))
			vt.Maybe = !vt.Declared && r.takesAny()
			return vt
		}
		vt.Nameless = true
	}
	switch {
	case t.Spelling == nil:
		vt.Declared = r.declares(vt.Name)
	case len(t.Name) > 0:
		vt.Name = t.Name
	case !t.Closing && t.Spelling.LacksLabel(t.Full, markup.Parameter):
		vt.Name, vt.Nameless = parameterName, true
	case bytes.Equal(vt.Name, parameterName):
		vt.Name = otherParameter
	case bytes.Equal(vt.Name, invokeName) && !r.declares(vt.Name):
		vt.Name = otherInvoke
	default:
		vt.Declared = r.declares(vt.Name)
	}
	vt.Maybe = !vt.Declared && r.takesAny()
	if vt.Declared || !t.Closing {
		vt.Property, vt.Schema, _ = r.call.Schema.PropertyByTag(string(vt.Name))
	}
	vt.Structure = !t.Closing && (t.Is("parameters") || t.Is("invoke") || t.IsWrapper() || t.Is("function_results") ||
		t.Spelling != nil && len(t.Name) == 0 && t.Spelling.LacksLabel(t.Full, markup.Invoke))
	vt.Call = vt.Structure && !t.Empty && t.Is("invoke") && r.opensCall(t)
	switch {
	case vt.Structure && len(t.Attributes) > 0:
		vt.Kind = held.OpensStructure
	case t.Closing && t.Is("parameters"):
		vt.Kind = held.ClosesParameters
	case t.Closing && len(t.Name) > 0 && t.Is("invoke") && (strings.HasSuffix(string(vt.Name), "invoke") || string(t.Full) == r.call.Element):
		vt.Kind = held.ClosesCall
	case t.Closing && len(t.Name) > 0 && (t.Is("function_calls") || t.Is(r.Wrapper)):
		vt.Kind = held.ClosesWrapper
	case t.Closing:
		vt.Kind = held.ClosesOther
	case vt.Declared:
		vt.Kind = held.OpensParameter
	case vt.Structure:
		vt.Kind = held.OpensStructure
	}
	return vt
}

// opensCall reports whether t, which opens a call, names an offered tool.
func (r *Reader) opensCall(t *markup.Tag) bool {
	name, _ := t.NameAttribute()
	if g := t.Spelling; g != nil && g.IDs {
		name = r.tools.OfID(name)
	}
	tool, _ := r.tools.Find(name)
	return tool != nil
}

// declares reports whether the tool declares a parameter with this name.
func (r *Reader) declares(name []byte) bool {
	if len(name) == 0 || r.value.text.Schema != nil && !r.value.names.Has(nameKey(name)) {
		return false
	}
	return r.call.Schema.Declares(name)
}

// takesAny reports whether the tool has a schema for undeclared parameters, so that any tag may open a parameter.
func (r *Reader) takesAny() bool {
	return r.call.Schema.AdditionalProperties != nil && !r.call.Unoffered
}

// withoutNamespace returns the name of a tag without the namespace of the call.
func (r *Reader) withoutNamespace(name []byte) []byte {
	if ns := r.call.Namespace; ns != "" && len(name) > len(ns) {
		return bytes.TrimPrefix(name, []byte(ns))
	}
	return name
}

// parameterName is the name in the closing tag of each parameter in the attribute form. If a format spells that
// tag differently, otherParameter replaces the name of an element that is called "parameter". otherInvoke does the same for
// the name of the tags of a call.
var (
	parameterName, otherParameter = []byte("parameter"), []byte("<parameter")
	invokeName, otherInvoke       = []byte("invoke"), []byte("<invoke")
)
