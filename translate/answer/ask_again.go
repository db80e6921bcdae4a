package answer

import (
	"dragoman/translate/prompt"
)

// How often Dragoman asks a model again for one answer. Package language has the words for the model.

// Limits on the cost of one answer: MaxContinuations is how often Dragoman asks the model to continue an answer,
// and maxCorrections is how often it asks the model to correct one. A model that gets a call wrong twice also gets
// it wrong the third time.
const (
	MaxContinuations = 2
	maxCorrections   = 1
)

// budget counts how often Dragoman has asked the model again for one answer. A zero budget is unspent.
type budget struct{ continuations, corrections int }

// spend reports whether Dragoman may ask the model again for a reason. If so, it counts the request.
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
