package answer

import (
	"bytes"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
	"slices"
)

// emitter is the only author of the events of a message: of block starts, deltas and stops, of
// ids and indexes. Whatever the states ask of it, the events have this form (G4):
//
//	message = message_start ping { block } message_delta message_stop .
//	block   = content_block_start { content_block_delta } content_block_stop .
//
// What the states write is gathered in buf until flush, which is called after each piece of the
// completion, so that a piece makes one delta and not one for each write.
//
// The block of a call passes through these steps:
//
//	holdInput     what is written is gathered and not sent, since it may turn out to be no call
//	dropInput     it is none: what was gathered is forgotten (the input gives the text back)
//	openToolUse   it is one: the block starts, and what was gathered can be sent
//	closeToolUse  the call is whole: so is the JSON object of its input
//	cutToolUse    the call was cut: the JSON object is left open
type emitter struct {
	yield func(messages.Event, error) bool
	seed  string // of the ids
	gone  bool   // yield has returned false: nothing is sent any more

	wasCut    bool   // nothing is sent any more but the end of the message: see cut
	stopped   bool   // message_stop was sent
	textBegun bool   // a block of text has been opened
	openKind  string // the type of the open block, "" between blocks
	index     int    // of the open block, or of the next one
	buf       []byte // gathered for the open block or, while pending, for the block of a call
	wrote     func() // nil for nobody
	keeps     int    // how many bytes of what is sent of a call are kept
	kept      []byte // of the last call

	callInput
}

// maxKept is how much of a call is looked at for values of an example, in bytes: what copies an example is
// short. maxCompared is how much is kept where the call may come from the server as well.
const (
	maxKept     = 16 << 10
	maxCompared = 256 << 10
)

// callInput is how far the input of a call, which is one JSON object, has been written.
type callInput struct {
	pending     bool // what is gathered is of a call whose block is not open yet; writes of its input are told to wrote
	flowsValues bool // a string is sent while it is written; without, only what stands before wholeTo is sent
	sent        int  // how many bytes of the input have been sent
	wholeTo     int  // how many bytes of the input hold whole members alone: see markWhole
}

// send yields an event, unless the answer was cut or nobody listens any more.
func (e *emitter) send(event messages.Event) {
	if !e.gone && !e.wasCut && !e.yield(event, nil) {
		e.gone = true
	}
}

// pause tells that the next event has to be waited for.
func (e *emitter) pause() {
	if !e.gone && !e.stopped && !e.yield(messages.Event{Type: messages.Pause}, nil) {
		e.gone = true
	}
}

// startMessage sends the events that open the message. estimated is as in [messages.Message].
func (e *emitter) startMessage(model string, usage messages.Usage, estimated bool) {
	e.send(messages.Event{Type: messages.MessageStart, Message: &messages.Message{ID: messageID(e.seed), Model: model, Usage: usage, UsageEstimated: estimated}})
	e.send(messages.Event{Type: messages.Ping})
}

// stopMessage stops the open block and the message. end holds what message_delta tells.
func (e *emitter) stopMessage(end *messages.Message) {
	e.stopBlock()
	e.wasCut = false
	e.send(messages.Event{Type: messages.MessageDelta, Message: end})
	e.send(messages.Event{Type: messages.MessageStop})
	e.stopped = true
}

// openBlock stops the open block and begins one of text or thinking. refused says that it has the text of a
// call that was refused.
func (e *emitter) openBlock(kind string, refused bool) {
	e.stopBlock()
	e.textBegun = e.textBegun || kind != messages.BlockThinking
	e.openKind = kind
	e.send(messages.Event{Type: messages.ContentBlockStart, Index: e.index, Block: &messages.ContentBlock{Type: kind, Refused: refused}})
}

// stopBlock sends what was gathered for the open block and stops it, if one is open.
func (e *emitter) stopBlock() {
	e.flush()
	e.sendStop(0)
}

// sendStop stops the open block, if one is open. For a call that was cut, cut is how many bytes
// of its input hold whole members (see [messages.Event]); for all other blocks it is 0. Thinking ends with
// its signature, also where a call follows at once.
func (e *emitter) sendStop(cut int) {
	if e.openKind == messages.BlockThinking {
		e.send(messages.Event{Type: messages.ContentBlockDelta, Delta: messages.SignatureDelta, Index: e.index})
	}
	if e.openKind != "" {
		e.send(messages.Event{Type: messages.ContentBlockStop, Index: e.index, Cut: cut})
		e.openKind = ""
		e.index++
	}
}

// ensureBlock opens a block of text or thinking, unless one is open.
func (e *emitter) ensureBlock(kind string) {
	if e.openKind != kind {
		e.openBlock(kind, false)
	}
}

// write gathers bytes of the open block: text, thinking, or JSON of the input of a call.
func (e *emitter) write(s []byte) { e.buf = append(e.buf, s...) }

// gathered returns how many bytes are gathered and not sent.
func (e *emitter) gathered() int { return len(e.buf) }

// truncate forgets what was gathered beyond the first n bytes. Nothing of that may have been sent:
// no flush may stand between the call of gathered that returned n and this one.
func (e *emitter) truncate(n int) { e.buf = e.buf[:n] }

// flush sends what is gathered for the open block, as one delta. While a call is pending nothing is
// sent, and of a call whose values are held only what is whole.
func (e *emitter) flush() {
	n := len(e.buf)
	if e.pending {
		n = 0
	}
	delta := messages.TextDelta
	switch e.openKind {
	case messages.BlockToolUse:
		delta = messages.InputJSONDelta
		if !e.flowsValues {
			n = min(n, max(0, e.wholeTo-e.sent))
		}
		e.sent += n
	case messages.BlockThinking:
		delta = messages.ThinkingDelta
	}
	if n == 0 {
		return
	}
	if e.keeps > 0 && e.openKind == messages.BlockToolUse {
		e.kept = append(e.kept, e.buf[:min(n, max(0, e.keeps-len(e.kept)))]...)
	}
	e.send(messages.Event{Type: messages.ContentBlockDelta, Delta: delta, Index: e.index, Text: e.buf[:n]})
	e.buf = e.buf[:copy(e.buf, e.buf[n:])]
}

// holdInput begins the input of what may become a call: what is written from now on is gathered
// and not sent. What the open block has gathered is sent before.
func (e *emitter) holdInput() {
	e.flush()
	e.callInput = callInput{pending: true}
}

// sendText sends text of the open block, before the call that is pending.
func (e *emitter) sendText(s []byte) {
	if len(s) > 0 {
		e.send(messages.Event{Type: messages.ContentBlockDelta, Delta: messages.TextDelta, Index: e.index, Text: s})
	}
}

// dropInput forgets what was gathered since holdInput, since it was no call. The block that was
// open before still is.
func (e *emitter) dropInput() {
	e.buf = e.buf[:0]
	e.callInput = callInput{}
}

// cut ends the answer before the call that was pending: the block that is open is stopped, and of
// what is written from now on, in which states go on with the call, nothing is sent.
func (e *emitter) cut() {
	e.dropInput()
	e.stopBlock()
	e.wasCut = true
}

// openToolUse starts the block of the call that was pending. What was gathered belongs to it.
func (e *emitter) openToolUse(name string) {
	e.pending, e.kept = false, e.kept[:0]
	e.sendStop(0)
	e.openKind = messages.BlockToolUse
	e.send(messages.Event{Type: messages.ContentBlockStart, Index: e.index, Block: &messages.ContentBlock{
		Type: messages.BlockToolUse, ID: toolUseID(e.seed, e.index), Name: name, Input: emptyObject,
	}})
}

var emptyObject = []byte("{}")

// writeName begins a member of the input: `{"name":` or `,"name":`.
func (e *emitter) writeName(name string) {
	c := byte(',')
	if e.inputLen() == 0 {
		c = '{'
	}
	e.buf = append(rawjson.AppendString(append(e.buf, c), name), ':')
	e.tellWrite()
}

// writeInput writes JSON of the input.
func (e *emitter) writeInput(text []byte) {
	e.buf = append(e.buf, text...)
	e.tellWrite()
}

// tellWrite tells that the input of a call that is pending has grown.
func (e *emitter) tellWrite() {
	if e.pending && e.wrote != nil {
		e.wrote()
	}
}

// quote begins or ends a string that is the value of a member.
func (e *emitter) quote() {
	e.buf = append(e.buf, '"')
	e.tellWrite()
}

// writeEscaped writes text of such a string, which is valid UTF-8.
func (e *emitter) writeEscaped(s []byte) {
	e.buf = rawjson.AppendEscaped(e.buf, s)
	e.tellWrite()
}

// writeTyped writes the value of a member, as the schema types its text. It reports whether the value
// fits the schema; one that does not is written all the same, as a string. literals is as for AppendTyped.
func (e *emitter) writeTyped(s *schema.Schema, text string, literals bool) (fits bool) {
	e.buf, fits = format.AppendTyped(e.buf, s, text, literals)
	e.tellWrite()
	return fits
}

// writeTypedItems writes elements as an array, as the schema of the array types them. It writes
// nothing and reports false if one of them does not fit.
func (e *emitter) writeTypedItems(array *schema.Schema, list []markup.Element) (fit bool) {
	out, fit := schema.AppendTypedItems(e.buf, array, list)
	if fit {
		e.buf = out
		e.tellWrite()
	}
	return fit
}

// writeObject writes the whole input but its last brace, which closeToolUse writes, and returns the names of
// its members. Text that is nearly a JSON object is mended; for any other it writes nothing and reports false.
func (e *emitter) writeObject(text string) (members []string, ok bool) {
	begun := len(e.buf)
	out, ok := rawjson.AppendLooseKind(e.buf, text, '{')
	if ok {
		members = memberNames(out[begun:])
		e.buf = out[:len(out)-1]
		e.markWhole()
		e.tellWrite()
	}
	return members, ok
}

// writeCutObject writes, of an input that is the beginning of a JSON object, the members that are
// whole in it.
func (e *emitter) writeCutObject(text string) {
	e.buf = rawjson.AppendCutObject(e.buf, text)
	e.markWhole()
}

// hasMembers reports whether the input of the call that is pending has members of all the names.
func (e *emitter) hasMembers(names []string) bool {
	if len(names) == 0 {
		return true
	}
	e.ensureBrace()
	given := map[string]bool{}
	for name := range rawjson.NamedMembers(append(bytes.Clone(e.buf), '}')) {
		given[name] = true
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !given[name] })
}

// inputLen returns how many bytes of the input have been written, sent or not.
func (e *emitter) inputLen() int { return e.sent + len(e.buf) }

// markWhole records that what was written of the input so far ends with a whole member.
func (e *emitter) markWhole() { e.wholeTo = e.inputLen() }

// ensureBrace writes the first brace of the input, unless a member has.
func (e *emitter) ensureBrace() {
	if e.inputLen() == 0 {
		e.buf = append(e.buf, '{')
	}
}

// closeToolUse closes the JSON object of the input, and the block.
func (e *emitter) closeToolUse() {
	e.ensureBrace()
	e.buf = append(e.buf, '}')
	e.markWhole()
	e.stopBlock()
	e.callInput = callInput{}
}

// cutToolUse stops the block of a call that was not read to its end. The JSON of its input is left
// open where it was cut, so that no client can take it for whole and run half of a call.
func (e *emitter) cutToolUse() {
	if !e.flowsValues {
		e.buf = e.buf[:max(0, e.wholeTo-e.sent)]
	}
	e.ensureBrace()
	e.wholeTo = max(e.wholeTo, len("{"))
	e.flush()
	e.sendStop(e.wholeTo)
	e.callInput = callInput{}
}

// messageID returns the id of the message: the seed, which is the id of the request. Without a
// seed it is always the same.
func messageID(seed string) string {
	if seed == "" {
		return "msg_" + prompt.DerivedID(seed, 0)
	}
	return seed
}

// toolUseID returns the id of block n of a message. It is as unique as the seed, and of the form
// that every API accepts (docs/reference/messages-api.md §8).
func toolUseID(seed string, n int) string { return "toolu_" + prompt.DerivedID(seed, n+1) }
