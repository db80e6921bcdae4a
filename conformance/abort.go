package conformance

import (
	"context"
	"testing"

	"dragoman/translate"
	"dragoman/upstream/upstreamtest"
)

// runAbort leaves answers before their end. The model must be told to stop, and the server must go on
// serving.
func runAbort(t *testing.T, open Opener) {
	setup := Setup{Model: model, MaxTokens: 1024}
	long := upstreamtest.Completion{Text: "An answer that never comes to its end.", Fault: upstreamtest.Stall(6)}
	short := upstreamtest.Completion{Text: "An answer."}

	t.Run(streamed, func(t *testing.T) {
		url, fake := serveBedrock(t, inTurn(long, short))
		answer, err := open(url, "", setup).Stream(t.Context(), say("Go on."), "content_block_delta")
		if err != nil || answer.Text() == "" {
			t.Errorf("answer is %+v, %v; want some text before it is left", answer, err)
		}
		gone(t, fake)
		must(t, open(url, "", setup), say("Once more."), ways[0].ask)
	})

	t.Run("whole", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		answers := inTurn(long, short)
		url, fake := serveBedrock(t, func(model string, p *translate.Prompt) upstreamtest.Completion {
			cancel()
			return answers(model, p)
		})
		if answer, err := open(url, "", setup).Ask(ctx, say("Go on.")); err == nil {
			t.Errorf("answer is %+v, want none", answer)
		}
		gone(t, fake)
		must(t, open(url, "", setup), say("Once more."), ways[1].ask)
	})
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
