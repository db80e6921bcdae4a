package main

import (
	"bytes"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// demoRequest is what the demo's client sends.
type demoRequest struct {
	Model     string         `json:"model"`
	MaxTokens int            `json:"max_tokens"`
	Stream    bool           `json:"stream"`
	Tools     jsontext.Value `json:"tools"`
	Messages  []demoTurn     `json:"messages"`
}

// demoTurn is a message of the conversation. Its content is a string or content blocks.
type demoTurn struct {
	Role    string `json:"role"`
	Content any    `json:"content"`
}

// demoMessage is a message as the demo's client puts it together from the stream, the way
// the SDKs do (docs/reference/streaming.md §2). The types of package messages are not used
// here: the client is to know no more than any other client.
type demoMessage struct {
	blocks []*demoBlock
	stop   string // the stop_reason
}

// demoBlock is a content block: text, tool_use or tool_result.
type demoBlock struct {
	Type      string         `json:"type"`
	Text      string         `json:"text,omitzero"`
	ID        string         `json:"id,omitzero"`
	Name      string         `json:"name,omitzero"`
	Input     jsontext.Value `json:"input,omitzero"`
	ToolUseID string         `json:"tool_use_id,omitzero"`
	Content   string         `json:"content,omitzero"`

	pieces []string // in which the text or the input came
}

// demoEvent has what the client needs of every event.
type demoEvent struct {
	Type  string     `json:"type"`
	Index int        `json:"index"`
	Block *demoBlock `json:"content_block"`
	Delta struct {
		Text        string `json:"text"`
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	} `json:"delta"`
	Error struct {
		Message string `json:"message"`
	} `json:"error"`
}

// readMessage reads a stream of server-sent events up to message_stop. An error event and a
// stream that ends before are errors.
func readMessage(stream []byte) (*demoMessage, error) {
	m := &demoMessage{}
	for line := range bytes.Lines(stream) {
		data, ok := bytes.CutPrefix(line, []byte("data:"))
		if !ok {
			continue
		}
		var e demoEvent
		if err := json.Unmarshal(bytes.TrimSpace(data), &e); err != nil {
			return nil, fmt.Errorf("demo: event %s: %w", data, err)
		}
		switch e.Type {
		case "content_block_start":
			e.Block.Input = nil // {} until the deltas have come
			m.blocks = append(m.blocks, e.Block)
		case "content_block_delta":
			m.take(e)
		case "message_delta":
			m.stop = e.Delta.StopReason
		case "message_stop":
			return m, nil
		case "error":
			return nil, fmt.Errorf("demo: %s", e.Error.Message)
		}
	}
	return nil, errors.New("demo: the stream broke off")
}

// take adds a delta to its block.
func (m *demoMessage) take(e demoEvent) {
	b := m.blocks[e.Index]
	b.pieces = append(b.pieces, e.Delta.Text+e.Delta.PartialJSON)
	b.Text += e.Delta.Text
	b.Input = append(b.Input, e.Delta.PartialJSON...)
}

// toolUse returns the first call, nil if there is none.
func (m *demoMessage) toolUse() *demoBlock {
	for _, b := range m.blocks {
		if b.Type == "tool_use" {
			return b
		}
	}
	return nil
}

// argument returns the one argument of a call.
func (b *demoBlock) argument() string {
	var input map[string]string
	_ = json.Unmarshal(b.Input, &input) // what it is of the tool of the demo
	for _, value := range input {
		return value
	}
	return ""
}

// text returns the text of all blocks.
func (m *demoMessage) text() string {
	var s string
	for _, b := range m.blocks {
		s += b.Text
	}
	return s
}
