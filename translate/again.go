package translate

// Why and how often a model is asked again for one answer. What the model is told is in language.go.

// Reason says why a model is asked again.
type Reason string

// The reasons.
const (
	// ReasonStopped says that the upstream stopped at our stop sequence where the model had written
	// it as text. The model is asked to go on after the tag, and what it writes is more of the same
	// answer (reader.go).
	ReasonStopped Reason = "stopped"
	// ReasonUncontinued says that the model has not gone on with the prefill that begins a forced call. The
	// model is asked for the call in words ([Target.TryPrefill]).
	ReasonUncontinued Reason = "uncontinued"
	// ReasonUnread says that a call of the answer could not be read. The model is told which, and
	// why, and makes its calls again (correct.go).
	ReasonUnread Reason = "unread"
	// ReasonUnmet says that the answer does not do what tool_choice asks: it has to begin with a call
	// and does not, or with one of another tool; or it is a call, and none may come. The model is told
	// so and answers again.
	ReasonUnmet Reason = "unmet"
	// ReasonInvalid says that the answer is not what the schema of a strict tool, or of
	// output_config.format, asks for. The model is told what is wrong and answers again.
	ReasonInvalid Reason = "invalid"
)

// Bounds on what one answer may cost: how often the model is asked to go on with it, and how often
// it is asked to correct it, whatever is wrong. A model that gets a call wrong twice gets it wrong a
// third time, too.
const (
	maxContinuations = 2
	maxCorrections   = 1
)

// budget counts how often the model has been asked again for one answer, corrected or not. The zero
// value is a budget of which nothing is spent.
type budget struct{ continuations, corrections int }

// spend reports whether the model may be asked again for a reason, and counts it if so.
func (b *budget) spend(why Reason) bool {
	asked, most := &b.corrections, maxCorrections
	if why == ReasonStopped {
		asked, most = &b.continuations, maxContinuations
	}
	if *asked == most {
		return false
	}
	*asked++
	return true
}
