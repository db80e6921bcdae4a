package proxy

import (
	"context"
	"errors"
	"net/http"
	"time"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// countWait is how long an upstream may count. A client asks before it asks the
// question itself, and an estimate is better than to wait.
const countWait = 10 * time.Second

// countTokens answers how many tokens the request has as the model is asked it: those of
// the rendered prompt. Where the upstream cannot say, it is an estimate, which the
// header x-dragoman-token-count then says.
func (x *exchange) countTokens() error {
	body, model, err := x.read(messages.DecodeOptions{Count: true})
	if err != nil {
		return err
	}
	if dry, err := x.dryRun(); err != nil {
		return err
	} else if dry {
		return x.show(body, model.Way)
	}
	x.w.Header().Set("X-Dragoman-Upstream", model.Upstream)
	ask, estimate, err := x.counter(body, model.Way)
	if err != nil {
		return err
	}
	source := "upstream"
	tokens, err := x.counted(model.Way, ask)
	switch {
	case err == nil:
	case x.r.Context().Err() != nil:
		return reason(x.r.Context(), err)
	case model.Tools == ToolsNative && describe(err).status == http.StatusBadRequest:
		return err // the upstream has read what the client said, and says what is wrong with it
	default:
		source, tokens = "estimate", estimate
	}
	x.w.Header().Set("X-Dragoman-Token-Count", source)
	return x.write(http.StatusOK, x.dialect.count(nil, tokens))
}

// counter returns what asks the way's upstream for the tokens of the request, nil
// if it does not count, and an estimate.
func (x *exchange) counter(body *messages.Body, way Way) (ask func(context.Context) (int, error), estimate int, err error) {
	asked := x.s.lessons.heed(way)
	via := x.s.upstreams[way.Via()]
	if native, ok := via.(NativeUpstream); ok && way.native(asked) && native.Passes(asked) {
		return func(ctx context.Context) (int, error) {
			return native.CountNative(ctx, asked, x.dialect.native(x.r.Header, body))
		}, translate.EstimateTokens(len(body.JSON())), nil
	}
	req, err := x.decode(body)
	if err != nil {
		return nil, 0, err
	}
	prompt, err := x.render(req, way, asked)
	if err != nil {
		return nil, 0, err
	}
	if c, ok := via.(Counter); ok {
		ask = func(ctx context.Context) (int, error) { return c.Count(ctx, asked, prompt) }
	}
	return ask, prompt.EstimateTokens(), nil
}

// counted asks the upstream, once.
func (x *exchange) counted(way Way, ask func(context.Context) (int, error)) (int, error) {
	if ask == nil {
		return 0, upstream.ErrNoCounter
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), countWait)
	defer cancel()
	tokens, err := ask(ctx)
	if errors.Is(err, upstream.ErrNoCounter) {
		return 0, err
	}
	x.record.Attempts = append(x.record.Attempts, metrics.Attempt{Upstream: way.Upstream})
	x.w.Header().Set("X-Dragoman-Attempts", "1")
	if err != nil {
		x.charge(err)
		x.passOver(err)
	}
	return tokens, err
}
