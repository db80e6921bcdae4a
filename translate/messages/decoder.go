package messages

import (
	"context"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// DecodeOptions says by which rules [Decode] reads a request.
type DecodeOptions struct {
	// Version is the API version of the client, as in the header
	// anthropic-version; "" for what the body says of it. Versions that are not known
	// are read as 2023-06-01.
	Version string
	// Strict refuses what a text model cannot do and what the API does not know.
	// Otherwise it is left out and named in Request.Dropped.
	Strict bool
	// Model and Stream, if they are set, say in place of the body's members who is
	// asked, and whether to stream: in some APIs the path does.
	Model  string
	Stream *bool
	// Count reads a request that asks for its tokens to be counted: max_tokens may
	// be missing (docs/reference/messages-api.md §11).
	Count bool
	// LooseNames takes tool names outside of the API's pattern.
	LooseNames bool
}

// decoder turns the JSON of one request into a Request. The first failure
// stays; what is decoded after it is not used.
//
// Lists are read element by element, and nothing is kept of an element but what
// the Request holds, so that what is refused in the end has taken no more memory
// than what was good of it.
type decoder struct {
	ctx          context.Context // of the work for the client, which may leave
	opt          DecodeOptions
	err          error
	dropped      map[string]bool
	members      []rawjson.Member // of the objects being read
	blockCount   int              // so far
	schemaValues int              // values in the schemas so far
	afterList    jsontext.Value   // of the text from the end of the list on that was read last
	scratch      []byte           // of a string
	thinks       bool             // the model is asked to think
}

// fail keeps the first failure.
func (d *decoder) fail(at fieldPath, format string, args ...any) {
	if d.err == nil {
		d.err = &InvalidRequestError{Path: at.String(), Message: fmt.Sprintf(format, args...)}
	}
}

// drop takes down what is left out.
func (d *decoder) drop(at fieldPath) {
	if d.dropped == nil {
		d.dropped = make(map[string]bool)
	}
	if d.scratch = at.append(d.scratch[:0], false); len(d.scratch) > maxShown {
		d.scratch = append(d.scratch[:0], clip(string(d.scratch))...)
	}
	if d.dropped[string(d.scratch)] {
		return
	}
	if len(d.dropped) == MaxDropped {
		d.fail(at, "This is one of more than %d fields that are not known here. Remove them.", MaxDropped)
		return
	}
	d.dropped[string(d.scratch)] = true
}

// goesOn reports whether there is still something to do: nothing has failed, and
// the client is there.
func (d *decoder) mayContinue() bool {
	if d.err == nil && d.ctx.Err() != nil {
		d.err = context.Cause(d.ctx)
	}
	return d.err == nil
}
