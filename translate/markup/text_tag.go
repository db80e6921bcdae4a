package markup

import "bytes"

// This file recognizes the tags that have a meaning in a model's prose: tags that begin calls,
// results or thinking, and tags that end thinking.

// TextTag is a tag that has a meaning in text.
type TextTag struct {
	Tag
	Kind TextTagKind
	Name string // the name in textTags, however the model spelled it
}

// TextTagKind is what a tag in text begins or ends.
type TextTagKind uint8

// The kinds of tags in text.
const (
	KindWrapper  TextTagKind = iota + 1 // calls
	KindInvoke                          // a call without wrapper
	KindResults                         // results of calls, which only Dragoman may write
	KindThinking                        // thinking (docs/reference/legacy-format.md §11)
)

// textTags are the tags that have a meaning in text.
var textTags = [...]struct {
	name string
	kind TextTagKind
}{
	{"function_calls", KindWrapper},
	// These five come from other vendors (docs/reference/legacy-format.md §12 row 1).
	{"function_call", KindWrapper},
	{"tool_calls", KindWrapper},
	{"tool_call", KindWrapper},
	{"use_tool", KindWrapper},
	{"toolcall", KindWrapper},
	{"invoke", KindInvoke},
	{"function_results", KindResults},
	{"thinking", KindThinking},
	{"think", KindThinking},
	{"scratchpad", KindThinking},
	{"rationale", KindThinking},
	{"reasoning", KindThinking},
	{"reflection", KindThinking},
	{"search_quality_reflection", KindThinking},
}

// MatchTextTag reads the tag at the start of s, if it is one of textTags. The first byte of s is
// `<`. eof: no more text follows. The verdict is NeedMore only while the text can still become such
// a tag, so no other text is held back.
func MatchTextTag(s []byte, eof bool) (t TextTag, v Verdict) {
	if len(s) > 1 && s[1] != '/' && !IsNameByte(s[1]) {
		return t, NoMatch
	}
	t.Tag, v = MatchTag(s, eof)
	if v == NoMatch {
		return t, v
	}
	nameEnded := v == Match || t.nameEnd < len(s)
	for _, known := range textTags {
		if t.isTextTag(known.name) {
			t.Kind, t.Name = known.kind, known.name
			if t.Closing && t.Kind != KindThinking {
				return t, NoMatch
			}
			_, named := t.NameAttribute()
			if t.Kind != KindInvoke && (len(t.Attributes) > 0 && !(named && t.Kind == KindWrapper) || t.Empty) {
				return t, NoMatch
			}
			return t, v
		}
		if !nameEnded && isPrefixFoldOf(t.Tag.Name, known.name) {
			return t, NeedMore
		}
	}
	if v == NeedMore && !nameEnded && len(t.Full) <= maxNamespace && bytes.IndexByte(t.Full, ':') < 0 && allNameBytes(t.Full) {
		return t, NeedMore // it may be a namespace
	}
	return t, NoMatch
}

// IsText reports whether the `<` at the start of s begins no text tag, whatever follows s. It is
// fast, and sometimes false where [MatchTextTag] returns NoMatch.
func IsText(s []byte) bool {
	start := 1
	if len(s) > 1 && s[1] == '/' {
		start = 2
	}
	i := start
	for i < len(s) && tagBytes[s[i]] && s[i] != ':' {
		i++
	}
	switch {
	case start == 1 && len(s) > 1 && !IsNameByte(s[1]):
		return true
	case i >= len(s) || s[i] == ':': // more of the name may follow, or it is a namespace
		return false
	case i-start >= len(textTagLens) || !textTagLens[i-start]:
		return true
	}
	for t := range textTags {
		if name := textTags[t].name; len(name) == i-start && equalFold(s[start:i], name) {
			return false
		}
	}
	return true
}

// textTagLens reports for each length whether some text tag has a name that long.
var textTagLens = func() (lens [32]bool) {
	for _, t := range textTags {
		lens[len(t.name)] = true
	}
	return lens
}()

// isTextTag reports whether the tag is the one of textTags with a name, in any case. <TOOLCALL> is Nemotron's own wrapper.
func (t *Tag) isTextTag(name string) bool {
	return t.Is(name) && (name != "toolcall" || string(t.Name) == name)
}

// IsWrapper reports whether the tag opens or closes a block of calls, in any format.
func (t *Tag) IsWrapper() bool {
	if n := len(t.Name); n >= len(textTagLens) || !textTagLens[n] {
		return false
	}
	for i := range textTags {
		if textTags[i].kind == KindWrapper && t.isTextTag(textTags[i].name) {
			return true
		}
	}
	return false
}
