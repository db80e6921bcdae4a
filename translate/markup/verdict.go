package markup

// Verdict is the result of a matcher for the start of a text. The text may still grow, so some
// questions have no answer yet: see [NeedMore].
type Verdict uint8

const (
	NoMatch  Verdict = iota // whatever follows, there is no match
	NeedMore                // the next bytes decide
	Match                   // there is a match
)

// VerdictOf returns Match or NoMatch for an answer that is final.
func VerdictOf(yes bool) Verdict {
	if yes {
		return Match
	}
	return NoMatch
}
