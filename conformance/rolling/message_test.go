package rolling

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// message has the members of an answer that the test checks.
type message struct {
	Content    []block `json:"content"`
	StopReason string  `json:"stop_reason"`
}

type block struct {
	Type  string          `json:"type"`
	Text  string          `json:"text"`
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input"`
}

// check compares the message, byte for byte, with the model's answer to an order.
func (m message) check(order string) error {
	if len(m.Content) != 2 || m.StopReason != "tool_use" {
		return fmt.Errorf("not a text and a call: %+v", m)
	}
	text, call := m.Content[0], m.Content[1]
	if want := strings.TrimSpace(said(order)); text.Type != "text" || text.Text != want {
		return fmt.Errorf("said %q, want %q", text.Text, want)
	}
	var input struct{ Path, Content string }
	if err := json.Unmarshal(call.Input, &input); err != nil {
		return fmt.Errorf("%w in %s", err, call.Input)
	}
	if want := written(order); call.Type != "tool_use" || call.Name != "write_file" || input.Path != "orders.go" || input.Content != want {
		return fmt.Errorf("called %s with %s, want %q", call.Name, call.Input, want)
	}
	return nil
}

// readStream reads the events of a stream and builds the message. It returns an error if an event is out of
// order, or if the stream does not end with message_stop.
func readStream(body io.Reader) (message, error) {
	var m message
	last := "" // event
	var input strings.Builder
	for lines := bufio.NewReader(body); ; {
		line, err := lines.ReadString('\n')
		if err == io.EOF && line == "" && last == "message_stop" {
			return m, nil
		}
		if err != nil {
			return m, fmt.Errorf("broke off after %q, in %q: %w", last, line, err)
		}
		data, found := strings.CutPrefix(line, "data: ")
		if !found {
			continue
		}
		var event struct {
			Type         string
			Index        int
			ContentBlock block `json:"content_block"`
			Delta        struct {
				Text        string
				PartialJSON string `json:"partial_json"`
				StopReason  string `json:"stop_reason"`
			}
		}
		if err := json.Unmarshal([]byte(data), &event); err != nil {
			return m, err
		}
		if event.Type == "ping" {
			continue
		}
		block := len(m.Content) // of the event
		if event.Type != "content_block_start" {
			block--
		}
		if !strings.Contains(follows[last], event.Type+" ") || strings.HasPrefix(event.Type, "content") && event.Index != block {
			return m, fmt.Errorf("after %q comes %s", last, data)
		}
		switch last = event.Type; last {
		case "content_block_start":
			m.Content = append(m.Content, event.ContentBlock)
			input.Reset()
		case "content_block_delta":
			m.Content[block].Text += event.Delta.Text
			input.WriteString(event.Delta.PartialJSON)
		case "content_block_stop":
			if input.Len() > 0 {
				m.Content[block].Input = json.RawMessage(input.String())
			}
		case "message_delta":
			m.StopReason = event.Delta.StopReason
		}
	}
}

// follows are the events that may come after each event, each followed by a space.
var follows = map[string]string{
	"":                    "message_start ",
	"message_start":       "content_block_start ",
	"content_block_start": "content_block_delta content_block_stop ",
	"content_block_delta": "content_block_delta content_block_stop ",
	"content_block_stop":  "content_block_start message_delta ",
	"message_delta":       "message_stop ",
}
