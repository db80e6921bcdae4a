package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

// modelServer is a dragoman in front of a real server.
type modelServer struct {
	url, base, admin string // the URLs of the real server, of dragoman, and of dragoman's admin listener
	model            string
	client           anthropic.Client
}

// newClient returns a client of the library for a dragoman.
func newClient(t *testing.T, base string) anthropic.Client {
	return anthropic.NewClient(clients["messages"](t.Context(), base, "")...)
}

// chooseModel returns the model that the environment names, or otherwise the only model of the server.
func (s *modelServer) chooseModel(t *testing.T) string {
	t.Helper()
	if model := os.Getenv("DRAGOMAN_MODELS_MODEL"); model != "" {
		return model
	}
	list := s.client.Models.ListAutoPaging(t.Context(), anthropic.ModelListParams{})
	var names []string
	for list.Next() {
		names = append(names, list.Current().ID)
	}
	if err := list.Err(); err != nil || len(names) != 1 {
		t.Fatalf("%s has the models %q (%v); name one with MODEL=…", s.url, names, err)
	}
	return names[0]
}

// weather is the offered tool.
var weather = anthropic.ToolParam{
	Name:        "get_weather",
	Description: anthropic.String("Returns the weather of a city as text."),
	InputSchema: anthropic.ToolInputSchemaParam{
		Properties: map[string]any{"city": map[string]any{"type": "string", "description": "The city's name"}},
		Required:   []string{"city"},
	},
}

// note is a tool with a long argument.
var note = anthropic.ToolParam{
	Name:        "write_note",
	Description: anthropic.String("Stores a note."),
	InputSchema: anthropic.ToolInputSchemaParam{
		Properties: map[string]any{"text": map[string]any{"type": "string", "description": "The whole text of the note"}},
		Required:   []string{"text"},
	},
}

// params returns a request with a text. If forced is not nil, the request forces a call of that tool.
func (s *modelServer) params(text string, maxTokens int64, forced *anthropic.ToolParam) anthropic.MessageNewParams {
	p := anthropic.MessageNewParams{
		Model:     anthropic.Model(s.model),
		MaxTokens: maxTokens,
		Messages:  []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock(text))},
	}
	if forced != nil {
		p.Tools = []anthropic.ToolUnionParam{{OfTool: forced}}
		p.ToolChoice = anthropic.ToolChoiceUnionParam{OfTool: &anthropic.ToolChoiceToolParam{
			Name: forced.Name, DisableParallelToolUse: anthropic.Bool(true),
		}}
	}
	return p
}

// stream returns the answer, and the joined JSON deltas of each block, because the library empties a cut
// input.
func (s *modelServer) stream(ctx context.Context, p anthropic.MessageNewParams, options ...option.RequestOption) (message anthropic.Message, inputs map[int64]string, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	stream := s.client.Messages.NewStreaming(ctx, p, options...)
	defer stream.Close()
	inputs = map[int64]string{}
	for stream.Next() {
		event := stream.Current()
		if err := message.Accumulate(event); err != nil {
			return message, inputs, err
		}
		inputs[event.Index] += event.Delta.PartialJSON
	}
	return message, inputs, stream.Err()
}

// try asks until an answer is ok, and returns that answer.
func (s *modelServer) try(t *testing.T, p anthropic.MessageNewParams, want string, ok func(anthropic.Message) bool) anthropic.Message {
	t.Helper()
	for range tries {
		message, _, err := s.stream(t.Context(), p)
		if err != nil {
			t.Fatalf("want %s: %v", want, err)
		}
		t.Logf("want %s: stop_reason %q, %s", want, message.StopReason, content(message))
		if ok(message) {
			return message
		}
	}
	t.Fatalf("the model did not write %s in %d tries; ask a larger model", want, tries)
	return anthropic.Message{}
}

// openStreams returns how many streams are open in dragoman.
func (s *modelServer) openStreams(t *testing.T) (n int) {
	t.Helper()
	response, err := http.Get(s.admin + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	page, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^dragoman_open_streams .*$`).FindString(string(page))
	if _, err := fmt.Sscanf(line, "dragoman_open_streams %d", &n); err != nil {
		t.Fatalf("the line %q of the metrics: %v", line, err)
	}
	return n
}

// inputTokens returns how many tokens the prompt had, including cached tokens.
func inputTokens(u anthropic.Usage) int64 {
	return u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens
}

// text joins the text of a message.
func text(message anthropic.Message) string { return answer(message).Text() }

// content returns the blocks of a message as JSON, for the log.
func content(message anthropic.Message) string {
	data, _ := json.Marshal(answer(message).Content) // cannot fail: strings, and JSON of the library
	return string(data)
}
