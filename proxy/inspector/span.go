package inspector

import (
	"slices"

	"dragoman/translate"
)

// Span is a part of a text: it begins where the one before it ends.
type Span struct {
	End    int64  `json:"end"` // in bytes
	Kind   string `json:"kind"`
	Source string `json:"source,omitzero"` // of a part of a prompt: the path in the request of what it was made of
}

// readAs returns what the parser has made of a completion after another step. It may have changed its
// mind of what stands after step.From.
func readAs(spans []Span, step translate.Step) []Span {
	from := int64(step.From)
	n, found := slices.BinarySearchFunc(spans, from, func(s Span, from int64) int { return int(s.End - from) })
	if found {
		n++
	}
	var kind string
	if cut := n < len(spans); cut {
		kind = spans[n].Kind
	}
	spans = spans[:n]
	if kind != "" && (n == 0 && from > 0 || n > 0 && spans[n-1].End < from) {
		spans = append(spans, Span{End: from, Kind: kind})
	}
	for _, s := range step.Spans {
		next := Span{End: int64(s.End), Kind: s.Kind.String()}
		if n := len(spans); n > 0 && spans[n-1].Kind == next.Kind {
			spans[n-1].End = next.End
		} else {
			spans = append(spans, next)
		}
	}
	return spans
}
