package upstream

import (
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// Calls that a server of chat completions has parsed itself. In a stream, a call usually arrives in pieces,
// one call after another. Otherwise, and on some servers in a stream too, each call arrives in one piece.
// Some servers parse calls although the request has no tools.

// chatCallPart is a call, or a piece of one.
type chatCallPart struct {
	Index    *int             `json:"index"`
	ID       string           `json:"id"`
	Function chatFunctionPart `json:"function"`
}

// chatFunctionPart is the function of a call. Arguments is a string with JSON or with a piece of JSON, or the
// JSON itself.
type chatFunctionPart struct {
	Name      string         `json:"name"`
	Arguments jsontext.Value `json:"arguments"`
}

// arguments returns the JSON or the piece of JSON; "" for none.
func (f *chatFunctionPart) arguments() string {
	var text string
	switch f.Arguments.Kind() {
	case 'n', 0:
	case '"':
		_ = json.Unmarshal(f.Arguments, &text) // a string: its kind says so
	default:
		text = string(f.Arguments)
	}
	return text
}

// callPieces joins the pieces of calls.
type callPieces struct {
	open  bool // a call has begun, and pieces may follow
	first chatCallPart
	input strings.Builder
	whole []translate.Call // complete calls that no chunk has had yet
}

// maxCallInput limits the input of a call, in bytes.
const maxCallInput = 4 << 20

// add adds a call or a piece of a call. It returns an error if the call is too long.
func (c *callPieces) add(part *chatCallPart) error {
	if c.begins(part) {
		c.begin(part)
	}
	if c.first.Function.Name == "" {
		c.first.Function.Name = part.Function.Name
	}
	return c.write(part.Function.arguments())
}

// begin begins a call with its first piece, without the arguments of that piece.
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

// begins reports whether a piece is the first piece of a call. Servers number the calls, give them ids, or do
// neither. Some servers repeat the name in each piece.
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

// end ends the open call.
func (c *callPieces) end() {
	if c.open {
		c.whole = append(c.whole, translate.Call{Name: c.first.Function.Name, Input: jsontext.Value(c.input.String())})
		c.open = false
		c.input.Reset()
	}
}

// take returns the complete calls, each once.
func (c *callPieces) take() []translate.Call {
	calls := c.whole
	c.whole = nil
	return calls
}
