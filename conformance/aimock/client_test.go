package aimock

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"
	"github.com/anthropics/anthropic-sdk-go/v2/option"
)

// conversation is a dialogue with a model and one tool. The params of the next request hold its history.
type conversation struct {
	client anthropic.Client
	params anthropic.MessageNewParams
}

func open(baseURL, model string) *conversation {
	return &conversation{
		client: anthropic.NewClient(
			option.WithoutEnvironmentDefaults(),
			option.WithBaseURL(baseURL),
			option.WithAPIKey("none"),
			option.WithMaxRetries(0),
		),
		params: anthropic.MessageNewParams{
			Model:     anthropic.Model(model),
			MaxTokens: 256,
			Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
				Name:        "get_weather",
				Description: anthropic.String("The weather in a city"),
				InputSchema: anthropic.ToolInputSchemaParam{
					Properties: map[string]any{
						"city": map[string]string{"type": "string"},
						"days": map[string]string{"type": "integer"},
					},
					Required: []string{"city"},
				},
			}}},
		},
	}
}

// ask says something and returns the answer. Both become part of the history.
type ask func(c *conversation, said ...anthropic.ContentBlockParamUnion) (anthropic.Message, error)

var ways = map[string]ask{
	"whole": func(c *conversation, said ...anthropic.ContentBlockParamUnion) (anthropic.Message, error) {
		c.say(said)
		answer, err := c.client.Messages.New(context.Background(), c.params)
		if err != nil {
			return anthropic.Message{}, err
		}
		c.params.Messages = append(c.params.Messages, answer.ToParam())
		return *answer, nil
	},
	"streamed": func(c *conversation, said ...anthropic.ContentBlockParamUnion) (anthropic.Message, error) {
		c.say(said)
		stream := c.client.Messages.NewStreaming(context.Background(), c.params)
		defer stream.Close()
		var answer anthropic.Message
		for stream.Next() {
			if err := answer.Accumulate(stream.Current()); err != nil {
				return answer, err
			}
		}
		if err := stream.Err(); err != nil {
			return answer, err
		}
		c.params.Messages = append(c.params.Messages, answer.ToParam())
		return answer, nil
	},
}

func (c *conversation) say(said []anthropic.ContentBlockParamUnion) {
	c.params.Messages = append(c.params.Messages, anthropic.NewUserMessage(said...))
}

// failure says something, and returns the error that the server sends instead of an answer.
func failure(t *testing.T, c *conversation, ask ask, say string) *anthropic.Error {
	t.Helper()
	answer, err := ask(c, anthropic.NewTextBlock(say))
	e, ok := errors.AsType[*anthropic.Error](err)
	if !ok {
		t.Fatalf("%s: %s, %v", say, brief(answer), err)
	}
	return e
}

// brief describes an answer in one line: its blocks and its stop_reason.
func brief(answer anthropic.Message) string {
	var line strings.Builder
	for _, block := range answer.Content {
		switch block.Type {
		case "text":
			fmt.Fprintf(&line, "%q ", block.Text)
		case "thinking":
			fmt.Fprintf(&line, "thinking %q ", block.Thinking)
		case "tool_use":
			fmt.Fprintf(&line, "%s%s ", block.Name, block.Input)
		}
	}
	return line.String() + string(answer.StopReason)
}
