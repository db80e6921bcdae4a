package main

import (
	"context"
	"encoding/json"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"dragoman/conformance"
)

// told is a tool that stores its inputs.
type told struct {
	conformance.Tool
	ran *[]conformance.Block
}

func (t told) Name() string { return t.Tool.Name }

func (t told) Description() string { return t.Tool.Description }

func (t told) InputSchema() anthropic.BetaToolInputSchemaParam {
	return anthropic.BetaToolInputSchemaParam{Properties: t.Schema.Properties, Required: t.Schema.Required}
}

func (t told) Execute(_ context.Context, input json.RawMessage) ([]anthropic.BetaToolResultBlockParamContentUnion, error) {
	*t.ran = append(*t.ran, conformance.Block{Name: t.Tool.Name, Input: input})
	return []anthropic.BetaToolResultBlockParamContentUnion{{OfText: &anthropic.BetaTextBlockParam{Text: "stored"}}}, nil
}

// Run implements [conformance.Runner].
func (c *conversation) Run(ctx context.Context, turn conformance.Turn) (ran []conformance.Block, err error) {
	var tools []anthropic.BetaTool
	for _, tool := range c.tools {
		tools = append(tools, told{tool, &ran})
	}
	runner := c.client.Beta.Messages.NewToolRunnerStreaming(tools, anthropic.BetaToolRunnerParams{BetaMessageNewParams: anthropic.BetaMessageNewParams{
		Model:     c.params.Model,
		MaxTokens: c.params.MaxTokens,
		Messages:  []anthropic.BetaMessageParam{anthropic.NewBetaUserMessage(anthropic.NewBetaTextBlock(turn[0].Text))},
	}})
	for events, err := range runner.AllStreaming(ctx) {
		if err != nil {
			return ran, failure(err)
		}
		for _, err := range events {
			if err != nil {
				return ran, failure(err)
			}
		}
	}
	return ran, nil
}
