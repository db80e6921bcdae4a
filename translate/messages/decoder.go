package messages

import (
	"context"
	"fmt"
	"strings"

	"dragoman/translate/rawjson"
)

// DecodeOptions are the rules for reading a request.
type DecodeOptions struct {
	// Version is the client's API version, from the header anthropic-version. If it is "", Decode
	// uses the body's anthropic_version. An unknown version counts as [Version20230601].
	Version string
	// Betas are the betas in the header anthropic-beta. Decode adds those in the body's
	// anthropic_beta.
	Betas []string
	// Strict rejects fields that a text model cannot follow or that the API does not know. Without
	// Strict, Decode drops such fields and lists them in Request.Dropped.
	Strict bool
	// Model and Stream override the body's members of these names, if they are set. Some APIs have
	// them in the path.
	Model  string
	Stream *bool
	// Count: the client asks for a token count, so max_tokens may be missing
	// (docs/reference/messages-api.md §11).
	Count bool
	// LooseNames allows tool names that do not match the API's pattern.
	LooseNames bool
	// WideValues allows values that this API rejects and other APIs accept: a temperature up to 2,
	// blank stop sequences, and white space at the end of the conversation.
	WideValues bool
}

// decoder turns the JSON of one request into a Request. It keeps the first failure. What it decodes
// after a failure is not used.
//
// It reads lists element by element, and keeps only the parts of an element that the Request holds.
// So a request that is rejected late takes no more memory than its valid part.
type decoder struct {
	ctx          context.Context // ends when the client disconnects
	opt          DecodeOptions
	size         int // of the body
	err          error
	dropped      map[string]bool  // fields that were left out, as in Request.Dropped
	members      []rawjson.Member // of the objects that are open, one after the other
	blockCount   int              // content blocks so far
	schemaValues int              // values in schemas so far
	examples     int              // input_examples of all tools so far
	serverTools  []serverTool     // tools that were left out because they run in the upstream
	deferred     map[string]bool  // names of tools that are hidden until a block names them
	mentions     []toolMention    // of tools, in the order of the conversation
	cleared      map[int]bool     // indexes of messages that the next user message clears
	definitions  int              // tools that messages have defined so far
	scratch      []byte           // reused to decode strings
	texts        strings.Builder  // short strings, one after the other
	shared       int              // how many bytes short strings may share; 0: they share nothing
	thinks       bool             // the model thinks, asked or unasked, so its past thinking is kept

	streamsEagerly bool // a beta streams the values of tools that do not set eager_input_streaming
}

// fail records that a value is invalid, unless something failed before.
func (d *decoder) fail(at fieldPath, format string, args ...any) {
	d.failBy(FaultValue, at, format, args...)
}

// failBy is fail for another kind of fault.
func (d *decoder) failBy(fault string, at fieldPath, format string, args ...any) {
	if d.err == nil {
		d.err = &InvalidRequestError{Path: at.String(), Message: fmt.Sprintf(format, args...), Fault: fault}
	}
}

// drop notes a field that is left out.
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
		d.failBy(FaultLimit, at, "The request has more than %d unknown fields, and this is one of them. Remove them.", MaxDropped)
		return
	}
	d.dropped[string(d.scratch)] = true
}

// mayContinue reports whether nothing has failed and the client is still connected.
func (d *decoder) mayContinue() bool {
	if d.err == nil && d.ctx.Err() != nil {
		d.err = context.Cause(d.ctx)
	}
	return d.err == nil
}
