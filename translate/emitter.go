package translate

import (
	"crypto/sha256"
	"strconv"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// emitter is the only author of the events of a message: of block starts, deltas and stops, of
// ids and indexes. It holds their grammar (G4), whatever the states ask of it:
//
//	message = message_start ping block* message_delta message_stop
//	block   = content_block_start content_block_delta* content_block_stop
//
// Deltas are gathered in buf until flush, so that a piece of the completion makes one of them.
// While a call is pending, its block is not open: what is gathered may yet turn out to be text,
// and nothing is sent of it.
type emitter struct {
	yield func(messages.Event) bool
	seed  string // of the ids
	gone  bool   // nobody listens any more

	stopped bool   // message_stop was sent
	spoken  bool   // a block other than thinking has been opened
	open    string // type of the open block, "" between blocks
	index   int    // of the open block, or of the next one
	buf     []byte // gathered for the open block, or for the call that is pending

	callInput
}

// callInput is what is known of the input of a call, which is one JSON object.
type callInput struct {
	pending bool // the block of the call is not open
	whole   bool // each parameter is sent when it is whole
	sent    int  // bytes of the input
	wholeTo int  // bytes of the input up to the end of what came whole of it
}

func (e *emitter) send(event messages.Event) {
	if !e.gone && !e.yield(event) {
		e.gone = true
	}
}

// startMessage opens the message of a model.
func (e *emitter) startMessage(model string, usage messages.Usage) {
	e.send(messages.Event{Type: messages.MessageStart, Message: &messages.Message{ID: messageID(e.seed), Model: model, Usage: usage}})
	e.send(messages.Event{Type: messages.Ping})
}

// stopMessage closes the open block, and the message with its end.
func (e *emitter) stopMessage(end *messages.Message) {
	e.closeBlock()
	e.send(messages.Event{Type: messages.MessageDelta, Message: end})
	e.send(messages.Event{Type: messages.MessageStop})
	e.stopped = true
}

// openBlock closes the open block and begins one of text or thinking.
func (e *emitter) openBlock(kind string) {
	e.closeBlock()
	e.spoken = e.spoken || kind != messages.BlockThinking
	e.open = kind
	e.send(messages.Event{Type: messages.ContentBlockStart, Index: e.index, Block: &messages.ContentBlock{Type: kind}})
}

// closeBlock sends what was gathered for the open block and stops it, if there is one.
func (e *emitter) closeBlock() {
	e.flush()
	if e.open == messages.BlockThinking {
		e.send(messages.Event{Type: messages.ContentBlockDelta, Delta: messages.SignatureDelta, Index: e.index})
	}
	e.stopBlock(0)
}

// stopBlock stops the open block. If it is that of a call that was cut, the first cut bytes of
// its input came whole; for all others cut is 0.
func (e *emitter) stopBlock(cut int) {
	if e.open != "" {
		e.send(messages.Event{Type: messages.ContentBlockStop, Index: e.index, Cut: cut})
		e.open = ""
		e.index++
	}
}

// ensureBlock opens a block of text or thinking, unless one is open.
func (e *emitter) ensureBlock(kind string) {
	if e.open != kind {
		e.openBlock(kind)
	}
}

// write gathers text for the open block.
func (e *emitter) write(s []byte) { e.buf = append(e.buf, s...) }

// flush sends what the open block has gathered, of a call up to the end of what may be sent.
func (e *emitter) flush() {
	n := len(e.buf)
	if e.pending {
		n = 0
	}
	delta := messages.TextDelta
	switch e.open {
	case messages.BlockToolUse:
		delta = messages.InputJSONDelta
		if e.whole {
			n = min(n, max(0, e.wholeTo-e.sent))
		}
		e.sent += n
	case messages.BlockThinking:
		delta = messages.ThinkingDelta
	}
	if n == 0 {
		return
	}
	e.send(messages.Event{Type: messages.ContentBlockDelta, Delta: delta, Index: e.index, Text: e.buf[:n]})
	e.buf = e.buf[:copy(e.buf, e.buf[n:])]
}

// beginCall begins to gather the input of what may become a call. What the open block has
// gathered is sent before.
func (e *emitter) beginCall() {
	e.flush()
	e.callInput = callInput{pending: true}
}

// dropCall forgets what was gathered of a call that was none.
func (e *emitter) dropCall() {
	e.buf = e.buf[:0]
	e.callInput = callInput{}
}

// openCall opens the block of the call that is pending: from here on it is one.
func (e *emitter) openCall(name string) {
	e.pending = false
	e.stopBlock(0)
	e.open = messages.BlockToolUse
	e.send(messages.Event{Type: messages.ContentBlockStart, Index: e.index, Block: &messages.ContentBlock{
		Type: messages.BlockToolUse, ID: toolUseID(e.seed, e.index), Name: name, Input: emptyObject,
	}})
}

var emptyObject = []byte("{}")

// beginMember begins a member of the input.
func (e *emitter) beginMember(name string) {
	c := byte(',')
	if e.inputLen() == 0 {
		c = '{'
	}
	e.buf = append(rawjson.AppendString(append(e.buf, c), name), ':')
}

// inputLen is how many bytes of the input have been gathered so far, sent or not.
func (e *emitter) inputLen() int { return e.sent + len(e.buf) }

// cameWhole takes down that all of the input that was gathered so far came whole.
func (e *emitter) cameWhole() { e.wholeTo = e.inputLen() }

// beginInput begins the object of the input, if no member has.
func (e *emitter) beginInput() {
	if e.inputLen() == 0 {
		e.buf = append(e.buf, '{')
	}
}

// closeCall closes the object of the input, and the block.
func (e *emitter) closeCall() {
	e.beginInput()
	e.buf = append(e.buf, '}')
	e.cameWhole()
	e.closeBlock()
	e.callInput = callInput{}
}

// leaveCall stops the block of a call that was not read to its end. The JSON of its input
// stays open where it is: nobody can take it for whole, and run half of it.
func (e *emitter) leaveCall() {
	if e.whole {
		e.buf = e.buf[:max(0, e.wholeTo-e.sent)]
	}
	e.beginInput()
	e.wholeTo = max(e.wholeTo, len("{"))
	e.flush()
	e.stopBlock(e.wholeTo)
	e.callInput = callInput{}
}

// messageID returns the id of a message; one without a seed gets a fixed one.
func messageID(seed string) string {
	if seed == "" {
		return "msg_" + derivedID(seed, 0)
	}
	return seed
}

// toolUseID returns the id of the nth block of a message: as unique as the message's, of the
// form that every API accepts (docs/reference/messages-api.md §8).
func toolUseID(seed string, n int) string { return "toolu_" + derivedID(seed, n+1) }

// derivedID returns 24 letters and digits that depend on seed and n alone.
func derivedID(seed string, n int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256(strconv.AppendInt([]byte(seed+"/"), int64(n), 10))
	id := sum[:24]
	for i, b := range id {
		id[i] = digits[int(b)%len(digits)]
	}
	return string(id)
}
