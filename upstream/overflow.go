package upstream

import "fmt"

// Overflow says how a request exceeds the model's context window. Numbers that the upstream did not report
// are 0.
type Overflow struct {
	Input   int  // tokens of the prompt
	AtLeast bool // the prompt may have more tokens than Input, because the upstream stopped counting
	Output  int  // the answer's limit: max_tokens
	Window  int  // the limit for prompt and answer together

	words string // the upstream's text: only literals of [limitRefusals] and numbers, so a log may contain it
}

// leastRoom is the smallest number of tokens for an answer. If fewer are left, the client should learn that
// its prompt is too long.
const leastRoom = 256

// Room returns a max_tokens that may fit after the prompt, or 0 if none fits or the numbers are unknown. If
// the upstream stopped counting, most of the apparent room may belong to the prompt.
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

// message describes the overflow in the words of the Messages API. Clients recognize them, and then shorten
// the conversation or lower max_tokens.
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
