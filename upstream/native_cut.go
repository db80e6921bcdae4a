package upstream

import "dragoman/translate/messages"

// cutCalls finds calls whose input was cut: its JSON is still open where the block ends
// (docs/reference/streaming.md §4). The input itself is not kept, since a stream may be
// without an end.
type cutCalls struct {
	found bool // in a block that has ended

	depth    int  // of objects and arrays of the open block's input that are not closed
	inString bool // the input is within a string
	escaped  bool // and behind a backslash
}

// read takes the next event.
func (c *cutCalls) read(e *messages.Event) {
	switch {
	case e.Type == messages.ContentBlockStop:
		*c = cutCalls{found: c.found || c.depth > 0 || c.inString}
	case e.Delta == messages.InputJSONDelta:
		c.readInput(e.Text)
	}
}

// readInput takes the next piece of the input of the open block.
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
