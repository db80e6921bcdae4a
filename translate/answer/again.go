package answer

import (
	"dragoman/translate/prompt"
)

// Why and how often a model is asked again for one answer. What the model is told is in language.go.

// Bounds on what one answer may cost: how often the model is asked to go on with it, and how often
// it is asked to correct it, whatever is wrong. A model that gets a call wrong twice gets it wrong a
// third time, too.
const (
	MaxContinuations = 2
	maxCorrections   = 1
)

// budget counts how often the model has been asked again for one answer, corrected or not. The zero
// value is a budget of which nothing is spent.
type budget struct{ continuations, corrections int }

// spend reports whether the model may be asked again for a reason, and counts it if so.
func (b *budget) spend(why prompt.Reason) bool {
	asked, most := &b.corrections, maxCorrections
	if why == prompt.ReasonStopped {
		asked, most = &b.continuations, MaxContinuations
	}
	if *asked == most {
		return false
	}
	*asked++
	return true
}
