package upstream

import "fmt"

// Overflow is how a request exceeds the context window of the model, as an upstream said.
// Numbers that the upstream did not give are 0.
type Overflow struct {
	Input   int  // tokens of the prompt
	AtLeast bool // the prompt may have more tokens than Input: the upstream stopped counting
	Output  int  // tokens that the answer may have: max_tokens
	Window  int  // tokens of prompt and answer together

	words string // of the upstream: literals of [limitRefusals] and numbers, so that the log may have them
}

// leastRoom is how many tokens of the window have to be left for an answer. With fewer, the
// client is better told that its prompt is too long.
const leastRoom = 256

// Room returns a max_tokens that may fit behind the prompt, 0 if none does or if that is not
// known. Where the upstream stopped counting, the prompt may take most of what seems left.
func (o *Overflow) Room() int {
	if o.Input == 0 {
		return 0
	}
	room := o.Window - o.Input
	if o.AtLeast {
		room /= 4
	}
	if room < leastRoom {
		return 0
	}
	return room
}

// message says what exceeds the window in the words of the Messages API, which clients read
// to shorten the conversation or to lower max_tokens.
func (o *Overflow) message() string {
	switch {
	case o.Window > 0 && o.Input > o.Window:
		return fmt.Sprintf("prompt is too long: %d tokens > %d maximum", o.Input, o.Window)
	case o.Input > 0 && o.Output > 0 && o.Window > 0 && o.Input+o.Output > o.Window:
		return fmt.Sprintf("input length and `max_tokens` exceed context limit: %d + %d > %d, decrease input length or `max_tokens` and try again",
			o.Input, o.Output, o.Window)
	}
	return "prompt is too long"
}
