package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
)

// answered is what a client makes of an answer.
type answered struct {
	text  []byte
	calls []call
	stop  string
	done  bool // it says of itself that it is whole
}

type call struct {
	name      string
	arguments []byte
}

// verify holds a whole body against what the upstream was told to answer: one call whose large argument
// has size bytes and the stop reason of a call; or, of what does not translate (raw), the text of it.
func (r *reading) verify(api string, size int, raw bool) error {
	a, err := r.answered(api)
	switch {
	case err != nil:
		return err
	case !a.done:
		return errors.New("the answer has no end")
	case raw && bytes.Count(a.text, []byte("<"+argName+">")) == 1:
		return nil
	case raw:
		return fmt.Errorf("the call is not in the text: %.200q", a.text)
	case len(a.calls) != 1:
		return fmt.Errorf("%d calls (text %.200q, stop %q)", len(a.calls), a.text, a.stop)
	case a.stop != "tool_use":
		return fmt.Errorf("stop reason %q", a.stop)
	}
	var input map[string]any
	if err := json.Unmarshal(a.calls[0].arguments, &input); err != nil {
		return fmt.Errorf("arguments %.200q: %w", a.calls[0].arguments, err)
	}
	content, ok := input[argName].(string)
	if !ok || a.calls[0].name != toolName {
		return fmt.Errorf("a call of %q with %.200q", a.calls[0].name, a.calls[0].arguments)
	}
	if len(content) > size || len(content) < size-2 { // white space at its ends may go
		return fmt.Errorf("an argument of %d bytes, not %d", len(content), size)
	}
	return nil
}

func (r *reading) answered(api string) (a answered, err error) {
	switch {
	case r.stream && r.frames:
		err = a.readFrames(r.whole)
	case r.stream:
		for line := range bytes.Lines(r.whole) {
			if data, ok := bytes.CutPrefix(line, []byte("data:")); ok && err == nil && string(bytes.TrimSpace(data)) != "[DONE]" {
				err = a.readEvent(data)
			}
		}
	case api == chatAPI:
		err = a.readEvent(r.whole) // a choice has the same members in either
	default:
		err = a.readMessage(r.whole)
	}
	return a, err
}

func (a *answered) readMessage(body []byte) error {
	var m struct {
		Content []struct {
			Type, Text, Name string
			Input            json.RawMessage
		}
		StopReason string `json:"stop_reason"`
	}
	if err := json.Unmarshal(body, &m); err != nil {
		return fmt.Errorf("%w in %.200q", err, body)
	}
	a.stop, a.done = m.StopReason, true
	for _, block := range m.Content {
		a.text = append(a.text, block.Text...)
		if block.Type == "tool_use" {
			a.calls = append(a.calls, call{block.Name, block.Input})
		}
	}
	return nil
}

// readFrames reads the events in AWS frames, with the reader of AWS.
func (a *answered) readFrames(body []byte) error {
	decoder, rest := eventstream.NewDecoder(), bytes.NewReader(body)
	for rest.Len() > 0 {
		m, err := decoder.Decode(rest, nil)
		if err != nil {
			return err
		}
		var chunk struct{ Bytes []byte }
		if err := json.Unmarshal(m.Payload, &chunk); err != nil {
			return err
		}
		if err := a.readEvent(chunk.Bytes); err != nil {
			return err
		}
	}
	return nil
}

// event is one of either API's: those of the Messages API have a type, those of chat completions
// choices.
type event struct {
	Type         string
	ContentBlock struct{ Type, Name string } `json:"content_block"`
	Delta        struct {
		Text        string
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	}
	Choices []struct {
		Delta, Message struct{ Content string }
		FinishReason   string `json:"finish_reason"`
	}
}

func (a *answered) readEvent(data []byte) error {
	var e event
	if err := json.Unmarshal(data, &e); err != nil {
		return fmt.Errorf("%w in the event %.200q", err, data)
	}
	switch e.Type {
	case "content_block_start":
		if e.ContentBlock.Type == "tool_use" {
			a.calls = append(a.calls, call{name: e.ContentBlock.Name})
		}
	case "content_block_delta":
		a.text = append(a.text, e.Delta.Text...)
		if e.Delta.PartialJSON != "" {
			if len(a.calls) == 0 {
				return errors.New("arguments before a call")
			}
			last := &a.calls[len(a.calls)-1]
			last.arguments = append(last.arguments, e.Delta.PartialJSON...)
		}
	case "message_delta":
		a.stop = e.Delta.StopReason
	case "message_stop":
		a.done = true
	case "error":
		return fmt.Errorf("the event %.200q", data)
	}
	for _, choice := range e.Choices {
		a.text = append(append(a.text, choice.Delta.Content...), choice.Message.Content...)
		a.done = a.done || choice.FinishReason != ""
	}
	return nil
}
