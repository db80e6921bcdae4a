package upstream

import (
	"bytes"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// ErrNoCounter says that an upstream does not count tokens.
var ErrNoCounter = errors.New("the upstream does not count tokens")

// Native is a request for a model with a tool API of its own, in the terms of the
// Messages API. It goes to the model as it is, but for what says which model it is
// for and how the answer comes.
type Native struct {
	Body    jsontext.Value // a JSON object without duplicate names
	Version string         // anthropic-version of the client; "" if it gave none
	Betas   []string       // anthropic-beta
}

// encode returns the body for a model: without the members that say who it is for,
// and with those of this wire.
func (n Native) encode(members map[string]jsontext.Value) []byte {
	changes := map[string]jsontext.Value{"model": nil, "stream": nil, memberVersion: nil, memberBetas: nil}
	maps.Copy(changes, members)
	return rawjson.WithMembers(n.Body, changes)
}

// header writes the client's betas, and where the server speaks several versions of
// the API, which one it is.
func (n Native) header(version bool) func(http.Header) {
	return func(h http.Header) {
		if betas := n.betas(); len(betas) > 0 {
			h.Set("anthropic-beta", strings.Join(betas, ","))
		}
		switch {
		case version && n.isNew():
			h.Set("anthropic-version", newVersion)
		case version && isDate(n.Version):
			h.Set("anthropic-version", n.Version)
		}
	}
}

// isDate tells whether s looks like a version of the API.
func isDate(s string) bool {
	return len(s) == len("2023-06-01") && strings.Trim(s, "0123456789-") == ""
}

// The members that some clients write into a body, instead of headers or beside them.
const (
	memberVersion = "anthropic_version"
	memberBetas   = "anthropic_beta"
)

// betas returns those of the header and of the body, each once.
func (n Native) betas() []string {
	var body struct {
		Betas jsontext.Value `json:"anthropic_beta"`
	}
	betas := slices.Clone(n.Betas)
	if json.Unmarshal(n.Body, &body, lenient) == nil {
		var list []string
		var one string
		if json.Unmarshal(body.Betas, &list) == nil {
			betas = append(betas, list...)
		} else if json.Unmarshal(body.Betas, &one) == nil {
			betas = append(betas, one)
		}
	}
	betas = slices.DeleteFunc(betas, func(beta string) bool { return !isBeta(beta) })
	slices.Sort(betas)
	return slices.Compact(betas)
}

// isBeta tells whether s can be the name of a beta that is the upstream's business.
// Those of a client's own login are not (reference/errors.md §6).
func isBeta(s string) bool {
	return s != "" && strings.Trim(s, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.") == "" && !strings.HasPrefix(s, "oauth-")
}

// newVersion is the version of the Messages API that took parameters away.
const newVersion = "2026-10-21"

// isNew tells whether the client speaks the new version, in a header or in the body.
func (n Native) isNew() bool {
	var body struct {
		Version string `json:"anthropic_version"`
	}
	return n.Version == newVersion || json.Unmarshal(n.Body, &body, lenient) == nil && body.Version == newVersion
}

// asJSON returns a value as JSON.
func asJSON(v any) jsontext.Value {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err) // ids and names that were checked
	}
	return data
}

// nativeDecoder turns the events of one Messages stream into those of translate.
type nativeDecoder struct {
	chunks  messagesDecoder
	usage   messages.Usage
	started bool
	blocks  int // that have begun
}

// decode reads one event. Its Raw, like its Text, is valid until the next one.
func (d *nativeDecoder) decode(data []byte) (messages.Event, error) {
	if bytes.ContainsAny(data, "\r\n") { // which would end a line of the client's stream
		raw := jsontext.Value(bytes.Clone(data))
		if raw.Compact() == nil {
			data = raw
		}
	}
	var e messages.Event
	if text, ok := d.chunks.textDelta(data); ok {
		index, _ := strconv.Atoi(string(data[len(deltaStart) : len(deltaStart)+digits(data[len(deltaStart):])]))
		e = messages.Event{Type: messages.ContentBlockDelta, Delta: messages.TextDelta, Index: index, Text: []byte(text), Raw: data}
	} else {
		var ev nativeEvent
		if err := readEvent(data, &ev, &ev.Type); err != nil {
			return messages.Event{}, err
		}
		if ev.Type == "error" {
			return messages.Event{}, apiError(ev.Error.Type, ev.Error.Message, 0)
		}
		e = d.event(&ev, data)
	}
	if !d.inOrder(e) {
		return messages.Event{}, gatewayError("the upstream sent its events in disorder", fmt.Errorf("%s of block %d", e.Name(), e.Index))
	}
	return e, nil
}

// inOrder tells whether an event can follow those before it: so far as it takes to
// put a message together.
func (d *nativeDecoder) inOrder(e messages.Event) bool {
	switch e.Type {
	case messages.MessageStart:
		first := !d.started
		d.started = true
		return first
	case messages.ContentBlockStart:
		d.blocks++
		return d.started && e.Index == d.blocks-1
	case messages.ContentBlockDelta, messages.ContentBlockStop:
		return e.Index >= 0 && e.Index < d.blocks
	case messages.MessageDelta, messages.MessageStop:
		return d.started
	}
	return true
}

// nativeEvent is a [messagesEvent], and what says where it belongs.
type nativeEvent struct {
	messagesEvent
	Index        int `json:"index"`
	ContentBlock struct {
		Type     string `json:"type"`
		Text     string `json:"text"`
		ID       string `json:"id"`
		Name     string `json:"name"`
		Thinking string `json:"thinking"`
		Data     string `json:"data"`
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

// delta returns the kind of a delta, and what it carries.
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

func (d *nativeDecoder) event(ev *nativeEvent, data []byte) messages.Event {
	e := messages.Event{Type: messages.OtherEvent, Index: ev.Index, Raw: data}
	switch ev.Type {
	case "message_start":
		e.Type = messages.MessageStart
		d.usage = ev.Message.Usage
		e.Message = &messages.Message{Usage: d.usage}
	case "ping":
		e.Type = messages.Ping
	case "content_block_start":
		e.Type = messages.ContentBlockStart
		b := &ev.ContentBlock
		e.Block = &messages.ContentBlock{Type: b.Type, Text: b.Text, ID: b.ID, Name: b.Name, Thinking: b.Thinking, Data: b.Data}
	case "content_block_delta":
		e.Type = messages.ContentBlockDelta
		e.Delta, e.Text = ev.delta()
	case "content_block_stop":
		e.Type = messages.ContentBlockStop
	case "message_delta":
		e.Type = messages.MessageDelta
		d.usage = latest(d.usage, ev.Usage)
		if ev.Delta.StopReason == messages.StopGuardrail { // which the Messages API has no other word for
			e.Raw = withStop(data, messages.StopRefusal)
		}
		e.Message = &messages.Message{StopReason: ev.Delta.StopReason, StopSequence: ev.Delta.StopSequence, Usage: d.usage}
	case "message_stop":
		e.Type = messages.MessageStop
		if ev.Metrics != (bedrockMetrics{}) { // Bedrock's own, which no client of the Messages API expects
			e.Raw = rawjson.WithMembers(data, map[string]jsontext.Value{"amazon-bedrock-invocationMetrics": nil})
		}
	}
	return e
}
