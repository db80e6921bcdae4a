package upstream

import "dragoman/translate/messages"

// cutCalls finds calls with cut input: the JSON is still open when the block ends
// (docs/reference/streaming.md §4). It does not store the input, because a stream may be endless.
type cutCalls struct {
	found bool // a finished block had a cut call

	depth    int  // how many objects and arrays are open in the input of the open block
	inString bool // the input is inside a string
	escaped  bool // the last character was a backslash
}

// read processes the next event.
func (c *cutCalls) read(e *messages.Event) {
	switch {
	case e.Type == messages.ContentBlockStop:
		*c = cutCalls{found: c.found || c.depth > 0 || c.inString}
	case e.Delta == messages.InputJSONDelta:
		c.readInput(e.Text)
	}
}

// readInput processes the next piece of the open block's input.
func (c *cutCalls) readInput(piece []byte) {
	for _, b := range piece {
		switch {
		case c.escaped:
			c.escaped = false
		case b == '"':
			c.inString = !c.inString
		case c.inString:
			c.escaped = b == '\\'
		case b == '{', b == '[':
			c.depth++
		case b == '}', b == ']':
			c.depth--
		}
	}
}
