package proxy

import (
	"context"
	"errors"
	"net/http"
	"time"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/upstream"
)

// countWait is how long an upstream may count. A client asks before it asks the
// question itself, and an estimate is better than to wait.
const countTimeout = 10 * time.Second

// countTokens answers how many tokens the request has as the model is asked it: those of
// the rendered prompt. Where the upstream cannot say, it is an estimate, which the
// header x-dragoman-token-count then says.
func (x *exchange) countTokens() error {
	body, model, err := x.readRequest(translate.DecodeOptions{Count: true})
	if err != nil {
		return err
	}
	if dry, err := x.dryRun(); err != nil {
		return err
	} else if dry {
		return x.showPrompt(body, model.UpstreamModel)
	}
	x.w.Header().Set("X-Dragoman-Upstream", model.Upstream)
	ask, estimate, err := x.tokenCounter(body, model.UpstreamModel)
	if err != nil {
		return err
	}
	source := "upstream"
	tokens, err := x.askTokenCount(model.UpstreamModel, ask)
	switch {
	case err == nil:
	case x.r.Context().Err() != nil:
		return causeOr(x.r.Context(), err)
	case model.Tools == ToolsNative && failureFor(err).status == http.StatusBadRequest:
		return err // the upstream has read what the client said, and says what is wrong with it
	default:
		source, tokens = "estimate", estimate
	}
	x.w.Header().Set("X-Dragoman-Token-Count", source)
	return x.respond(http.StatusOK, x.dialect.tokenCount(nil, tokens))
}

// counter returns what asks the way's upstream for the tokens of the request, nil
// if it does not count, and an estimate.
func (x *exchange) tokenCounter(body *translate.Body, way UpstreamModel) (ask func(context.Context) (int, error), estimate int, err error) {
	asked := x.s.refusals.applyTo(way)
	via := x.s.upstreams[way.UpstreamKey()]
	if native, ok := via.(NativeUpstream); ok && way.usesToolAPI(asked) && native.Passes(asked) {
		return func(ctx context.Context) (int, error) {
			return native.CountNative(ctx, asked, x.dialect.nativeRequest(x.r.Header, body))
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
	if c, ok := via.(TokenCounter); ok {
		ask = func(ctx context.Context) (int, error) { return c.Count(ctx, asked, prompt) }
	}
	return ask, prompt.EstimateTokens(), nil
}

// counted asks the upstream, once.
func (x *exchange) askTokenCount(way UpstreamModel, ask func(context.Context) (int, error)) (int, error) {
	if ask == nil {
		return 0, upstream.ErrNoCounter
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), countTimeout)
	defer cancel()
	tokens, err := ask(ctx)
	if errors.Is(err, upstream.ErrNoCounter) {
		return 0, err
	}
	x.record.Attempts = append(x.record.Attempts, metrics.Attempt{Upstream: way.Upstream})
	x.w.Header().Set("X-Dragoman-Attempts", "1")
	if err != nil {
		x.recordCallError(err)
		x.logPassedOver(err)
	}
	return tokens, err
}
