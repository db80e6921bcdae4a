package upstream

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// Calls that a server of chat completions has read. In a stream they come in pieces, one call after another; in an
// answer that is not streamed, and on some servers in a stream, each is whole. Some servers read calls although the
// request has no tools.

// chatCallPart is a call, or a piece of one.
type chatCallPart struct {
	Index    *int             `json:"index"`
	ID       string           `json:"id"`
	Function chatFunctionPart `json:"function"`
}

// chatFunctionPart is what a call says: Arguments are a string with JSON or a piece of JSON, or the JSON itself.
type chatFunctionPart struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

// arguments returns the JSON, or the piece of it; "" for none.
func (f *chatFunctionPart) arguments() string {
	var text string
	switch f.Arguments.Kind() {
	case 'n', 0:
	case '"':
		_ = json.Unmarshal(f.Arguments, &text) // it has been read as a string
	default:
		text = string(f.Arguments)
	}
	return text
}

// callPieces puts the pieces of calls together.
type callPieces struct {
	open  bool // there is a call to which pieces may come
	first chatCallPart
	input strings.Builder
	whole []translate.Call // that no chunk has had yet
}

// maxCallInput bounds the input of a call, in bytes.
const maxCallInput = 4 << 20

// add adds a call or a piece of one. The error is for a call that is too long.
func (c *callPieces) add(part *chatCallPart) error {
	if c.begins(part) {
		c.begin(part)
	}
	if c.first.Function.Name == "" {
		c.first.Function.Name = part.Function.Name
	}
	return c.write(part.Function.arguments())
}

// begin begins a call with its first piece, of which it takes no arguments.
func (c *callPieces) begin(first *chatCallPart) {
	c.end()
	c.open, c.first = true, *first
}

// write adds a piece of the arguments.
func (c *callPieces) write(text string) error {
	if c.input.WriteString(text); c.input.Len() > maxCallInput {
		return gatewayError(fmt.Sprintf("the upstream sent a call of more than %d bytes", maxCallInput), nil)
	}
	return nil
}

// begins reports whether a piece is the first of a call. Servers number the calls, or give them ids, or do neither;
// some repeat the name in each piece.
func (c *callPieces) begins(part *chatCallPart) bool {
	first := &c.first
	numbered := part.Index != nil && first.Index != nil
	switch {
	case !c.open, numbered && *part.Index != *first.Index:
		return true
	case part.ID != "" && first.ID != "":
		return part.ID != first.ID
	}
	named := part.Function.Name != "" && first.Function.Name != ""
	return named && (!numbered || jsontext.Value(c.input.String()).IsValid())
}

// end ends the call that is open.
func (c *callPieces) end() {
	if c.open {
		c.whole = append(c.whole, translate.Call{Name: c.first.Function.Name, Input: jsontext.Value(c.input.String())})
		c.open = false
		c.input.Reset()
	}
}

// take returns the calls that are whole, each once.
func (c *callPieces) take() []translate.Call {
	calls := c.whole
	c.whole = nil
	return calls
}
