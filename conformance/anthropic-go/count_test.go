package main

import (
	"context"
	"os"
	"testing"

	release1 "github.com/anthropics/anthropic-sdk-go"
	options1 "github.com/anthropics/anthropic-sdk-go/option"
	"github.com/anthropics/anthropic-sdk-go/v2"
	vertex1 "github.com/anthropics/anthropic-sdk-go/vertex"
	"golang.org/x/oauth2"
	"golang.org/x/oauth2/google"

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

// TestCount1 is TestCount with release 1 of the library.
func TestCount1(t *testing.T) {
	url := conformance.Serve(t, nil, "--simulated")
	token := oauth2.StaticTokenSource(&oauth2.Token{AccessToken: "any"})
	for name, options := range map[string][]options1.RequestOption{
		"messages": {options1.WithoutEnvironmentDefaults(), options1.WithAPIKey("")},
		"vertex":   {vertex1.WithCredentials(context.Background(), "us-east5", "my-project", &google.Credentials{TokenSource: token})},
	} {
		client := release1.NewClient(append(options, options1.WithBaseURL(url), options1.WithMaxRetries(0))...)
		count, err := client.Messages.CountTokens(t.Context(), release1.MessageCountTokensParams{
			Model:    "claude-2.1",
			Messages: []release1.MessageParam{release1.NewUserMessage(release1.NewTextBlock("Good morning!"))},
		})
		if err != nil || count.InputTokens == 0 {
			t.Errorf("%s: %+v, %v", name, count, err)
		}
	}
}
