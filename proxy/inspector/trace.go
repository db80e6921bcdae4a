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

// readAs keeps what the parser has made of the completion so far. It may have changed its mind of what
// stands after step.From.
func (p *prompt) readAs(step translate.Step) {
	from := int64(step.From)
	n, found := slices.BinarySearchFunc(p.spans, from, func(s Span, from int64) int { return int(s.End - from) })
	if found {
		n++
	}
	var kind string
	if cut := n < len(p.spans); cut {
		kind = p.spans[n].Kind
	}
	p.spans = p.spans[:n]
	if kind != "" && (n == 0 && from > 0 || n > 0 && p.spans[n-1].End < from) {
		p.spans = append(p.spans, Span{End: from, Kind: kind})
	}
	for _, s := range step.Spans {
		next := Span{End: int64(s.End), Kind: s.Kind.String()}
		if n := len(p.spans); n > 0 && p.spans[n-1].Kind == next.Kind {
			p.spans[n-1].End = next.End
		} else {
			p.spans = append(p.spans, next)
		}
	}
}
