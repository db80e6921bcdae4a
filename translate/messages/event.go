package messages

import (
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// EventType is the kind of an [Event].
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
	// OtherEvent is an event that this package does not know: Event.Raw has it.
	OtherEvent
	// Pause is no event of the API: the next event has to be waited for. A writer sends what it has gathered.
	Pause
)

// eventNames are the values of an event's "type".
var eventNames = [...]string{
	MessageStart:      "message_start",
	Ping:              "ping",
	ContentBlockStart: "content_block_start",
	ContentBlockDelta: "content_block_delta",
	ContentBlockStop:  "content_block_stop",
	MessageDelta:      "message_delta",
	MessageStop:       "message_stop",
	OtherEvent:        "",
	Pause:             "",
}

// String returns the event's "type", or "" for OtherEvent, for which see [Event.Name], and for Pause.
func (t EventType) String() string { return eventNames[t] }

// DeltaType is the kind of a content_block_delta.
type DeltaType uint8

// The deltas of docs/reference/streaming.md §3.
const (
	TextDelta DeltaType = iota + 1
	InputJSONDelta
	ThinkingDelta
	SignatureDelta
	// OtherDelta is a delta that this package never makes: Event.Raw has it.
	OtherDelta
)

// deltaNames are the values of a delta's "type".
var deltaNames = [...]string{
	TextDelta:      "text_delta",
	InputJSONDelta: "input_json_delta",
	ThinkingDelta:  "thinking_delta",
	SignatureDelta: "signature_delta",
	OtherDelta:     "",
}

// String returns the delta's "type", or "" for OtherDelta.
func (t DeltaType) String() string { return deltaNames[t] }

// Event is one event of a streamed answer. Type decides which of the other fields are set: each
// names the types that set it.
type Event struct {
	Type  EventType
	Delta DeltaType // ContentBlockDelta
	Index int       // ContentBlockStart, ContentBlockDelta, ContentBlockStop
	// Text is the piece that the delta adds (text, partial_json, thinking or signature): whole UTF-8
	// characters, not escaped, valid only until the next event (ContentBlockDelta).
	Text []byte
	// Block is the block as it opens (ContentBlockStart): empty except for the id and name of a
	// tool_use. A model with a tool API of its own may have put text, or the input of a call, in it:
	// the text stands before that of the deltas, and the input counts if the deltas have none.
	Block *ContentBlock
	// Cut is greater than 0 if the block is a call that was not read to its end (ContentBlockStop).
	// Its partial_json was left open where it ends, as the API leaves it
	// (docs/reference/streaming.md §4); the first Cut bytes of it and a closing brace are a JSON
	// object of the parameters that came whole.
	Cut int
	// Message is the message so far, without content (MessageStart), or its end: StopReason,
	// StopSequence, Usage and Outcomes (MessageDelta).
	Message *Message
	// Raw is the event as JSON if a model with a tool API of its own sent it, with members that this
	// package does not know; the other fields then say what Raw says. It is nil for events of this
	// project's making. It is valid only until the next event.
	Raw jsontext.Value
	// More is true if the next event is at hand: nothing is waited for before it. Upstreams set it, for events with
	// Raw; behind an event without it, translate.Judge adds a Pause.
	More bool
}

// Name returns the event's "type" on the wire, also for OtherEvent.
func (e Event) Name() string {
	if e.Type == OtherEvent {
		return rawjson.StringOf(rawjson.Lookup(e.Raw, "type"))
	}
	return e.Type.String()
}

// WithIndex returns the event of a block with the index changed, in Raw too.
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
