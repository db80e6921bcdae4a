package upstream

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// Calls that a server of chat completions has parsed itself. In a stream, a call usually arrives in pieces, most
// often one call after another. Otherwise, and on some servers in a stream too, each call arrives in one piece.
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

// callPieces joins the pieces of calls. A server may begin several calls before it sends the arguments of the
// first. Calls are passed on in the order in which they begin, so a whole call waits for those before it.
type callPieces struct {
	open  []*openCall         // in the order in which they began
	size  int                 // bytes of the input of the open calls
	whole []translate.ToolUse // complete calls that no chunk has had yet
}

// openCall is a call of which more pieces may follow.
type openCall struct {
	first chatCallPart
	input strings.Builder

	checked int  // the length of the input when isWhole last looked
	valid   bool // what isWhole found
}

// Limits for the calls that are open at once: bytes of input, and their number.
const (
	maxCallInput = 4 << 20
	maxOpenCalls = 1 << 10
)

// add adds a call or a piece of a call. In an answer in one piece, each name begins a call. It returns an error if
// the open calls are too long or too many.
func (c *callPieces) add(part *chatCallPart, inOnePiece bool) error {
	text := part.Function.arguments()
	call := c.callOf(part, text, inOnePiece)
	switch {
	case call != nil:
		call.first.Function.Name = cmp.Or(call.first.Function.Name, part.Function.Name)
	case part.ID == "" && part.Function.Name == "" && isBlank(text): // nothing follows the end of a call
		return nil
	default:
		if c.endWhole(); len(c.open) == maxOpenCalls {
			return gatewayError(fmt.Sprintf("the upstream sent more than %d unfinished calls", maxOpenCalls), nil)
		}
		call = c.begin(*part)
	}
	return c.write(call, text)
}

// begin begins a call with its first piece, without the arguments of that piece.
func (c *callPieces) begin(first chatCallPart) *openCall {
	call := &openCall{first: first}
	c.open = append(c.open, call)
	return call
}

// write adds a piece of the arguments to an open call.
func (c *callPieces) write(call *openCall, text string) error {
	call.input.WriteString(text)
	if c.size += len(text); c.size > maxCallInput {
		return gatewayError(fmt.Sprintf("the upstream sent a call of more than %d bytes", maxCallInput), nil)
	}
	return nil
}

// callOf returns the open call that a piece with this text belongs to; nil if the piece begins a call.
func (c *callPieces) callOf(part *chatCallPart, text string, inOnePiece bool) *openCall {
	if inOnePiece && part.Function.Name != "" {
		return nil
	}
	for _, call := range slices.Backward(c.open) {
		if call.continuedBy(part, text) {
			return call
		}
	}
	return nil
}

// continuedBy reports whether a piece with this text may belong to the call. Servers number the calls, give them
// ids, or do neither. Some give all calls the number 0, and some repeat the name in each piece.
func (c *openCall) continuedBy(part *chatCallPart, text string) bool {
	first := &c.first
	numbered := part.Index != nil && first.Index != nil
	named := part.Function.Name != "" && first.Function.Name != ""
	renamed := named && part.Function.Name != first.Function.Name
	switch {
	case numbered && *part.Index != *first.Index:
		return false
	case part.ID != "" && first.ID != "":
		return part.ID == first.ID && !(renamed || named && !isBlank(text) && c.isWhole())
	}
	return !named || numbered && !renamed && !c.isWhole()
}

// isWhole reports whether the input is valid JSON, so that it can end here. It reads an object only where the object
// may end.
func (c *openCall) isWhole() bool {
	if n := c.input.Len(); n > c.checked {
		text := strings.TrimSpace(c.input.String())
		ends := strings.HasSuffix(text, "}") || !strings.HasPrefix(text, "{")
		c.checked, c.valid = n, ends && jsontext.Value(text).IsValid()
	}
	return c.valid
}

// endWhole ends the open calls up to the first whose input is empty or unfinished: more of it may follow.
func (c *callPieces) endWhole() {
	for len(c.open) > 0 && c.open[0].isWhole() {
		c.endFirst()
	}
}

// end ends all open calls.
func (c *callPieces) end() {
	for len(c.open) > 0 {
		c.endFirst()
	}
}

// endFirst ends the first open call. Blank arguments are none.
func (c *callPieces) endFirst() {
	call := c.open[0]
	c.open = slices.Delete(c.open, 0, 1)
	input := call.input.String()
	c.size -= len(input)
	if isBlank(input) {
		input = ""
	}
	c.whole = append(c.whole, translate.ToolUse{Name: call.first.Function.Name, Input: jsontext.Value(input)})
}

// take returns the complete calls, each once.
func (c *callPieces) take() []translate.ToolUse {
	calls := c.whole
	c.whole = nil
	return calls
}
