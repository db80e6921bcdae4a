package main

import (
	"os"
	"testing"

	"github.com/anthropics/anthropic-sdk-go/v2"

	"dragoman/conformance"
)

func TestMain(m *testing.M) { os.Exit(conformance.Main(m)) }

// TestCount asks how many tokens a conversation has. Bedrock's client sends the same request as the client of
// the Messages API.
func TestCount(t *testing.T) {
	url := conformance.Serve(t, nil, "--simulated")
	for name, options := range clients {
		client := anthropic.NewClient(options(t.Context(), url, "")...)
		count, err := client.Messages.CountTokens(t.Context(), anthropic.MessageCountTokensParams{
			Model:    "claude-2.1",
			Messages: []anthropic.MessageParam{anthropic.NewUserMessage(anthropic.NewTextBlock("Good morning!"))},
		})
		if err != nil || count.InputTokens == 0 {
			t.Errorf("%s: %+v, %v", name, count, err)
		}
	}
}
