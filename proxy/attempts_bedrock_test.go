package proxy

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/retry"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"

	"dragoman/upstream"
)

// operations are Bedrock's operations, each with a question for a model.
var operations = map[string]func(context.Context, *bedrockruntime.Client, string) error{
	"invoke": func(ctx context.Context, c *bedrockruntime.Client, model string) error {
		_, err := c.InvokeModel(ctx, &bedrockruntime.InvokeModelInput{ModelId: &model, Body: []byte(bedrockQuestion)})
		return err
	},
	"invoke, streamed": func(ctx context.Context, c *bedrockruntime.Client, model string) error {
		_, err := c.InvokeModelWithResponseStream(ctx, &bedrockruntime.InvokeModelWithResponseStreamInput{ModelId: &model, Body: []byte(bedrockQuestion)})
		return err
	},
	"converse": func(ctx context.Context, c *bedrockruntime.Client, model string) error {
		_, err := c.Converse(ctx, &bedrockruntime.ConverseInput{ModelId: &model, Messages: said("Hi")})
		return err
	},
	"converse, streamed": func(ctx context.Context, c *bedrockruntime.Client, model string) error {
		_, err := c.ConverseStream(ctx, &bedrockruntime.ConverseStreamInput{ModelId: &model, Messages: said("Hi")})
		return err
	},
}

func said(text string) []types.Message {
	return []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{saidText(text)}}}
}

// With its default number of retries, the AWS SDK repeats temporary failures, and no failure that a retry cannot fix.
// The module in conformance/clients counts the retries of the other SDKs.
func TestSDKAttempts(t *testing.T) {
	ours := func(f upstream.CredentialsFault) error {
		return &upstream.Error{Status: 502, Type: "api_error", Message: "no", Credentials: f, Final: true}
	}
	tests := []struct {
		name  string
		err   error
		model string // the model to ask for; "": a configured one
		want  int64
	}{
		{"credentials refused", ours(upstream.CredentialsRefused), "", 1},
		{"credentials missing", ours(upstream.CredentialsMissing), "", 1},
		{"a token refused", &upstream.Error{Status: 502, Type: "api_error", Message: "no", Credentials: upstream.CredentialsRefused}, "", 1},
		{"no such model upstream", missing, "", 1},
		{"no such model here", nil, "gpt", 1},
		{"quota", quota, "", 1},
		{"not valid", failed(400, "invalid_request_error"), "", 1},
		{"not paid", failed(402, "billing_error"), "", 1},
		{"unexplained", forGood(502, "api_error"), "", 1},
		{"the time limit of the model", forGood(504, "timeout_error"), "", 1},
		{"throttled", failure5(429, "rate_limit_error", 0), "", 3},
		{"overloaded", busy, "", 3},
		{"failed", failure5(500, "api_error", 0), "", 3},
		{"no answer", &upstream.Error{Status: 502, Type: "api_error", Message: "no", Unreachable: true}, "", 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, newFleet(func(string) error { return tt.err }))
			var requests atomic.Int64
			srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				s.Handler().ServeHTTP(w, r)
			}))
			defer srv.Close()
			client := dialSDK(srv, "x", func(o *bedrockruntime.Options) {
				o.Retryer = retry.NewStandard(func(o *retry.StandardOptions) {
					o.Backoff = retry.BackoffDelayerFunc(func(int, error) (time.Duration, error) { return 0, nil })
				})
			})
			model := tt.model
			if model == "" {
				model = "claude-2.1"
			}
			for name, ask := range operations {
				requests.Store(0)
				err := ask(t.Context(), client, model)
				if err == nil || requests.Load() != tt.want {
					t.Errorf("%s: %d requests, %v", name, requests.Load(), err)
				}
			}
		})
	}
}

// After Dragoman has retried a failure itself, the AWS SDKs still see it as temporary: they may try again later.
func TestSDKIsToldWhatWasRepeated(t *testing.T) {
	s := newServer(t, newFleet(func(string) error { return busy }), twice)
	w := postTo(s, invokePath, bedrockQuestion)
	checkException(t, w, 503, "ServiceUnavailableException")
	if got := fmt.Sprint(w.Header.Get("x-should-retry"), w.Header.Get("x-dragoman-attempts")); got != "false2" {
		t.Errorf("x-should-retry, x-dragoman-attempts: %s", got)
	}
}
