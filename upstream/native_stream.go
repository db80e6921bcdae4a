package upstream

import (
	"bytes"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// nativeDecoder turns the events of one Messages stream into messages.Event. The client gets the event's
// JSON, in Raw. The proxy uses the other members to count and check.
type nativeDecoder struct {
	usage messages.Usage // so far
	order nativeOrder    // of the events so far
	cut   cutCalls       // whether a call so far is cut

	stop     messages.Stop // the last stop_reason
	sequence string        // the stop_sequence with it
}

// decode returns the event for an event of the wire. Its Raw and its Text are valid until the next call. An
// event in the wrong order is an error: see nativeOrder.
func (d *nativeDecoder) decode(data []byte) (messages.Event, error) {
	if bytes.IndexByte(data, '\n') >= 0 || bytes.IndexByte(data, '\r') >= 0 { // a line break would end a line of the client's stream
		raw := jsontext.Value(bytes.Clone(data))
		if raw.Compact() == nil {
			data = raw
		}
	}
	var ev nativeEvent
	if err := readEvent(data, &ev, &ev.Type); err != nil {
		return messages.Event{}, err
	}
	if ev.Type == "error" {
		return messages.Event{}, eventError(&ev.Error, data)
	}
	if err := brokenOff(string(ev.Delta.StopReason)); err != nil {
		return messages.Event{}, err
	}
	e := d.event(&ev, data)
	if !d.order.follows(e) {
		return messages.Event{}, gatewayError("the upstream sent its events in the wrong order", fmt.Errorf("%s of block %d", e.Name(), e.Index))
	}
	d.cut.read(&e)
	return e, nil
}

// nativeEvent is a [messagesEvent] with the members that only native requests need: the index of its block,
// and the members of calls and thinking.
type nativeEvent struct {
	messagesEvent
	Index        int `json:"index"`
	ContentBlock struct {
		Type     string         `json:"type"`
		Text     string         `json:"text"`
		ID       string         `json:"id"`
		Name     string         `json:"name"`
		Input    jsontext.Value `json:"input"`
		Thinking string         `json:"thinking"`
		Data     string         `json:"data"`
	} `json:"content_block"`
	Delta struct {
		Type         string        `json:"type"`
		Text         string        `json:"text"`
		PartialJSON  string        `json:"partial_json"`
		Thinking     string        `json:"thinking"`
		Signature    string        `json:"signature"`
		StopReason   messages.Stop `json:"stop_reason"`
		StopSequence string        `json:"stop_sequence"`
	} `json:"delta"`
}

// delta returns the kind and the text of a delta.
func (ev *nativeEvent) delta() (messages.DeltaType, []byte) {
	switch d := &ev.Delta; d.Type {
	case "text_delta":
		return messages.TextDelta, []byte(d.Text)
	case "input_json_delta":
		return messages.InputJSONDelta, []byte(d.PartialJSON)
	case "thinking_delta":
		return messages.ThinkingDelta, []byte(d.Thinking)
	case "signature_delta":
		return messages.SignatureDelta, []byte(d.Signature)
	}
	return messages.OtherDelta, nil
}

// event returns the messages.Event for an event of the wire; data is its JSON. Raw undoes Bedrock's changes
// to the JSON of the Messages API. If the message has a cut call, the stop reason says so, in Raw too.
func (d *nativeDecoder) event(ev *nativeEvent, data []byte) messages.Event {
	e := messages.Event{Type: messages.OtherEvent, Index: ev.Index, Raw: data}
	switch ev.Type {
	case "message_start":
		e.Type = messages.MessageStart
		d.usage = ev.Message.Usage.usage()
		e.Message = &messages.Message{Usage: d.usage}
	case "ping":
		e.Type = messages.Ping
	case "content_block_start":
		e.Type = messages.ContentBlockStart
		b := &ev.ContentBlock
		e.Block = &messages.ContentBlock{Type: b.Type, Text: b.Text, ID: b.ID, Name: b.Name, Input: b.Input, Thinking: b.Thinking, Data: b.Data}
	case "content_block_delta":
		e.Type = messages.ContentBlockDelta
		e.Delta, e.Text = ev.delta()
	case "content_block_stop":
		e.Type = messages.ContentBlockStop
	case "message_delta":
		e.Type = messages.MessageDelta
		d.usage = mergeUsage(d.usage, ev.Usage.usage())
		if ev.Delta.StopReason != "" { // otherwise the event only counts tokens
			d.stop, d.sequence = nativeStop(ev.Delta.StopReason), ev.Delta.StopSequence
		}
		switch {
		case d.stop == messages.StopGuardrail: // the Messages API has no word for it
			e.Raw = withStop(data, messages.StopRefusal)
		case d.stop != ev.Delta.StopReason && ev.Delta.StopReason != "":
			e.Raw = withStop(data, d.stop)
		}
		e.Message = &messages.Message{StopReason: d.stop, StopSequence: d.sequence, Usage: d.usage}
		if stop := d.stop.WithCutCall(); d.cut.found && stop != d.stop {
			e.Raw = withStop(data, stop)
			e.Message.StopReason, e.Message.StopSequence = stop, ""
		}
	case "message_stop":
		e.Type = messages.MessageStop
		if ev.Metrics != (bedrockMetrics{}) { // Bedrock's own member, which clients of the Messages API do not expect
			e.Raw = rawjson.WithMembers(data, map[string]jsontext.Value{"amazon-bedrock-invocationMetrics": nil})
		}
	}
	return e
}
