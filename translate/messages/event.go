package messages

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// EventType is the kind of an [Event]; String gives its name on the wire.
type EventType uint8

// The events of docs/reference/streaming.md §2, in the order in which they occur.
const (
	MessageStart EventType = iota + 1
	Ping
	ContentBlockStart
	ContentBlockDelta
	ContentBlockStop
	MessageDelta
	MessageStop
	// OtherEvent is one that this package does not know: it is in Raw.
	OtherEvent
)

var eventNames = [...]string{
	MessageStart:      "message_start",
	Ping:              "ping",
	ContentBlockStart: "content_block_start",
	ContentBlockDelta: "content_block_delta",
	ContentBlockStop:  "content_block_stop",
	MessageDelta:      "message_delta",
	MessageStop:       "message_stop",
	OtherEvent:        "",
}

// String returns the name of the event on the wire, "" for OtherEvent.
func (t EventType) String() string { return eventNames[t] }

// DeltaType is the kind of a content_block_delta; String gives its name on the wire.
type DeltaType uint8

// The deltas of docs/reference/streaming.md §3 that this package emits.
const (
	TextDelta DeltaType = iota + 1
	InputJSONDelta
	ThinkingDelta
	SignatureDelta
	// OtherDelta is one that this package does not emit: it is in Raw.
	OtherDelta
)

var deltaNames = [...]string{
	TextDelta:      "text_delta",
	InputJSONDelta: "input_json_delta",
	ThinkingDelta:  "thinking_delta",
	SignatureDelta: "signature_delta",
	OtherDelta:     "",
}

// String returns the name of the delta on the wire.
func (t DeltaType) String() string { return deltaNames[t] }

// Event is one event of a Messages-API stream. Which fields are set follows
// from Type.
type Event struct {
	Type  EventType
	Delta DeltaType // ContentBlockDelta
	Index int       // ContentBlockStart, ContentBlockDelta, ContentBlockStop
	// Text is what a ContentBlockDelta carries (text, partial_json, thinking or
	// signature): whole UTF-8 characters, valid only until the next event.
	Text []byte
	// Block is the block as it opens (ContentBlockStart): empty, but for the id
	// and name of a tool_use.
	Block *ContentBlock
	// Cut says of a ContentBlockStop that the call was not read to its end: the
	// partial_json of its block is left open where it ends, as the API leaves it
	// (docs/reference/streaming.md §4), and the first Cut bytes of that, with a brace after
	// them, hold the parameters that came whole. It is 0 for all other blocks.
	Cut int
	// Message is the message so far, without content (MessageStart), or its
	// ending: StopReason, StopSequence, Usage and Outcomes (MessageDelta).
	Message *Message
	// Raw is the event in JSON as a model with a tool API of its own sent it, with
	// all that only its clients know; nil for events of this package. The other
	// fields say then what Raw says of them. Like Text, it is valid only until the
	// next event.
	Raw jsontext.Value
}

// Name returns the name of the event on the wire.
func (e Event) Name() string {
	if e.Type == OtherEvent {
		return rawjson.StringOf(rawjson.Lookup(e.Raw, "type"))
	}
	return e.Type.String()
}

// at returns the event of a block with another index.
func (e Event) WithIndex(index int) Event {
	if e.Index == index {
		return e
	}
	e.Index = index
	if e.Raw != nil {
		e.Raw = rawjson.WithMembers(e.Raw, map[string]jsontext.Value{"index": strconv.AppendInt(nil, int64(index), 10)})
	}
	return e
}
