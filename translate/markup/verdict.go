package markup

// Verdict is what a matcher says of the beginning of a text. The text may still grow, so that
// some questions cannot be answered yet: see [NeedMore].
type Verdict uint8

const (
	NoMatch  Verdict = iota // whatever follows, the text does not begin with what was looked for
	NeedMore                // the next bytes decide
	Match                   // the text begins with what was looked for
)

// VerdictOf returns Match or NoMatch, for a question that is decided.
func VerdictOf(yes bool) Verdict {
	if yes {
		return Match
	}
	return NoMatch
}
