package conformance

import (
	"context"
	"testing"

	"dragoman/translate"
	"dragoman/upstream/upstreamtest"
)

// The request of a client that leaves, and the model's answers. The first answer never ends, so only the
// client can end it. The second is short, and shows that the server still works.
var (
	abortSetup = Setup{Model: model, MaxTokens: 1024}
	long       = upstreamtest.Completion{Text: "An answer that never comes to its end.", Fault: upstreamtest.Stall(6)}
	short      = upstreamtest.Completion{Text: "An answer."}
)

// runAbort leaves a stream before its end. The server must cancel the request to the model, and must continue
// to serve.
func runAbort(t *testing.T, c Client) {
	url, fake := serveBedrock(t, inTurn(long, short))
	answer, err := c.Open(url, "", abortSetup).Stream(t.Context(), say("Go on."), true)
	if err != nil || answer.Text() == "" {
		t.Errorf("answer is %+v, %v; want some text before it is left", answer, err)
	}
	gone(t, fake)
	must(t, c.Open(url, "", abortSetup), say("Once more."), c.ways()[0].ask)
}

// runAbortWhole gives up a request without streaming as soon as the model has been asked. The server must
// cancel the request to the model too. Only the client's connection shows that the client has left.
func runAbortWhole(t *testing.T, c Client) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	answers := inTurn(long, short)
	url, fake := serveBedrock(t, func(model string, p *translate.Prompt) upstreamtest.Completion {
		cancel()
		return answers(model, p)
	})
	if answer, err := c.Open(url, "", abortSetup).Ask(ctx, say("Go on.")); err == nil {
		t.Errorf("answer is %+v, want none", answer)
	}
	gone(t, fake)
	must(t, c.Open(url, "", abortSetup), say("Once more."), c.ways()[len(c.ways())-1].ask)
}

// gone waits until the request to the model is cancelled.
func gone(t *testing.T, fake *upstreamtest.Bedrock) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), answerTime)
	defer cancel()
	select {
	case <-fake.Gone():
	case <-ctx.Done():
		t.Fatal("the model was never told to stop")
	}
}
