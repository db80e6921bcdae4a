package proxy

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"iter"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// talk is a conversation through the AWS SDK, streamed or not.
type talk struct {
	*bedrockruntime.Client
	streamed bool
	turns    []types.Message
}

// say sends the next user turn, and keeps the answer.
func (c *talk) say(t *testing.T, content ...types.ContentBlock) (types.StopReason, *types.TokenUsage) {
	t.Helper()
	c.turns = append(c.turns, types.Message{Role: types.ConversationRoleUser, Content: content})
	answer, stop, usage, err := c.converse(t)
	if err != nil {
		t.Fatal(err)
	}
	c.turns = append(c.turns, answer)
	return stop, usage
}

func (c *talk) converse(t *testing.T) (types.Message, types.StopReason, *types.TokenUsage, error) {
	t.Helper()
	tools := &types.ToolConfiguration{Tools: []types.Tool{&types.ToolMemberToolSpec{Value: types.ToolSpecification{
		Name: aws.String("get_weather"), Description: aws.String("Weather"),
		InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(map[string]any{
			"type": "object", "properties": map[string]any{"city": map[string]any{"type": "string"}},
		})},
	}}}}
	system := []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: "Be brief."}}
	if c.streamed {
		out, err := c.ConverseStream(t.Context(), &bedrockruntime.ConverseStreamInput{
			ModelId: aws.String(sdkModel), Messages: c.turns, ToolConfig: tools, System: system,
		})
		if err != nil {
			return types.Message{}, "", nil, err
		}
		return gather(t, out.GetStream())
	}
	out, err := c.Converse(t.Context(), &bedrockruntime.ConverseInput{
		ModelId: aws.String(sdkModel), Messages: c.turns, ToolConfig: tools, System: system,
	})
	if err != nil {
		return types.Message{}, "", nil, err
	}
	if out.Metrics == nil || out.Metrics.LatencyMs == nil {
		t.Error("no metrics")
	}
	return out.Output.(*types.ConverseOutputMemberMessage).Value, out.StopReason, out.Usage, nil
}

// gather collects the message of a stream, as users of the SDK must.
func gather(t *testing.T, stream *bedrockruntime.ConverseStreamEventStream) (m types.Message, stop types.StopReason, usage *types.TokenUsage, err error) {
	t.Helper()
	defer stream.Close()
	var text, input string
	var call *types.ToolUseBlock
	for event := range stream.Events() {
		switch e := event.(type) {
		case *types.ConverseStreamOutputMemberMessageStart:
			m.Role = e.Value.Role
		case *types.ConverseStreamOutputMemberContentBlockStart:
			start := e.Value.Start.(*types.ContentBlockStartMemberToolUse).Value
			call = &types.ToolUseBlock{ToolUseId: start.ToolUseId, Name: start.Name}
		case *types.ConverseStreamOutputMemberContentBlockDelta:
			switch d := e.Value.Delta.(type) {
			case *types.ContentBlockDeltaMemberText:
				text += d.Value
			case *types.ContentBlockDeltaMemberToolUse:
				input += *d.Value.Input
			}
		case *types.ConverseStreamOutputMemberContentBlockStop:
			if got := int(*e.Value.ContentBlockIndex); got != len(m.Content) {
				t.Errorf("block %d after %d", got, len(m.Content))
			}
			if call == nil {
				m.Content = append(m.Content, &types.ContentBlockMemberText{Value: text})
			} else {
				var arguments map[string]any
				if err := json.Unmarshal([]byte(input), &arguments); err != nil {
					t.Errorf("%s: %v", input, err)
				}
				call.Input = document.NewLazyDocument(arguments)
				m.Content = append(m.Content, &types.ContentBlockMemberToolUse{Value: *call})
			}
			text, input, call = "", "", nil
		case *types.ConverseStreamOutputMemberMessageStop:
			stop = e.Value.StopReason
		case *types.ConverseStreamOutputMemberMetadata:
			usage = e.Value.Usage
		}
	}
	return m, stop, usage, stream.Err()
}

func saidText(s string) types.ContentBlock { return &types.ContentBlockMemberText{Value: s} }

// calls returns the tool calls of the last answer.
func (c *talk) calls(t *testing.T) (calls []types.ToolUseBlock) {
	t.Helper()
	for _, b := range c.turns[len(c.turns)-1].Content {
		if call, ok := b.(*types.ContentBlockMemberToolUse); ok {
			calls = append(calls, call.Value)
		}
	}
	return calls
}

func inputOf(t *testing.T, call types.ToolUseBlock) string {
	t.Helper()
	data, err := call.Input.MarshalSmithyDocument()
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func resultOf(call types.ToolUseBlock, status types.ToolResultStatus, content ...types.ToolResultContentBlock) types.ContentBlock {
	return &types.ContentBlockMemberToolResult{Value: types.ToolResultBlock{ToolUseId: call.ToolUseId, Status: status, Content: content}}
}

// inBoth runs a test with and without a stream.
func inBoth(t *testing.T, test func(t *testing.T, streamed bool)) {
	for name, streamed := range map[string]bool{"whole": false, "streamed": true} {
		t.Run(name, func(t *testing.T) { test(t, streamed) })
	}
}

// scripted is an upstream with a list of answers.
type scripted struct {
	answers [][]translate.Chunk
	prompts []*translate.Prompt
}

func (s *scripted) Invoke(_ context.Context, _ upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	answer := s.answers[len(s.prompts)]
	s.prompts = append(s.prompts, p)
	return func(yield func(translate.Chunk, error) bool) {
		for _, c := range answer {
			if !yield(c, nil) {
				return
			}
		}
	}
}

const twoCalls = "<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Oslo</city>\n</parameters>\n</invoke>\n" +
	"<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n</parameters>\n</invoke>\n"

// An app on the AWS SDK lets a model without a tools API call several tools. One tool fails, and one answers with JSON
// and an image.
func TestSDKConverse(t *testing.T) {
	inBoth(t, func(t *testing.T, streamed bool) {
		up := &scripted{answers: [][]translate.Chunk{
			{{Usage: messages.Usage{InputTokens: 11}}, {Text: "Both.\n\n" + twoCalls}, endOfCall},
			{{Usage: messages.Usage{InputTokens: 30}}, {Text: "Cold & <wet> 😀"}, endOfTurn},
		}}
		srv := listen(t, newServer(t, up, anyModel, func(o *Options) { o.Routes[0].Features.With |= upstream.Images }))
		c := &talk{Client: dialSDK(srv, "x"), streamed: streamed}

		stop, usage := c.say(t, saidText("What is the weather in Oslo?"))
		if stop != types.StopReasonToolUse || *usage.InputTokens != 11 || *usage.OutputTokens != 7 || *usage.TotalTokens != 18 {
			t.Errorf("%s, %+v", stop, usage)
		}
		calls := c.calls(t)
		if len(calls) != 2 || *calls[0].Name != "get_weather" || inputOf(t, calls[0]) != `{"city":"Oslo"}` || inputOf(t, calls[1]) != `{}` || *calls[0].ToolUseId == *calls[1].ToolUseId {
			t.Fatalf("%+v", calls)
		}

		image := []byte("\x89PNG")
		stop, _ = c.say(t,
			resultOf(calls[0], types.ToolResultStatusSuccess,
				&types.ToolResultContentBlockMemberJson{Value: document.NewLazyDocument(map[string]any{"degrees": 3})},
				&types.ToolResultContentBlockMemberImage{Value: types.ImageBlock{Format: types.ImageFormatPng, Source: &types.ImageSourceMemberBytes{Value: image}}}),
			resultOf(calls[1], types.ToolResultStatusError, &types.ToolResultContentBlockMemberText{Value: "which city?"}))
		if last := c.turns[len(c.turns)-1]; stop != types.StopReasonEndTurn || last.Role != types.ConversationRoleAssistant ||
			len(last.Content) != 1 || last.Content[0].(*types.ContentBlockMemberText).Value != "Cold & <wet> 😀" {
			t.Errorf("%s, %+v", stop, last)
		}
		prompt, err := json.Marshal(up.prompts[1])
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{"Be brief.", `degrees`, "which city?", "error", base64.StdEncoding.EncodeToString(image)} {
			if !strings.Contains(string(prompt), want) {
				t.Errorf("no %s in %s", want, prompt)
			}
		}
	})
}

func TestSDKConverseFails(t *testing.T) {
	inBoth(t, func(t *testing.T, streamed bool) {
		throttled := &upstream.Error{Status: http.StatusTooManyRequests, Type: "rate_limit_error", Message: "Too many tokens"}
		c := &talk{Client: dialSDK(listen(t, newServer(t, failing(throttled), anyModel)), "x"), streamed: streamed}
		c.turns = []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{saidText("Hi")}}}
		var slow *types.ThrottlingException
		if _, _, _, err := c.converse(t); !errors.As(err, &slow) || slow.ErrorMessage() != "Too many tokens" {
			t.Errorf("%T: %v", err, err)
		}
		c.turns[0].Content[0] = &types.ContentBlockMemberVideo{Value: types.VideoBlock{Format: types.VideoFormatMp4, Source: &types.VideoSourceMemberBytes{Value: []byte("x")}}}
		var invalid *types.ValidationException
		if _, _, _, err := c.converse(t); !errors.As(err, &invalid) || invalid.ErrorMessage() != "messages.0.content.0.video: This field is not supported here." {
			t.Errorf("%T: %v", err, err)
		}
	})
}

// A stream that fails midway ends with an exception and is not complete.
func TestSDKConverseStreamFails(t *testing.T) {
	overloaded := &upstream.Error{Status: 529, Type: "overloaded_error", Message: "busy"}
	up := failing(overloaded, translate.Chunk{}, translate.Chunk{Text: "It is "})
	c := &talk{Client: dialSDK(listen(t, newServer(t, up, anyModel)), "x"), streamed: true}
	c.turns = []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{saidText("Hi")}}}
	m, stop, usage, err := c.converse(t)
	var busy *types.ServiceUnavailableException
	if !errors.As(err, &busy) || busy.ErrorMessage() != "busy" || m.Role != types.ConversationRoleAssistant || stop != "" || usage != nil {
		t.Errorf("%T: %v after %+v, %s, %+v", err, err, m, stop, usage)
	}
}

// While the model is silent, the server sends pings: before the first block, within a text and within a call. Clients
// see them only as events that they do not know.
func TestConversePing(t *testing.T) {
	heard := make(chan struct{})
	pieces := []string{"", "Let me ", "look.\n\n<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Os", "lo</city>\n</parameters>\n</invoke>\n"}
	up := upstreamFunc(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
		for _, piece := range pieces {
			if !yield(translate.Chunk{Text: piece}, nil) {
				return
			}
			select { // continues after the client has received a ping
			case <-heard:
			case <-ctx.Done():
				yield(translate.Chunk{}, ctx.Err())
				return
			}
		}
		yield(endOfCall, nil)
	})
	client := dialSDK(listen(t, newServer(t, up, anyModel, func(o *Options) { o.Ping = time.Millisecond })), "key")
	out, err := client.ConverseStream(t.Context(), &bedrockruntime.ConverseStreamInput{
		ModelId:  aws.String(sdkModel),
		Messages: []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{&types.ContentBlockMemberText{Value: "Hello"}}}},
		ToolConfig: &types.ToolConfiguration{Tools: []types.Tool{&types.ToolMemberToolSpec{Value: types.ToolSpecification{
			Name:        aws.String("get_weather"),
			InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(map[string]any{"type": "object"})},
		}}}},
	})
	if err != nil {
		t.Fatal(err)
	}
	stream := out.GetStream()
	defer stream.Close()
	var text, input strings.Builder
	stopped := false
	for event := range stream.Events() {
		switch e := event.(type) {
		case *types.UnknownUnionMember:
			if e.Tag != "ping" {
				t.Errorf("an event %q", e.Tag)
			}
			select {
			case heard <- struct{}{}:
			default:
			}
		case *types.ConverseStreamOutputMemberContentBlockDelta:
			switch d := e.Value.Delta.(type) {
			case *types.ContentBlockDeltaMemberText:
				text.WriteString(d.Value)
			case *types.ContentBlockDeltaMemberToolUse:
				input.WriteString(aws.ToString(d.Value.Input))
			}
		case *types.ConverseStreamOutputMemberMessageStop:
			stopped = e.Value.StopReason == types.StopReasonToolUse
		}
	}
	if err := stream.Err(); err != nil || text.String() != "Let me look." || input.String() != `{"city":"Oslo"}` || !stopped {
		t.Errorf("%q, %s, stopped %t, %v", text.String(), input.String(), stopped, err)
	}
}
