package messages

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// EventType is the kind of an [Event].
type EventType uint8

// The events of docs/reference/streaming.md §2, in the order of a stream.
const (
	MessageStart EventType = iota + 1
	Ping
	ContentBlockStart
	ContentBlockDelta
	ContentBlockStop
	MessageDelta
	MessageStop
	// OtherEvent is an event that this package does not know. It is in Event.Raw.
	OtherEvent
	// Pause is not an event of the API. It means that the next event may take a while, so a writer
	// should flush now.
	Pause
)

// eventNames are the values of "type" in events.
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

// String returns the event's "type". It is "" for Pause and for OtherEvent; [Event.Name] knows the
// name of an OtherEvent.
func (t EventType) String() string { return eventNames[t] }

// DeltaType is the kind of a content_block_delta.
type DeltaType uint8

// The deltas of docs/reference/streaming.md §3.
const (
	TextDelta DeltaType = iota + 1
	InputJSONDelta
	ThinkingDelta
	SignatureDelta
	// OtherDelta is a delta that this package does not know. It is in Event.Raw.
	OtherDelta
)

// deltaNames are the values of "type" in deltas.
var deltaNames = [...]string{
	TextDelta:      "text_delta",
	InputJSONDelta: "input_json_delta",
	ThinkingDelta:  "thinking_delta",
	SignatureDelta: "signature_delta",
	OtherDelta:     "",
}

// String returns the delta's "type", or "" for OtherDelta.
func (t DeltaType) String() string { return deltaNames[t] }

// Event is one event of a streamed answer. The comment of each field names the types of events that
// set it.
type Event struct {
	Type  EventType
	Delta DeltaType // ContentBlockDelta
	Index int       // ContentBlockStart, ContentBlockDelta, ContentBlockStop
	// Text is what the delta adds to the text, partial_json, thinking or signature
	// (ContentBlockDelta). It has whole UTF-8 characters, without JSON escapes. It is valid only
	// until the next event.
	Text []byte
	// Block is the block as it starts (ContentBlockStart). It is empty except for the id and name
	// of a tool_use. If the model has a tool API of its own, it may also have text or an input. The
	// text comes before the text of the deltas. The input counts only if no delta has any.
	Block *ContentBlock
	// Cut is greater than 0 if the block is a call that ends too early (ContentBlockStop). The
	// call's partial_json is then incomplete JSON, as in the API (docs/reference/streaming.md §4).
	// Its first Cut bytes, plus a closing brace, are a JSON object of the complete parameters.
	Cut int
	// Message is the message so far, without content (MessageStart), or its end: StopReason,
	// StopSequence, Usage and Outcomes (MessageDelta).
	Message *Message
	// Raw is the event's JSON from a model that has a tool API of its own, with all members, known
	// or not. The other fields then repeat what Raw has. Raw is nil for events that Dragoman makes.
	// It is valid only until the next event.
	Raw jsontext.Value
	// More is true if the next event is available without waiting. Upstreams set it for events with
	// Raw. translate.Judge adds a Pause after each event with Raw that does not have it.
	More bool
}

// Name returns the event's "type" on the wire. It works for OtherEvent too.
func (e Event) Name() string {
	if e.Type == OtherEvent {
		return rawjson.StringOf(rawjson.Lookup(e.Raw, "type"))
	}
	return e.Type.String()
}
