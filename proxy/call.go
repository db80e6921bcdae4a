package proxy

import (
	"context"
	"iter"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// Upstream is a place where models run; package upstream has the implementations. An [upstream.Call] asks one of its
// models. The sequences of a call are lazy, and have at most one error, as their last element. When their context ends,
// they end with its cause. Leaving the range cancels the call and releases everything that it holds.
type Upstream interface {
	// Prepare returns the call that sends a prompt to the model.
	Prepare(m upstream.Model, p *translate.Prompt) (*upstream.Call, error)

	// PrepareNative returns the call that passes a client's request through to a model with [upstream.PassesRequest].
	PrepareNative(m upstream.Model, n upstream.Native) (*upstream.Call, error)

	// ListModels returns the upstream's models.
	ListModels(ctx context.Context) ([]upstream.Listed, error)

	// Resolve returns what the upstream knows about the model behind an id. If no request can be made without that,
	// Resolve waits for the upstream, once for each id. Otherwise it asks in the background, for later calls.
	Resolve(ctx context.Context, m upstream.Model) upstream.Resolved
}

// call is one call to an upstream, with what observers and the record need.
type call struct {
	model    UpstreamModel
	limits   Timeouts
	cancel   context.CancelCauseFunc // ends the call if the upstream is too slow
	client   context.Context         // ends when nobody waits for the answer any more
	reply    *reply                  // where the answer goes
	record   *record
	observed observations
}

// readAnswer runs the call c and yields the pieces of its answer: chunks or events. look sees each piece first, and may
// end the answer with an error. Observers see the call, too.
//
// If the previous piece had More, the next one is already there. Otherwise the proxy waits for the upstream, and
// cancels the call if that takes too long. While readAnswer yields a piece, the upstream waits for the proxy. This time
// counts as the proxy's own work, except for writing to the client.
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
			if ctx.Err() != nil { // a busy upstream may not have checked ctx
				err = ctx.Err()
			}
			if err != nil {
				failure = causeOr(ctx, err)
				c.record.noteCallError(c.client, failure) // log it now: if another try succeeds, nobody else learns of the error
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

// pieceInfo is what the proxy needs to know about a piece of an answer.
type pieceInfo struct {
	requestID   string // the upstream's request id; "" if the piece has none
	unknownStop string // the stop reason, if the proxy does not know it; otherwise ""
	more        bool   // the next piece is already there
}

// lookAtEvent returns the pieceInfo of an event of the Messages API.
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

// chunkLooker returns the function that looks at each chunk of the answer to p. If the answer must pass checks, all of
// it may be kept in memory, and collected counts its bytes; otherwise collected is nil.
func (c *call) chunkLooker(p *translate.Prompt, collected *retained) func(translate.Chunk) (pieceInfo, error) {
	var told *translate.Chunk // a copy for observers: showing them the chunk itself would put every chunk on the heap
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

// warnerOfCut returns a function that checks the usage at the end of the answer to p. If the upstream counts fewer
// tokens than the prompt's text has at least, the function logs a warning. Servers with a fixed context, such as
// Ollama, silently cut the front of a long prompt, and the tools with it. Only the usage shows this.
func (c *call) warnerOfCut(p *translate.Prompt) func(messages.Usage) {
	if wire := c.model.wire(); wire != WireChat && wire != WirePrompt {
		return func(messages.Usage) {} // the other APIs reject a prompt that is too long
	}
	least, estimate := p.LeastTokens(), p.EstimateTokens()
	return func(u messages.Usage) {
		if counted := u.PromptTokens(); counted > 0 && counted < least {
			c.record.logger.Warn().Str("request_id", c.record.RequestID).Str("upstream", c.model.Upstream).Str("upstream_model", clip(c.model.Model)).
				Int("counted_tokens", counted).Int("estimated_tokens", estimate).
				Str("event", "prompt_cut").Str("msg", "the upstream read only part of the prompt, perhaps without the tools, because its context is too small. "+
				"Raise num_ctx or OLLAMA_CONTEXT_LENGTH (Ollama), -c (llama.cpp) or --max-model-len (vLLM)").Send()
		}
	}
}

// callContext returns the context for an exchange's calls to upstreams. The client's context ends when the client
// leaves; the calls' context then ends too, unless on_disconnect keeps reading the answer. It also ends when the server
// cuts the exchange. Calls whose client has left must leave room for others: above a share of the places, callContext
// cancels them.
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
