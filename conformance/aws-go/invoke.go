package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/aws/smithy-go/middleware"

	"dragoman/conformance"
)

// invoke is a dialogue over InvokeModel, with bodies of the Messages API.
type invoke struct {
	client *bedrockruntime.Client
	model  string
	body   body
}

type body struct {
	Version string `json:"anthropic_version"`
	conformance.Setup
	Model    string    `json:"model,omitempty"` // not in the body: it is in the path
	Messages []message `json:"messages"`
}

type message struct {
	Role    string `json:"role"`
	Content any    `json:"content"` // a turn, or blocks of an answer
}

func openInvoke(client *bedrockruntime.Client, setup conformance.Setup) conformance.Conversation {
	return &invoke{client: client, model: setup.Model, body: body{Version: "bedrock-2023-05-31", Setup: setup}}
}

func (c *invoke) Ask(ctx context.Context, turn conformance.Turn) (conformance.Answer, error) {
	request, err := c.say(turn)
	if err != nil {
		return conformance.Answer{}, err
	}
	out, err := c.client.InvokeModel(ctx, &bedrockruntime.InvokeModelInput{
		ModelId: aws.String(c.model), ContentType: aws.String("application/json"), Body: request,
	})
	if err != nil {
		return conformance.Answer{}, failure(err, middleware.Metadata{})
	}
	var answer conformance.Answer
	if err := json.Unmarshal(out.Body, &answer); err != nil {
		return conformance.Answer{}, err
	}
	c.keep(answer)
	return answer, nil
}

func (c *invoke) Stream(ctx context.Context, turn conformance.Turn, leave bool) (conformance.Answer, error) {
	request, err := c.say(turn)
	if err != nil {
		return conformance.Answer{}, err
	}
	out, err := c.client.InvokeModelWithResponseStream(ctx, &bedrockruntime.InvokeModelWithResponseStreamInput{
		ModelId: aws.String(c.model), ContentType: aws.String("application/json"), Body: request,
	})
	if err != nil {
		return conformance.Answer{}, failure(err, middleware.Metadata{})
	}
	stream := out.GetStream()
	defer stream.Close()
	var answer conformance.Answer
	for e := range stream.Events() {
		chunk, ok := e.(*types.ResponseStreamMemberChunk)
		if !ok {
			return conformance.Answer{}, errors.New("a chunk of an unknown type")
		}
		var e event
		if err := json.Unmarshal(chunk.Value.Bytes, &e); err != nil {
			return conformance.Answer{}, err
		}
		if err := e.addTo(&answer); err != nil {
			return conformance.Answer{}, err
		}
		if leave && e.Delta.Text != "" {
			return answer, nil
		}
	}
	if err := stream.Err(); err != nil {
		return conformance.Answer{}, failure(err, out.ResultMetadata)
	}
	c.keep(answer)
	return answer, nil
}

// say returns the body of the next request.
func (c *invoke) say(turn conformance.Turn) ([]byte, error) {
	c.body.Messages = append(c.body.Messages, message{"user", turn})
	return json.Marshal(c.body)
}

func (c *invoke) keep(answer conformance.Answer) {
	c.body.Messages = append(c.body.Messages, message{"assistant", answer.Content})
}

// event is an event of a stream.
type event struct {
	Type    string             `json:"type"`
	Message conformance.Answer `json:"message"`
	Block   conformance.Block  `json:"content_block"`
	Index   int                `json:"index"`
	Delta   struct {
		Text         string `json:"text"`
		PartialJSON  string `json:"partial_json"`
		StopReason   string `json:"stop_reason"`
		StopSequence string `json:"stop_sequence"`
	} `json:"delta"`
}

func (e *event) addTo(answer *conformance.Answer) error {
	switch e.Type {
	case "message_start":
		*answer = e.Message
	case "content_block_start":
		e.Block.Input = nil // the input comes in pieces
		answer.Content = append(answer.Content, e.Block)
	case "content_block_delta":
		block := &answer.Content[e.Index]
		block.Text += e.Delta.Text
		block.Input = append(block.Input, e.Delta.PartialJSON...)
	case "content_block_stop":
		if block := &answer.Content[e.Index]; block.Type == "tool_use" && len(block.Input) == 0 {
			block.Input = json.RawMessage("{}")
		} else if block.Type == "tool_use" && !json.Valid(block.Input) {
			return fmt.Errorf("the input of a call is no JSON: %s", block.Input)
		}
	case "message_delta":
		answer.StopReason, answer.StopSequence = e.Delta.StopReason, e.Delta.StopSequence
	}
	answer.Events = append(answer.Events, e.Type)
	return nil
}
