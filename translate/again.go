package translate

// Why and how often a model is asked again for one answer. All reasons share one mechanism and
// one budget; what the model is told stands with the languages (language.go).

// Reason says why a model is asked again.
type Reason string

// The reasons.
const (
	// ReasonStopped says that our stop sequence was text that the model meant. It is asked to go
	// on behind the tag, and what it writes is more of the same answer (reader.go).
	ReasonStopped Reason = "stopped"
	// ReasonUnread says that a call of the answer could not be read. The model is told which, and
	// why, and makes its calls again (correct.go).
	ReasonUnread Reason = "unread"
	// ReasonInvalid says that the answer is not what the schema of a strict tool, or of
	// output_config.format, asks for. The model is told what is wrong and answers again.
	ReasonInvalid Reason = "invalid"
)

// maxAgain bounds what one answer may cost: how often the model is asked again in all.
const maxAgain = 3

// maxAgainFor is the bound for each reason. A model that gets it wrong twice gets it wrong a third
// time, so of the two corrections there is one.
func maxAgainFor(why Reason) int {
	if why == ReasonStopped {
		return 2
	}
	return 1
}

// budget is how often a model has been asked again for one answer. The zero value is a whole one.
type budget struct{ stopped, corrected int }

// take reports whether the model may be asked again for a reason, and takes that off the budget.
func (b *budget) spend(why Reason) bool {
	asked := &b.corrected
	if why == ReasonStopped {
		asked = &b.stopped
	}
	if *asked == maxAgainFor(why) || b.stopped+b.corrected == maxAgain {
		return false
	}
	*asked++
	return true
}
