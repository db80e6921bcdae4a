package markup

// Origin is where a part of a text is from. The part begins where the part before it ends.
type Origin struct {
	End  int        `json:"end"` // in bytes
	Kind OriginKind `json:"kind"`
	// Source is the path in the request, as in an InvalidRequestError: "system.0", "tools.2",
	// "messages.3.content.0". If the client sends a string in place of a list of blocks, the path
	// is as for a list with one block. Source is "" for text that does not depend on the request.
	Source string `json:"source,omitzero"`
}

// OriginKind is what a part of a prompt is.
type OriginKind uint8

// The kinds of an [Origin].
const (
	OriginMarkup OriginKind = iota // part of the format, or Dragoman's own words
	OriginClient                   // the client's text, unchanged
	OriginEscape                   // an entity that encodes one byte of the client's text
)

// originNames are the names of the kinds.
var originNames = [...]string{OriginMarkup: "markup", OriginClient: "client", OriginEscape: "escape"}

// String returns the name of the kind, as in JSON.
func (k OriginKind) String() string { return originNames[k] }

// MarshalText returns the name of the kind.
func (k OriginKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Sourced is a text with its labels, which cover all of it. If nobody asks for labels, they are
// nil.
type Sourced struct {
	Text    string
	Origins []Origin
}

// TextFrom does what [Escaper.Text] does, for a text from this path in the request.
func (e *Escaper) TextFrom(s, source string) Sourced {
	if !e.Labels {
		return Sourced{Text: e.Text(s)}
	}
	b := Buffer{Escape: e, Source: source}
	return b.WriteText(s).Take()
}

// Markup returns markup that a part of the request causes; source is the path of that part.
func (e *Escaper) Markup(s, source string) Sourced {
	if !e.Labels {
		return Sourced{Text: s}
	}
	return Sourced{s, []Origin{{len(s), OriginMarkup, source}}}
}

// startOf returns where the nth origin begins.
func startOf(list []Origin, n int) int {
	if n == 0 {
		return 0
	}
	return list[n-1].End
}
