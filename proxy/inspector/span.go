package inspector

import (
	"slices"

	"dragoman/translate"
)

// Span is a part of a text: it begins at the end of the previous span.
type Span struct {
	End    int64  `json:"end"` // in bytes
	Kind   string `json:"kind"`
	Source string `json:"source,omitzero"` // for a part of a prompt: the path of its source in the request
}

// readAs returns how the parser has read a completion after another step. The step may change how text after step.From
// was read.
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
