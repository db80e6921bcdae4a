package check

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/memo"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// FieldSchema is the field of a schema with a mistake.
const FieldSchema = "tools.input_schema"

// Faults keeps which fault schemas have, by their text: nil for none. A nil Faults keeps nothing.
type Faults = memo.Table[*schema.Fault]

// NewFaults returns a Faults that is empty. It has no more than so many schemas, and so many bytes.
func NewFaults() *Faults {
	const schemas, bytes, most = 256, 4 << 20, 512 << 10
	return memo.New[*schema.Fault](schemas, bytes, most)
}

// Tools returns an error for the first tool whose schema has a mistake that a model cannot know of: a type that does
// not exist, or a $ref that leads nowhere. It is nil if there is none.
func Tools(req *messages.Request, known *Faults) error {
	if !req.ShowsTools() {
		return nil
	}
	for i := range req.Tools {
		if f := faultOf(req.Tools[i].InputSchema, known); f != nil {
			return &messages.InvalidRequestError{
				Fault: messages.FaultSchema, Path: req.Tools[i].Path() + ".custom.input_schema." + f.Path, Message: f.Message,
			}
		}
	}
	return nil
}

func faultOf(text jsontext.Value, known *Faults) *schema.Fault {
	if f, ok := known.Find(text); ok {
		return f
	}
	f := schema.FindFault(text)
	known.Keep(text, f, len(text))
	return f
}
