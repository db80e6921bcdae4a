package format

// Where a completion begins, by the template of the model's server: see [Target.Thinking].
const (
	ThinkingMarked = "marked" // in the answer: the model marks where its thinking begins and ends
	ThinkingMaybe  = "maybe"  // in thinking, or in the answer
	ThinkingOpen   = "open"   // in thinking
)

// What becomes of thinking that the client has not asked for: see [Target.UnaskedThinking].
const (
	UnaskedBlock = "block" // thinking blocks, as if the client had asked
	UnaskedText  = "text"  // text, with its marks
	UnaskedHide  = "hide"  // nothing
)

// thinkingMarks are what stands before and behind thinking, where that is not a tag which
// [markup.MatchTextTag] knows. The last ones begin the answer's own section, and end thinking that is not
// closed: the closing mark was cut short, or left out.
type thinkingMarks struct {
	Opens, Closes string
	Answers       []string
}
