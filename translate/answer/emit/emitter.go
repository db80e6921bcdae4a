// Package emit makes the events of one message. No other package does, so the events always follow the grammar of
// the API (G4).
package emit

import (
	"bytes"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// Emitter makes the events of a message: the starts, deltas and stops of blocks, with ids and indexes. Whatever
// the parser asks for, the events have this form (G4):
//
//	message = message_start ping { block } message_delta message_stop .
//	block   = content_block_start { content_block_delta } content_block_stop .
//
// Emitter gathers in buf what the parser writes. The parser calls Flush after each piece of the completion. So one
// piece makes one delta, however many writes it causes.
//
// The block of a call passes through these steps:
//
//	HoldInput     the text may turn out to be no call: the emitter gathers the input and does not send it
//	DropInput     it is no call: the emitter forgets the input, and completion.Text gives the text back
//	OpenToolUse   it is a call: the block starts, and the gathered input can be sent
//	CloseToolUse  the call is whole: the emitter closes the JSON object of its input
//	CutToolUse    the call was cut: the JSON object stays open
type Emitter struct {
	Yield func(messages.Event, error) bool // receives the events; returns false if the receiver wants no more
	Seed  string                           // the ids of the message and of its calls derive from it
	Gone  bool                             // Yield has returned false: nothing more is sent

	wasCut    bool   // Cut was called: only the end of the message is still sent
	Stopped   bool   // message_stop has been sent
	TextBegun bool   // a block that is not thinking has been opened with OpenBlock
	OpenKind  string // the type of the open block; "" between blocks
	Index     int    // the index of the open block or, between blocks, of the next block
	buf       []byte // gathered for the open block or, while Pending, for the block of the pending call
	HeldEnd   string // what the text must not end with: Flush holds so many bytes at its end, until DropHeldEnd
	Wrote     func() // optional: called when the input of a pending call has grown
	Keeps     int    // how many bytes of each call's input to copy to Kept
	Kept      []byte // the first bytes that were sent of the last call's input

	callInput
}

const (
	// MaxKept is how much of a call's input is kept, in bytes, to find a call that only copies the example of the
	// prompt. A copy of an example is short.
	MaxKept = 16 << 10
	// MaxCompared is how much is kept if the server may send the same call as well.
	MaxCompared = 256 << 10
)

// callInput records how far the input of a call has been written. The input is one JSON object.
type callInput struct {
	Pending      bool // the gathered input belongs to a call, and the block of the call is not open yet
	StreamValues bool // strings are sent while they are written; if false, only bytes before wholeTo are sent
	sent         int  // how many bytes of the input have been sent
	wholeTo      int  // how many bytes of the input contain only whole members: see MarkWhole
}

// New returns an emitter of one message. It sends the events to yield until yield returns false. The ids derive
// from seed.
func New(yield func(messages.Event, error) bool, seed string) Emitter {
	return Emitter{Yield: yield, Seed: seed}
}

// send yields an event, unless the answer was cut or the receiver is gone.
func (e *Emitter) send(event messages.Event) {
	if !e.Gone && !e.wasCut && !e.Yield(event, nil) {
		e.Gone = true
	}
}

// Pause sends the event that announces a wait for the next event.
func (e *Emitter) Pause() {
	if !e.Gone && !e.Stopped && !e.Yield(messages.Event{Type: messages.Pause}, nil) {
		e.Gone = true
	}
}

// StartMessage sends the events that open the message. estimated: usage is an estimate.
func (e *Emitter) StartMessage(model string, usage messages.Usage, estimated bool) {
	e.send(messages.Event{Type: messages.MessageStart, Message: &messages.Message{ID: messageID(e.Seed), Model: model, Usage: usage, UsageEstimated: estimated}})
	e.send(messages.Event{Type: messages.Ping})
}

// StopMessage stops the open block and the message. end holds the fields of message_delta.
func (e *Emitter) StopMessage(end *messages.Message) {
	e.StopBlock()
	e.wasCut = false
	e.send(messages.Event{Type: messages.MessageDelta, Message: end})
	e.send(messages.Event{Type: messages.MessageStop})
	e.Stopped = true
}

// OpenBlock stops the open block, and opens a block of text or thinking. refused: the block holds the text of a
// call that Dragoman refused.
func (e *Emitter) OpenBlock(kind string, refused bool) {
	e.StopBlock()
	e.TextBegun = e.TextBegun || kind != messages.BlockThinking
	e.OpenKind = kind
	e.send(messages.Event{Type: messages.ContentBlockStart, Index: e.Index, Block: &messages.ContentBlock{Type: kind, Refused: refused}})
}

// StopBlock sends what was gathered for the open block and stops the block, if one is open.
func (e *Emitter) StopBlock() {
	e.flushAll()
	e.sendStop(0)
}

// sendStop stops the open block, if one is open. For a call that was cut, cut is how many bytes of its input
// contain whole members (see [messages.Event]). For all other blocks cut is 0. A block of thinking ends with its
// signature.
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

// EnsureBlock opens a block of text or thinking, unless a block of that kind is open.
func (e *Emitter) EnsureBlock(kind string) {
	if e.OpenKind != kind {
		e.OpenBlock(kind, false)
	}
}

// Write gathers bytes for the open block: text, thinking, or JSON of a call's input.
func (e *Emitter) Write(s []byte) { e.buf = append(e.buf, s...) }

// Gathered returns how many bytes are gathered and not sent.
func (e *Emitter) Gathered() int { return len(e.buf) }

// Written returns the gathered bytes from an index on. They are valid until the next write.
func (e *Emitter) Written(from int) []byte { return e.buf[from:] }

// Truncate forgets all gathered bytes after the first n. n must come from Gathered, with no Flush in between.
func (e *Emitter) Truncate(n int) { e.buf = e.buf[:n] }

// Flush sends the gathered bytes of the open block as one delta. While a call is pending, Flush sends nothing. If
// StreamValues is false, it sends only the whole members of a call's input.
func (e *Emitter) Flush() {
	n := len(e.buf)
	if e.Pending {
		n = 0
	}
	delta := messages.TextDelta
	switch e.OpenKind {
	case messages.BlockToolUse:
		delta = messages.InputJSONDelta
		if !e.StreamValues {
			n = min(n, max(0, e.wholeTo-e.sent))
		}
		e.sent += n
	case messages.BlockThinking:
		delta = messages.ThinkingDelta
	case messages.BlockText:
		n = max(0, n-len(e.HeldEnd))
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

// flushAll does what Flush does, but holds no end of the text.
func (e *Emitter) flushAll() {
	held := e.HeldEnd
	e.HeldEnd = ""
	e.Flush()
	e.HeldEnd = held
}

// DropHeldEnd forgets HeldEnd, and removes it from the end of the text.
func (e *Emitter) DropHeldEnd() {
	if e.OpenKind == messages.BlockText && !e.Pending && e.HeldEnd != "" {
		e.buf = bytes.TrimSuffix(e.buf, []byte(e.HeldEnd))
	}
	e.HeldEnd = ""
	e.Flush()
}

// HoldInput begins the input of a pending call. It sends what was gathered for the open block. From now on, the
// emitter gathers what is written and does not send it.
func (e *Emitter) HoldInput() {
	e.flushAll()
	e.callInput = callInput{Pending: true}
}

// SendText sends text of the open block at once. The text stands before the pending call.
func (e *Emitter) SendText(s []byte) {
	if len(s) > 0 {
		e.send(messages.Event{Type: messages.ContentBlockDelta, Delta: messages.TextDelta, Index: e.Index, Text: s})
	}
}

// DropInput forgets the input that was gathered since HoldInput, because the text is no call. The block that was
// open before stays open.
func (e *Emitter) DropInput() {
	e.buf = e.buf[:0]
	e.callInput = callInput{}
}

// Cut ends the answer before the pending call. It stops the open block. The parser may go on writing the call, but
// the emitter sends only the end of the message.
func (e *Emitter) Cut() {
	e.DropInput()
	e.StopBlock()
	e.wasCut = true
}

// OpenToolUse starts the block of the pending call. The gathered input belongs to that block.
func (e *Emitter) OpenToolUse(name string) {
	e.Pending, e.Kept = false, e.Kept[:0]
	e.sendStop(0)
	e.OpenKind = messages.BlockToolUse
	e.send(messages.Event{Type: messages.ContentBlockStart, Index: e.Index, Block: &messages.ContentBlock{
		Type: messages.BlockToolUse, ID: toolUseID(e.Seed, e.Index), Name: name, Input: emptyObject,
	}})
}

var emptyObject = []byte("{}")

// WriteName begins a member of the input: it writes `{"name":` or `,"name":`.
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

// tellWrite calls Wrote if the input of a pending call has grown.
func (e *Emitter) tellWrite() {
	if e.Pending && e.Wrote != nil {
		e.Wrote()
	}
}

// Quote begins or ends a string value.
func (e *Emitter) Quote() {
	e.buf = append(e.buf, '"')
	e.tellWrite()
}

// WriteEscaped writes text of a string value, with JSON escapes. The text must be valid UTF-8.
func (e *Emitter) WriteEscaped(s []byte) {
	e.buf = rawjson.AppendEscaped(e.buf, s)
	e.tellWrite()
}

// WriteTyped writes the value of a member. The schema decides the type of the text. If the value does not fit the
// schema, WriteTyped writes it as a string and returns false. literals has the meaning that it has for
// [format.AppendTyped].
func (e *Emitter) WriteTyped(s *schema.Schema, text string, literals bool) (fits bool) {
	e.buf, fits = format.AppendTyped(e.buf, s, text, literals)
	e.tellWrite()
	return fits
}

// WriteTypedItems writes elements as an array. The schema of the array decides their types. If an element does not
// fit, WriteTypedItems writes nothing and returns false.
func (e *Emitter) WriteTypedItems(array *schema.Schema, list []markup.Element) (fit bool) {
	out, fit := schema.AppendTypedItems(e.buf, array, list)
	if fit {
		e.buf = out
		e.tellWrite()
	}
	return fit
}

// WriteObject writes the whole input except the last brace, which CloseToolUse writes. It repairs text that is nearly a
// JSON object, and returns the object, which is valid until more is written. For any other text, it writes nothing and
// returns false.
func (e *Emitter) WriteObject(text string) (input jsontext.Value, ok bool) {
	begun := len(e.buf)
	out, ok := rawjson.AppendLooseKind(e.buf, text, '{')
	if ok {
		input = out[begun:]
		e.buf = out[:len(out)-1]
		e.MarkWhole()
		e.tellWrite()
	}
	return input, ok
}

// WriteCutObject writes the whole members of an input that is only the beginning of a JSON object.
func (e *Emitter) WriteCutObject(text string) {
	e.buf = rawjson.AppendCutObject(e.buf, text)
	e.MarkWhole()
}

// HasMembers reports whether the input of the pending call has a member for each of the names.
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

// MaxHeld limits, in bytes, how much the emitter and the reader hold of a parameter that is written or sent only
// when it is whole. Above the limit, Dragoman breaks off the call (G6). Models write less than a tenth of the
// limit.
const MaxHeld = 16 << 20

// HoldsTooMuch reports whether a parameter exceeds MaxHeld. held is how many of its bytes are not written yet.
func (e *Emitter) HoldsTooMuch(held int) bool {
	return held > MaxHeld || !e.StreamValues && e.Gathered() > MaxHeld
}

// Size returns the capacity of the buffer in bytes.
func (e *Emitter) Size() int { return cap(e.buf) }

// inputLen returns how many bytes of the input have been written, sent or not.
func (e *Emitter) inputLen() int { return e.sent + len(e.buf) }

// MarkWhole records that the input, as far as it has been written, ends with a whole member.
func (e *Emitter) MarkWhole() { e.wholeTo = e.inputLen() }

// EnsureBrace writes the first brace of the input, unless WriteName or WriteObject has written it.
func (e *Emitter) EnsureBrace() {
	if e.inputLen() == 0 {
		e.buf = append(e.buf, '{')
	}
}

// CloseToolUse closes the JSON object of the input and stops the block.
func (e *Emitter) CloseToolUse() {
	e.EnsureBrace()
	e.buf = append(e.buf, '}')
	e.MarkWhole()
	e.StopBlock()
	e.callInput = callInput{}
}

// CutToolUse stops the block of a call that was not read to its end. The JSON of its input stays open at the cut.
// So no client can mistake it for a whole input and run half of a call.
func (e *Emitter) CutToolUse() {
	if !e.StreamValues {
		e.buf = e.buf[:max(0, e.wholeTo-e.sent)]
	}
	e.EnsureBrace()
	e.wholeTo = max(e.wholeTo, len("{"))
	e.Flush()
	e.sendStop(e.wholeTo)
	e.callInput = callInput{}
}

// messageID returns the id of the message: the seed, which is the id of the request. Without a seed, it returns a
// constant id.
func messageID(seed string) string {
	if seed == "" {
		return "msg_" + prompt.DerivedID(seed, 0)
	}
	return seed
}

// toolUseID returns the id of block n of a message. The id is as unique as the seed. Every API accepts its form
// (docs/reference/messages-api.md §8).
func toolUseID(seed string, n int) string { return "toolu_" + prompt.DerivedID(seed, n+1) }
