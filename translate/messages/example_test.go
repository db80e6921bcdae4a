package messages_test

import (
	"errors"
	"fmt"

	"dragoman/translate/messages"
)

func ExampleDecode() {
	body := []byte(`{
		"model": "claude-2.1",
		"max_tokens": 100,
		"container": "c-1",
		"tools": [{"name": "get_weather", "input_schema": {"type": "object", "properties": {"city": {"type": "string"}}}}],
		"messages": [{"role": "user", "content": "How warm is it in Oslo?"}]
	}`)
	req, err := messages.Decode(body, messages.DecodeOptions{Version: messages.Version20230601})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(req.Model, req.MaxTokens, req.Tools[0].Name)
	fmt.Println(req.Messages[0].Role, req.Messages[0].Content[0].Text)
	fmt.Println("left out:", req.Dropped)

	_, err = messages.Decode(body, messages.DecodeOptions{Strict: true})
	var invalid *messages.InvalidRequestError
	if errors.As(err, &invalid) {
		fmt.Println(messages.ErrorInvalidRequest, invalid.Path)
	}
	// Output:
	// claude-2.1 100 get_weather
	// user How warm is it in Oslo?
	// left out: [container]
	// invalid_request_error container
}

func ExampleCollect() {
	// The events of an answer, as translate.Events yields them.
	events := func(yield func(messages.Event, error) bool) {
		for _, e := range []messages.Event{
			{Type: messages.MessageStart, Message: &messages.Message{ID: "msg_1", Model: "claude-2.1"}},
			{Type: messages.ContentBlockStart, Index: 0, Block: &messages.ContentBlock{Type: messages.BlockText}},
			{Type: messages.ContentBlockDelta, Index: 0, Delta: messages.TextDelta, Text: []byte("I'll look ")},
			{Type: messages.ContentBlockDelta, Index: 0, Delta: messages.TextDelta, Text: []byte("that up.")},
			{Type: messages.ContentBlockStop, Index: 0},
			{Type: messages.ContentBlockStart, Index: 1, Block: &messages.ContentBlock{Type: messages.BlockToolUse, ID: "toolu_1", Name: "get_weather"}},
			{Type: messages.ContentBlockDelta, Index: 1, Delta: messages.InputJSONDelta, Text: []byte(`{"city":`)},
			{Type: messages.ContentBlockDelta, Index: 1, Delta: messages.InputJSONDelta, Text: []byte(`"Oslo"}`)},
			{Type: messages.ContentBlockStop, Index: 1},
			{Type: messages.MessageDelta, Message: &messages.Message{StopReason: messages.StopToolUse}},
			{Type: messages.MessageStop},
		} {
			if !yield(e, nil) {
				return
			}
		}
	}
	m, err := messages.Collect(events)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.ID, m.StopReason)
	for _, b := range m.Content {
		switch b.Type {
		case messages.BlockText:
			fmt.Println(b.Text)
		case messages.BlockToolUse:
			fmt.Println(b.Name, string(b.Input))
		}
	}
	// Output:
	// msg_1 tool_use
	// I'll look that up.
	// get_weather {"city":"Oslo"}
}
