package markup

import "bytes"

// This file recognizes the tags that mean something in a model's prose: those that begin
// calls, results or thinking, and those that end thinking.

// TextTag is a tag that means something in text.
type TextTag struct {
	Tag
	Kind TextTagKind
	Name string // as in textTags, however the model spelled it
}

// TextTagKind is what a tag in text begins or ends.
type TextTagKind uint8

// The kinds of tags in text.
const (
	KindWrapper  TextTagKind = iota + 1 // calls
	KindInvoke                          // a call that has no wrapper
	KindResults                         // results of calls, which a model must not write
	KindThinking                        // thinking aloud (docs/reference/legacy-format.md §11)
)

// textTags are the tags that mean something in text.
var textTags = [...]struct {
	name string
	kind TextTagKind
}{
	{"function_calls", KindWrapper},
	{"function_call", KindWrapper}, // this and the next three are other makers' (docs/reference/legacy-format.md §12 row 1)
	{"tool_calls", KindWrapper},
	{"tool_call", KindWrapper},
	{"use_tool", KindWrapper},
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

// MatchTextTag reads the tag that s begins with if it is one of textTags. The first byte of s
// is `<`; eof says that no more text follows. The verdict is NeedMore only while the text can
// still become such a tag, so that other text is never held back.
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
		if t.Is(known.name) {
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

// IsText reports whether the `<` that s begins with begins no text tag, whatever follows s. It is a
// quick look, and false for some `<` that [MatchTextTag] finds to be text.
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
	case i >= len(s) || s[i] == ':': // the name may go on, or stand behind a namespace
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

// textTagLens says for each length whether the name of a text tag has it.
var textTagLens = func() (lens [32]bool) {
	for _, t := range textTags {
		lens[len(t.name)] = true
	}
	return lens
}()

// IsWrapper reports whether the tag opens or closes a block of calls, in any format.
func (t *Tag) IsWrapper() bool {
	if n := len(t.Name); n >= len(textTagLens) || !textTagLens[n] {
		return false
	}
	for i := range textTags {
		if textTags[i].kind == KindWrapper && t.Is(textTags[i].name) {
			return true
		}
	}
	return false
}
