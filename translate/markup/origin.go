package markup

// Origin says where a part of a text is from. It begins where the one before it ends.
type Origin struct {
	End  int        `json:"end"` // in bytes
	Kind OriginKind `json:"kind"`
	// Source is what it was made of, as the path of an InvalidRequestError says it: "system.0", "tools.2",
	// "messages.3.content.0". A string where blocks may stand counts as a list of one. It is "" for what is said
	// whatever the client asks.
	Source string `json:"source,omitzero"`
}

// OriginKind is what a part of a prompt is.
type OriginKind uint8

// The kinds of an [Origin].
const (
	OriginMarkup OriginKind = iota // of the format, or words of ours
	OriginClient                   // text of the client, as it is
	OriginEscape                   // an entity that stands for one byte of such a text
)

// originNames are the names of the kinds.
var originNames = [...]string{OriginMarkup: "markup", OriginClient: "client", OriginEscape: "escape"}

// String returns the name of the kind, as in JSON.
func (k OriginKind) String() string { return originNames[k] }

// MarshalText returns the name of the kind.
func (k OriginKind) MarshalText() ([]byte, error) { return []byte(k.String()), nil }

// Sourced is a text with its labels, which cover all of it; nil if nobody asks for them.
type Sourced struct {
	Text    string
	Origins []Origin
}

// TextFrom is [Escaper.Text] for a text from that path in the request.
func (e *Escaper) TextFrom(s, source string) Sourced {
	if !e.Labels {
		return Sourced{Text: e.Text(s)}
	}
	b := Buffer{Escape: e, Source: source}
	return b.WriteText(s).Take()
}

// Markup returns markup for what the client says at that path in the request.
func (e *Escaper) Markup(s, source string) Sourced {
	if !e.Labels {
		return Sourced{Text: s}
	}
	return Sourced{s, []Origin{{len(s), OriginMarkup, source}}}
}

// startOf returns where the origin of that index begins.
func startOf(list []Origin, n int) int {
	if n == 0 {
		return 0
	}
	return list[n-1].End
}
