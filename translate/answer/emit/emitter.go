// Package emit makes the events of one message: it alone does, so that their grammar holds (guarantee G4).
package emit

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

// Emitter is the only author of the events of a message: of block starts, deltas and stops, of
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
type Emitter struct {
	Yield func(messages.Event, error) bool
	Seed  string // of the ids
	Gone  bool   // yield has returned false: nothing is sent any more

	wasCut    bool   // nothing is sent any more but the end of the message: see cut
	Stopped   bool   // message_stop was sent
	TextBegun bool   // a block of text has been opened
	OpenKind  string // the type of the open block, "" between blocks
	Index     int    // of the open block, or of the next one
	buf       []byte // gathered for the open block or, while pending, for the block of a call
	Wrote     func() // nil for nobody
	Keeps     int    // how many bytes of what is sent of a call are kept
	Kept      []byte // of the last call

	callInput
}

// maxKept is how much of a call is looked at for values of an example, in bytes: what copies an example is
// short. maxCompared is how much is kept where the call may come from the server as well.
const (
	MaxKept     = 16 << 10
	MaxCompared = 256 << 10
)

// callInput is how far the input of a call, which is one JSON object, has been written.
type callInput struct {
	Pending     bool // what is gathered is of a call whose block is not open yet; writes of its input are told to wrote
	FlowsValues bool // a string is sent while it is written; without, only what stands before wholeTo is sent
	sent        int  // how many bytes of the input have been sent
	wholeTo     int  // how many bytes of the input hold whole members alone: see markWhole
}

// New returns an emitter of one message, whose events go to yield until that returns false. The ids are made
// of the seed.
func New(yield func(messages.Event, error) bool, seed string) Emitter {
	return Emitter{Yield: yield, Seed: seed}
}

// send yields an event, unless the answer was cut or nobody listens any more.
func (e *Emitter) send(event messages.Event) {
	if !e.Gone && !e.wasCut && !e.Yield(event, nil) {
		e.Gone = true
	}
}

// Pause tells that the next event has to be waited for.
func (e *Emitter) Pause() {
	if !e.Gone && !e.Stopped && !e.Yield(messages.Event{Type: messages.Pause}, nil) {
		e.Gone = true
	}
}

// StartMessage sends the events that open the message. estimated is as in [messages.Message].
func (e *Emitter) StartMessage(model string, usage messages.Usage, estimated bool) {
	e.send(messages.Event{Type: messages.MessageStart, Message: &messages.Message{ID: messageID(e.Seed), Model: model, Usage: usage, UsageEstimated: estimated}})
	e.send(messages.Event{Type: messages.Ping})
}

// StopMessage stops the open block and the message. end holds what message_delta tells.
func (e *Emitter) StopMessage(end *messages.Message) {
	e.StopBlock()
	e.wasCut = false
	e.send(messages.Event{Type: messages.MessageDelta, Message: end})
	e.send(messages.Event{Type: messages.MessageStop})
	e.Stopped = true
}

// OpenBlock stops the open block and begins one of text or thinking. refused says that it has the text of a
// call that was refused.
func (e *Emitter) OpenBlock(kind string, refused bool) {
	e.StopBlock()
	e.TextBegun = e.TextBegun || kind != messages.BlockThinking
	e.OpenKind = kind
	e.send(messages.Event{Type: messages.ContentBlockStart, Index: e.Index, Block: &messages.ContentBlock{Type: kind, Refused: refused}})
}

// StopBlock sends what was gathered for the open block and stops it, if one is open.
func (e *Emitter) StopBlock() {
	e.Flush()
	e.sendStop(0)
}

// sendStop stops the open block, if one is open. For a call that was cut, cut is how many bytes
// of its input hold whole members (see [messages.Event]); for all other blocks it is 0. Thinking ends with
// its signature, also where a call follows at once.
func (e *Emitter) sendStop(cut int) {
	if e.OpenKind == messages.BlockThinking {
		e.send(messages.Event{Type: messages.ContentBlockDelta, Delta: messages.SignatureDelta, Index: e.Index})
	}
	if e.OpenKind != "" {
		e.send(messages.Event{Type: messages.ContentBlockStop, Index: e.Index, Cut: cut})
		e.OpenKind = ""
		e.Index++
	}
}

// EnsureBlock opens a block of text or thinking, unless one is open.
func (e *Emitter) EnsureBlock(kind string) {
	if e.OpenKind != kind {
		e.OpenBlock(kind, false)
	}
}

// Write gathers bytes of the open block: text, thinking, or JSON of the input of a call.
func (e *Emitter) Write(s []byte) { e.buf = append(e.buf, s...) }

// Gathered returns how many bytes are gathered and not sent.
func (e *Emitter) Gathered() int { return len(e.buf) }

// Written returns what is gathered and not sent, from the byte with that index on. It is valid until more is written.
func (e *Emitter) Written(from int) []byte { return e.buf[from:] }

// Truncate forgets what was gathered beyond the first n bytes. Nothing of that may have been sent:
// no flush may stand between the call of gathered that returned n and this one.
func (e *Emitter) Truncate(n int) { e.buf = e.buf[:n] }

// Flush sends what is gathered for the open block, as one delta. While a call is pending nothing is
// sent, and of a call whose values are held only what is whole.
func (e *Emitter) Flush() {
	n := len(e.buf)
	if e.Pending {
		n = 0
	}
	delta := messages.TextDelta
	switch e.OpenKind {
	case messages.BlockToolUse:
		delta = messages.InputJSONDelta
		if !e.FlowsValues {
			n = min(n, max(0, e.wholeTo-e.sent))
		}
		e.sent += n
	case messages.BlockThinking:
		delta = messages.ThinkingDelta
	}
	if n == 0 {
		return
	}
	if e.Keeps > 0 && e.OpenKind == messages.BlockToolUse {
		e.Kept = append(e.Kept, e.buf[:min(n, max(0, e.Keeps-len(e.Kept)))]...)
	}
	e.send(messages.Event{Type: messages.ContentBlockDelta, Delta: delta, Index: e.Index, Text: e.buf[:n]})
	e.buf = e.buf[:copy(e.buf, e.buf[n:])]
}

// HoldInput begins the input of what may become a call: what is written from now on is gathered
// and not sent. What the open block has gathered is sent before.
func (e *Emitter) HoldInput() {
	e.Flush()
	e.callInput = callInput{Pending: true}
}

// SendText sends text of the open block, before the call that is pending.
func (e *Emitter) SendText(s []byte) {
	if len(s) > 0 {
		e.send(messages.Event{Type: messages.ContentBlockDelta, Delta: messages.TextDelta, Index: e.Index, Text: s})
	}
}

// DropInput forgets what was gathered since holdInput, since it was no call. The block that was
// open before still is.
func (e *Emitter) DropInput() {
	e.buf = e.buf[:0]
	e.callInput = callInput{}
}

// Cut ends the answer before the call that was pending: the block that is open is stopped, and of
// what is written from now on, in which states go on with the call, nothing is sent.
func (e *Emitter) Cut() {
	e.DropInput()
	e.StopBlock()
	e.wasCut = true
}

// OpenToolUse starts the block of the call that was pending. What was gathered belongs to it.
func (e *Emitter) OpenToolUse(name string) {
	e.Pending, e.Kept = false, e.Kept[:0]
	e.sendStop(0)
	e.OpenKind = messages.BlockToolUse
	e.send(messages.Event{Type: messages.ContentBlockStart, Index: e.Index, Block: &messages.ContentBlock{
		Type: messages.BlockToolUse, ID: toolUseID(e.Seed, e.Index), Name: name, Input: emptyObject,
	}})
}

var emptyObject = []byte("{}")

// WriteName begins a member of the input: `{"name":` or `,"name":`.
func (e *Emitter) WriteName(name string) {
	c := byte(',')
	if e.inputLen() == 0 {
		c = '{'
	}
	e.buf = append(rawjson.AppendString(append(e.buf, c), name), ':')
	e.tellWrite()
}

// WriteInput writes JSON of the input.
func (e *Emitter) WriteInput(text []byte) {
	e.buf = append(e.buf, text...)
	e.tellWrite()
}

// tellWrite tells that the input of a call that is pending has grown.
func (e *Emitter) tellWrite() {
	if e.Pending && e.Wrote != nil {
		e.Wrote()
	}
}

// Quote begins or ends a string that is the value of a member.
func (e *Emitter) Quote() {
	e.buf = append(e.buf, '"')
	e.tellWrite()
}

// WriteEscaped writes text of such a string, which is valid UTF-8.
func (e *Emitter) WriteEscaped(s []byte) {
	e.buf = rawjson.AppendEscaped(e.buf, s)
	e.tellWrite()
}

// WriteTyped writes the value of a member, as the schema types its text. It reports whether the value
// fits the schema; one that does not is written all the same, as a string. literals is as for AppendTyped.
func (e *Emitter) WriteTyped(s *schema.Schema, text string, literals bool) (fits bool) {
	e.buf, fits = format.AppendTyped(e.buf, s, text, literals)
	e.tellWrite()
	return fits
}

// WriteTypedItems writes elements as an array, as the schema of the array types them. It writes
// nothing and reports false if one of them does not fit.
func (e *Emitter) WriteTypedItems(array *schema.Schema, list []markup.Element) (fit bool) {
	out, fit := schema.AppendTypedItems(e.buf, array, list)
	if fit {
		e.buf = out
		e.tellWrite()
	}
	return fit
}

// WriteObject writes the whole input but its last brace, which closeToolUse writes, and returns the names of
// its members. Text that is nearly a JSON object is mended; for any other it writes nothing and reports false.
func (e *Emitter) WriteObject(text string) (members []string, ok bool) {
	begun := len(e.buf)
	out, ok := rawjson.AppendLooseKind(e.buf, text, '{')
	if ok {
		members = rawjson.MemberNames(out[begun:])
		e.buf = out[:len(out)-1]
		e.MarkWhole()
		e.tellWrite()
	}
	return members, ok
}

// WriteCutObject writes, of an input that is the beginning of a JSON object, the members that are
// whole in it.
func (e *Emitter) WriteCutObject(text string) {
	e.buf = rawjson.AppendCutObject(e.buf, text)
	e.MarkWhole()
}

// HasMembers reports whether the input of the call that is pending has members of all the names.
func (e *Emitter) HasMembers(names []string) bool {
	if len(names) == 0 {
		return true
	}
	e.EnsureBrace()
	given := map[string]bool{}
	for name := range rawjson.NamedMembers(append(bytes.Clone(e.buf), '}')) {
		given[name] = true
	}
	return !slices.ContainsFunc(names, func(name string) bool { return !given[name] })
}

// MaxHeld bounds what is held of a parameter that is written or sent when it is whole, in bytes: with more, the call is
// broken off (G6). What models write is less than a tenth of that.
const MaxHeld = 16 << 20

// HoldsTooMuch reports whether more than MaxHeld is held of a parameter, of which held bytes are not written yet.
func (e *Emitter) HoldsTooMuch(held int) bool {
	return held > MaxHeld || !e.FlowsValues && e.Gathered() > MaxHeld
}

// Size returns how many bytes there is room for.
func (e *Emitter) Size() int { return cap(e.buf) }

// inputLen returns how many bytes of the input have been written, sent or not.
func (e *Emitter) inputLen() int { return e.sent + len(e.buf) }

// MarkWhole records that what was written of the input so far ends with a whole member.
func (e *Emitter) MarkWhole() { e.wholeTo = e.inputLen() }

// EnsureBrace writes the first brace of the input, unless a member has.
func (e *Emitter) EnsureBrace() {
	if e.inputLen() == 0 {
		e.buf = append(e.buf, '{')
	}
}

// CloseToolUse closes the JSON object of the input, and the block.
func (e *Emitter) CloseToolUse() {
	e.EnsureBrace()
	e.buf = append(e.buf, '}')
	e.MarkWhole()
	e.StopBlock()
	e.callInput = callInput{}
}

// CutToolUse stops the block of a call that was not read to its end. The JSON of its input is left
// open where it was cut, so that no client can take it for whole and run half of a call.
func (e *Emitter) CutToolUse() {
	if !e.FlowsValues {
		e.buf = e.buf[:max(0, e.wholeTo-e.sent)]
	}
	e.EnsureBrace()
	e.wholeTo = max(e.wholeTo, len("{"))
	e.Flush()
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
