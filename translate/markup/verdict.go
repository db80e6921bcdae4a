package markup

// verdict is what a matcher says of text that may go on.
type Verdict uint8

const (
	NoMatch  Verdict = iota
	NeedMore         // undecided: more text is needed
	Match
)

// verdictOf is the verdict on what is decided.
func VerdictOf(yes bool) Verdict {
	if yes {
		return Match
	}
	return NoMatch
}
