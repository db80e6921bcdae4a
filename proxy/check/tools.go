package check

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/memo"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// FieldSchema is the field of a faulty schema.
const FieldSchema = "tools.input_schema"

// Faults caches the faults of schemas, keyed by their text; nil means no fault. A nil Faults caches nothing.
type Faults = memo.Table[*schema.Fault]

// NewFaults returns an empty Faults. It has limits for the number of schemas and for their bytes.
func NewFaults() *Faults {
	const schemas, bytes, most = 256, 4 << 20, 512 << 10
	return memo.New[*schema.Fault](schemas, bytes, most)
}

// Tools returns an error for the first tool whose schema has a fault that no model could resolve: an unknown type, or a
// $ref that leads nowhere.
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
