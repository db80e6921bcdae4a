package proxy

import (
	"context"
	"iter"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// Upstream is where models are; package upstream has the implementations. A model of it is asked with a
// [upstream.Call]: its sequences are lazy, and have at most one error, which comes last. When their
// context ends, they end with its cause. Leaving the range cancels the call and releases all that it held.
type Upstream interface {
	// Prepare returns the call that asks the model with a prompt.
	Prepare(m upstream.Model, p *translate.Prompt) (*upstream.Call, error)

	// Passes reports whether the model can be asked over the Messages API, so that a client's own
	// request can go through to its tool API. A model without an ID is one that is not known yet.
	Passes(m upstream.Model) bool
	// TakesTools reports whether the model can be asked with a prompt for the tools API of its server:
	// [translate.Target.ToolAPI]. A model without an ID is one that is not known yet.
	TakesTools(m upstream.Model) bool
	// PrepareNative returns the call that passes a client's own request to such a model.
	PrepareNative(m upstream.Model, n upstream.Native) (*upstream.Call, error)

	// Keeps reports whether the answers of the model can be made to pass the guardrail of Bedrock, with
	// every option that g has.
	Keeps(m upstream.Model, g upstream.Guardrail) bool

	// ListModels returns the models that there are.
	ListModels(ctx context.Context) ([]upstream.Listed, error)

	// Resolve returns what the upstream tells of the model behind an id. It waits for the upstream, once for each id, if
	// the model cannot be asked without; otherwise it asks in the background, for later calls.
	Resolve(ctx context.Context, m upstream.Model) upstream.Resolved
}

// call is one call of an upstream, and what is told of it.
type call struct {
	model    UpstreamModel
	limits   Timeouts
	cancel   context.CancelCauseFunc // ends the call if the upstream is too slow
	client   context.Context         // ends when nobody waits for the answer any more
	reply    *reply                  // which the answer goes to
	record   *record
	observed observations
}

// readAnswer runs the call c and passes on the pieces of its answer: chunks, or events. look
// is shown each piece, and may end the answer with an error. Observers are told of the call.
//
// Before a piece the proxy waits for the upstream, unless the piece before has More: the call is
// cancelled if the upstream is too slow. While pieces are yielded, the upstream waits for the proxy.
// That time is recorded as the proxy's own, but for the time in which the client is written to.
func readAnswer[T any](ctx context.Context, c *call, run func(context.Context) iter.Seq2[T, error], look func(T) (pieceInfo, error)) iter.Seq2[T, error] {
	return func(yield func(T, error) bool) {
		var none T
		var failure error
		ctx := c.observed.calling(ctx, c.model)
		defer func() { c.observed.called(failure) }()
		first := cancelAfter(c.cancel, firstByteTimeout, c.limits.FirstByte)
		defer first.Stop()
		var idle *watch // nil before the first piece
		defer func() {
			if idle != nil {
				idle.stop()
			}
		}()

		waited := true // before the piece
		var arrived time.Duration
		for piece, err := range run(ctx) {
			if waited {
				arrived = c.record.elapsed() - c.reply.writing
				if idle == nil {
					first.Stop()
				} else {
					idle.end()
				}
			}
			var told pieceInfo
			if err == nil {
				told, err = look(piece)
			}
			if ctx.Err() != nil { // an upstream with much to say may not have looked at ctx
				err = ctx.Err()
			}
			if err != nil {
				failure = causeOr(ctx, err)
				c.record.noteCallError(c.client, failure) // now: another try may succeed, and then nobody else learns of the error
				yield(none, failure)
				return
			}
			if told.requestID != "" {
				c.record.UpstreamRequestID = told.requestID
			}
			if told.unknownStop != "" {
				c.record.UnknownStop = stopWord(told.unknownStop)
			}
			wanted := yield(piece, nil)
			if waited = !told.more || !wanted; !waited {
				continue
			}
			now := c.record.elapsed()
			c.record.Parse += now - c.reply.writing - arrived
			if !wanted {
				return
			}
			if idle == nil {
				idle = newWatch(c.record.began, c.limits.Idle, func() { c.cancel(&timeoutError{idleTimeout, c.limits.Idle}) })
			}
			idle.begin(now)
		}
		if failure = causeOr(ctx, nil); failure != nil {
			yield(none, failure)
		}
	}
}

// pieceInfo is what a piece of an answer says of itself.
type pieceInfo struct {
	requestID   string // the upstream's id of the request; "" if the piece has none
	unknownStop string // why the answer ended, in a word that is not known; "" for any other piece
	more        bool   // the next piece is at hand
}

// lookAtEvent returns what an event of a model says that is asked over the Messages API.
func lookAtEvent(e messages.Event) (pieceInfo, error) {
	told := pieceInfo{more: e.More}
	if e.Message != nil {
		told.requestID = e.Message.RequestID
		if stop := e.Message.StopReason; stop != "" && !stop.IsKnown() {
			told.unknownStop = string(stop)
		}
	}
	return told, nil
}

// chunkLooker returns what looks at the chunks of a model's answer to p. Where the answer has to pass checks, all
// of it may be collected, and collected counts it; else that is nil.
func (c *call) chunkLooker(p *translate.Prompt, collected *retained) func(translate.Chunk) (pieceInfo, error) {
	var told *translate.Chunk // which observers are shown: to show them one itself would put each chunk on the heap
	if len(c.observed) > 0 {
		told = new(translate.Chunk)
	}
	warnOfCut := c.warnerOfCut(p)
	return func(chunk translate.Chunk) (pieceInfo, error) {
		if told != nil {
			*told = chunk
			c.observed.chunk(told)
		}
		if chunk.Stop != "" {
			warnOfCut(chunk.Usage)
		}
		var err error
		if collected != nil {
			err = collected.add(len(chunk.Text) + len(chunk.Thinking))
		}
		return pieceInfo{chunk.RequestID, chunk.UnknownStop, chunk.More}, err
	}
}

// warnerOfCut returns a function that is given the usage at the end of the answer to p. If the upstream counts
// fewer tokens in the prompt than its text has at least, the function says so in the log: servers with a fixed context, Ollama first of all, cut the front of a prompt that is too long, and with
// it the tools. They do not say so; only the usage shows it.
func (c *call) warnerOfCut(p *translate.Prompt) func(messages.Usage) {
	if c.model.Wire != WireChat && !c.model.isPrompt() {
		return func(messages.Usage) {} // the other APIs refuse a prompt that is too long
	}
	least, estimate := p.LeastTokens(), p.EstimateTokens()
	return func(u messages.Usage) {
		if counted := u.PromptTokens(); counted > 0 && counted < least {
			c.record.logger.Warn().Str("request_id", c.record.RequestID).Str("upstream", c.model.Upstream).Str("upstream_model", clip(c.model.Model)).
				Int("counted_tokens", counted).Int("estimated_tokens", estimate).
				Str("event", "prompt_cut").Str("msg", "the upstream has read only a part of the prompt, perhaps without the tools: its context is too small. "+
				"Raise num_ctx or OLLAMA_CONTEXT_LENGTH of Ollama, -c of llama.cpp, --max-model-len of vLLM").Send()
		}
	}
}

// callContext returns the context of the calls of upstreams for a client, whose context ends when the client leaves.
// So does the context of the calls, unless the answer is then read to its end all the same; it ends as well when the
// server cuts the exchange. Calls that nobody waits for are to leave room for others: beyond a share they are cancelled.
func (s *Server) callContext(client context.Context) (context.Context, context.CancelCauseFunc) {
	if !s.finishes {
		return context.WithCancelCause(client)
	}
	ctx, cancelCall := context.WithCancelCause(context.WithoutCancel(client))
	stopCut := context.AfterFunc(s.base, func() { cancelCall(context.Cause(s.base)) })
	stopLeft := context.AfterFunc(client, func() {
		switch {
		case wasCut(client):
			return
		case !s.abandoned.take(1):
			cancelCall(errClientGone)
			return
		}
		<-ctx.Done()
		s.abandoned.give(1)
	})
	return ctx, func(cause error) {
		stopCut()
		stopLeft()
		cancelCall(cause)
	}
}
