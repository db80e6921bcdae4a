package messages

import (
	"context"
	"fmt"
	"strings"

	"dragoman/translate/rawjson"
)

// DecodeOptions says by which rules a request is read.
type DecodeOptions struct {
	// Version is the client's API version, as in the header anthropic-version. If it is "", the
	// body's anthropic_version counts. A version that is not known is read as [Version20230601].
	Version string
	// Betas are those that the client asks for, as in the header anthropic-beta. Those of the body's
	// anthropic_beta count, too.
	Betas []string
	// Strict refuses what a text model cannot do and what the API does not know. Without it, such
	// fields are left out and named in Request.Dropped.
	Strict bool
	// Model and Stream count in place of the body's members of these names, if they are set: some
	// APIs have them in the path.
	Model  string
	Stream *bool
	// Count says that the request asks for a count of its tokens: max_tokens may be missing
	// (docs/reference/messages-api.md §11).
	Count bool
	// LooseNames allows names of tools outside of the API's pattern.
	LooseNames bool
}

// decoder turns the JSON of one request into a Request. It keeps the first failure; what is
// decoded after a failure is not used.
//
// Lists are read element by element, and of an element only what the Request holds is kept, so
// that a request that is refused at its end takes no more memory than its good part.
type decoder struct {
	ctx          context.Context // ends when the client leaves
	opt          DecodeOptions
	size         int // of the body
	err          error
	dropped      map[string]bool  // the fields that were left out, in the form of Request.Dropped
	members      []rawjson.Member // of the objects that are being read, one behind the other
	blockCount   int              // content blocks so far
	schemaValues int              // values in schemas so far
	examples     int              // of inputs of tools, so far
	serverTools  []serverTool     // that were left out
	deferred     map[string]bool  // the names of tools that something has to name before the model is shown them
	mentions     []toolMention    // of tools, in the order of the conversation
	cleared      map[int]bool     // the places of messages that are cleared at the user's next one
	definitions  int              // tools that the messages define, so far
	scratch      []byte           // reused to decode strings
	texts        strings.Builder  // short strings, one behind the other
	shared       int              // how many bytes of memory short strings share; 0 for none
	thinks       bool             // the model is asked to think, or does so unasked: its past thinking is kept

	streamsEagerly bool // a beta has values streamed by tools that do not say it themselves
}

// fail keeps a failure, if it is the first: a value that is not valid.
func (d *decoder) fail(at fieldPath, format string, args ...any) {
	d.failBy(FaultValue, at, format, args...)
}

// failBy is fail for another kind of mistake.
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
		d.failBy(FaultLimit, at, "This is one of more than %d fields that are not known here. Remove them.", MaxDropped)
		return
	}
	d.dropped[string(d.scratch)] = true
}

// mayContinue reports whether nothing has failed and the client is still there.
func (d *decoder) mayContinue() bool {
	if d.err == nil && d.ctx.Err() != nil {
		d.err = context.Cause(d.ctx)
	}
	return d.err == nil
}
