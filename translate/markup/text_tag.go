package markup

import "bytes"

// textTag is a tag that means something in text.
type TextTag struct {
	Tag
	Kind TextTagKind
	Name string // as in textTags
}

type TextTagKind uint8

const (
	KindWrapper  TextTagKind = iota + 1 // of calls
	KindInvoke                          // of a call without wrapper
	KindResults                         // of results, which are not the model's to write
	KindThinking                        // of thinking aloud (reference/legacy-format.md §11)
)

var TextTags = [...]struct {
	Name string
	Kind TextTagKind
}{
	{"function_calls", KindWrapper},
	{"function_call", KindWrapper}, // other makers' (reference/legacy-format.md §12 row 1)
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

// matchTextTag matches a tag that means something in text. Text that cannot
// become one is decided on at once.
func MatchTextTag(s []byte, eof bool) (t TextTag, v Verdict) {
	if len(s) > 1 && s[1] != '/' && !IsNameByte(s[1]) {
		return t, NoMatch
	}
	t.Tag, v = MatchTag(s, eof)
	if v == NoMatch {
		return t, v
	}
	ended := v == Match || t.nameEnd < len(s) // the name has
	for _, known := range TextTags {
		if t.Is(known.Name) {
			t.Kind, t.Name = known.Kind, known.Name
			if t.Closing && t.Kind != KindThinking {
				return t, NoMatch
			}
			if t.Kind != KindInvoke && (len(t.Attributes) > 0 || t.Empty) {
				return t, NoMatch
			}
			return t, v
		}
		if !ended && isPrefixFoldOf(t.Tag.Name, known.Name) {
			return t, NeedMore
		}
	}
	if v == NeedMore && !ended && len(t.Full) <= maxNamespace && bytes.IndexByte(t.Full, ':') < 0 && allNameBytes(t.Full) {
		return t, NeedMore // a namespace, it may be
	}
	return t, NoMatch
}
