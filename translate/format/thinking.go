package format

// What a completion begins in, which depends on the chat template of the model's server: see
// [Target.Thinking]. With ThinkingMaybe and ThinkingOpen, a call before the end of thinking is text.
// Dragoman holds it until thinking or the text ends. If thinking never ends, it is a call. Only
// ThinkingOpen turns thinking into a block.
const (
	ThinkingMarked = "marked" // the answer: the model marks the start and the end of its thinking
	ThinkingMaybe  = "maybe"  // thinking or the answer
	ThinkingOpen   = "open"   // thinking
)

// What happens to thinking that the client did not ask for: see [Target.UnaskedThinking].
const (
	UnaskedBlock = "block" // it becomes thinking blocks, as if the client had asked for it
	UnaskedText  = "text"  // it stays in the text, with its marks
	UnaskedHide  = "hide"  // it is left out
)

// thinkingMarks are the texts around thinking, if they are not tags that [markup.MatchTextTag]
// knows. Answers begin the section of the answer. They also end thinking whose closing mark is cut
// or missing.
type thinkingMarks struct {
	Opens, Closes string
	Answers       []string
}
