package main

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/document"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	documentjson "github.com/aws/smithy-go/document/json"
	"github.com/aws/smithy-go/middleware"

	"dragoman/conformance"
)

// converse is a dialogue over Converse. The next request holds its history.
type converse struct {
	client *bedrockruntime.Client
	input  bedrockruntime.ConverseInput
}

func openConverse(client *bedrockruntime.Client, setup conformance.Setup) conformance.Conversation {
	c := &converse{client: client, input: bedrockruntime.ConverseInput{
		ModelId: aws.String(setup.Model),
		InferenceConfig: &types.InferenceConfiguration{
			MaxTokens:     aws.Int32(int32(setup.MaxTokens)),
			StopSequences: setup.StopSequences,
		},
		AdditionalModelResponseFieldPaths: []string{"/stop_sequence"},
	}}
	if setup.System != "" {
		c.input.System = []types.SystemContentBlock{&types.SystemContentBlockMemberText{Value: setup.System}}
	}
	if len(setup.Tools) > 0 {
		c.input.ToolConfig = &types.ToolConfiguration{Tools: tools(setup.Tools), ToolChoice: choice(setup.Choice)}
	}
	return c
}

func tools(from []conformance.Tool) []types.Tool {
	var tools []types.Tool
	for _, tool := range from {
		schema := map[string]any{"type": tool.Schema.Type, "properties": tool.Schema.Properties}
		if len(tool.Schema.Required) > 0 {
			schema["required"] = tool.Schema.Required
		}
		tools = append(tools, &types.ToolMemberToolSpec{Value: types.ToolSpecification{
			Name:        aws.String(tool.Name),
			Description: aws.String(tool.Description),
			InputSchema: &types.ToolInputSchemaMemberJson{Value: document.NewLazyDocument(schema)},
		}})
	}
	return tools
}

func choice(c *conformance.Choice) types.ToolChoice {
	switch {
	case c == nil:
		return nil
	case c.Type == "auto":
		return &types.ToolChoiceMemberAuto{}
	case c.Type == "any":
		return &types.ToolChoiceMemberAny{}
	case c.Type == "tool":
		return &types.ToolChoiceMemberTool{Value: types.SpecificToolChoice{Name: aws.String(c.Name)}}
	}
	panic("unknown tool choice " + c.Type)
}

func (c *converse) Ask(ctx context.Context, turn conformance.Turn) (conformance.Answer, error) {
	if err := c.say(turn); err != nil {
		return conformance.Answer{}, err
	}
	out, err := c.client.Converse(ctx, &c.input)
	if err != nil {
		return conformance.Answer{}, failure(err, middleware.Metadata{})
	}
	return c.keep(out.Output.(*types.ConverseOutputMemberMessage).Value, out.StopReason, out.AdditionalModelResponseFields)
}

func (c *converse) Stream(ctx context.Context, turn conformance.Turn, leave bool) (conformance.Answer, error) {
	if err := c.say(turn); err != nil {
		return conformance.Answer{}, err
	}
	out, err := c.client.ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{
		ModelId:                           c.input.ModelId,
		InferenceConfig:                   c.input.InferenceConfig,
		AdditionalModelResponseFieldPaths: c.input.AdditionalModelResponseFieldPaths,
		System:                            c.input.System,
		ToolConfig:                        c.input.ToolConfig,
		Messages:                          c.input.Messages,
	})
	if err != nil {
		return conformance.Answer{}, failure(err, middleware.Metadata{})
	}
	stream := out.GetStream()
	defer stream.Close()
	var g gathering
	for event := range stream.Events() {
		if err := g.add(event); err != nil {
			return conformance.Answer{}, err
		}
		if leave && g.text != "" {
			return conformance.Answer{Content: []conformance.Block{{Type: "text", Text: g.text}}}, nil
		}
	}
	if err := stream.Err(); err != nil {
		return conformance.Answer{}, failure(err, out.ResultMetadata)
	}
	answer, err := c.keep(g.message, g.end.StopReason, g.end.AdditionalModelResponseFields)
	answer.Events = g.events
	return answer, err
}

// gathering collects a streamed answer.
type gathering struct {
	events  []string
	message types.Message
	end     types.MessageStopEvent

	// The streaming block: a text, or a call with its input as JSON.
	text, input string
	call        *types.ToolUseBlock
}

func (g *gathering) add(event types.ConverseStreamOutput) error {
	var name string
	switch e := event.(type) {
	case *types.ConverseStreamOutputMemberMessageStart:
		name = "messageStart"
		g.message.Role = e.Value.Role
	case *types.ConverseStreamOutputMemberContentBlockStart:
		name = "contentBlockStart"
		if start, ok := e.Value.Start.(*types.ContentBlockStartMemberToolUse); ok {
			g.call = &types.ToolUseBlock{ToolUseId: start.Value.ToolUseId, Name: start.Value.Name}
		}
	case *types.ConverseStreamOutputMemberContentBlockDelta:
		name = "contentBlockDelta"
		switch d := e.Value.Delta.(type) {
		case *types.ContentBlockDeltaMemberText:
			g.text += d.Value
		case *types.ContentBlockDeltaMemberToolUse:
			g.input += aws.ToString(d.Value.Input)
		}
	case *types.ConverseStreamOutputMemberContentBlockStop:
		name = "contentBlockStop"
		if err := g.close(); err != nil {
			return err
		}
	case *types.ConverseStreamOutputMemberMessageStop:
		name = "messageStop"
		g.end = e.Value
	case *types.ConverseStreamOutputMemberMetadata:
		name = "metadata"
	case *types.UnknownUnionMember:
		return nil // the server keeps the connection alive with such an event
	default:
		name = fmt.Sprintf("%T", event)
	}
	g.events = append(g.events, name)
	return nil
}

// close ends the streaming block.
func (g *gathering) close() error {
	if g.call == nil {
		g.message.Content = append(g.message.Content, &types.ContentBlockMemberText{Value: g.text})
	} else {
		input, err := parse(g.input)
		if err != nil {
			return err
		}
		g.call.Input = input
		g.message.Content = append(g.message.Content, &types.ContentBlockMemberToolUse{Value: *g.call})
	}
	g.text, g.input, g.call = "", "", nil
	return nil
}

// parse returns JSON as a document that keeps all digits of numbers.
func parse(input string) (document.Interface, error) {
	decoder := json.NewDecoder(strings.NewReader(input))
	decoder.UseNumber()
	var decoded, value any
	if err := decoder.Decode(&decoded); err != nil {
		return nil, err
	}
	// The library has its own number type, and takes other number types for strings.
	if err := documentjson.NewDecoder().DecodeJSONInterface(decoded, &value); err != nil {
		return nil, err
	}
	return document.NewLazyDocument(value), nil
}

// say adds a turn to the next request.
func (c *converse) say(turn conformance.Turn) error {
	message := types.Message{Role: types.ConversationRoleUser}
	for _, part := range turn {
		if part.Type != "tool_result" {
			message.Content = append(message.Content, &types.ContentBlockMemberText{Value: part.Text})
			continue
		}
		result, err := result(part)
		if err != nil {
			return err
		}
		message.Content = append(message.Content, &types.ContentBlockMemberToolResult{Value: result})
	}
	c.input.Messages = append(c.input.Messages, message)
	return nil
}

func result(part conformance.Part) (types.ToolResultBlock, error) {
	result := types.ToolResultBlock{ToolUseId: aws.String(part.ToolUseID), Status: types.ToolResultStatusSuccess}
	if part.IsError {
		result.Status = types.ToolResultStatusError
	}
	for _, inner := range part.Content {
		if inner.Source == nil {
			result.Content = append(result.Content, &types.ToolResultContentBlockMemberText{Value: inner.Text})
			continue
		}
		data, err := base64.StdEncoding.DecodeString(inner.Source.Data)
		if err != nil {
			return result, err
		}
		result.Content = append(result.Content, &types.ToolResultContentBlockMemberImage{Value: types.ImageBlock{
			Format: types.ImageFormat(strings.TrimPrefix(inner.Source.MediaType, "image/")),
			Source: &types.ImageSourceMemberBytes{Value: data},
		}})
	}
	return result, nil
}

// keep adds an answer to the history, and returns it.
func (c *converse) keep(message types.Message, stop types.StopReason, fields document.Interface) (conformance.Answer, error) {
	c.input.Messages = append(c.input.Messages, message)
	answer := conformance.Answer{StopReason: string(stop)}
	for _, block := range message.Content {
		switch b := block.(type) {
		case *types.ContentBlockMemberText:
			answer.Content = append(answer.Content, conformance.Block{Type: "text", Text: b.Value})
		case *types.ContentBlockMemberToolUse:
			input, err := b.Value.Input.MarshalSmithyDocument()
			if err != nil {
				return answer, err
			}
			answer.Content = append(answer.Content, conformance.Block{
				Type: "tool_use", ID: aws.ToString(b.Value.ToolUseId), Name: aws.ToString(b.Value.Name), Input: input,
			})
		}
	}
	if fields != nil {
		var extra struct {
			StopSequence string `document:"stop_sequence"`
		}
		if err := fields.UnmarshalSmithyDocument(&extra); err != nil {
			return answer, err
		}
		answer.StopSequence = extra.StopSequence
	}
	return answer, nil
}
