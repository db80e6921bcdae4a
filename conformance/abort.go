package conformance

import (
	"context"
	"testing"

	"dragoman/translate"
	"dragoman/upstream/upstreamtest"
)

// What a client that leaves asks with, and what the model answers: first what never ends, so that only
// leaving can end it, and then an answer, which shows that the server still serves.
var (
	abortSetup = Setup{Model: model, MaxTokens: 1024}
	long       = upstreamtest.Completion{Text: "An answer that never comes to its end.", Fault: upstreamtest.Stall(6)}
	short      = upstreamtest.Completion{Text: "An answer."}
)

// runAbort leaves a stream before its end. The model must be told to stop, and the server must go on
// serving.
func runAbort(t *testing.T, c Client) {
	url, fake := serveBedrock(t, inTurn(long, short))
	answer, err := c.Open(url, "", abortSetup).Stream(t.Context(), say("Go on."), true)
	if err != nil || answer.Text() == "" {
		t.Errorf("answer is %+v, %v; want some text before it is left", answer, err)
	}
	gone(t, fake)
	must(t, c.Open(url, "", abortSetup), say("Once more."), c.ways()[0].ask)
}

// runAbortWhole gives up an answer that is not streamed, as soon as the model has been asked. The model
// must be told to stop all the same: the client's connection is all that shows that it has left.
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

// gone waits until the call of the model has been cancelled.
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
