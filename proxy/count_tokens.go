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

// countTimeout bounds how long an upstream may count. Clients count before they ask: an
// estimate at once is of more use to them than a number too late.
const countTimeout = 10 * time.Second

// countTokens answers how many tokens the request has when the first model of its route
// is asked: those of the rendered prompt. If the upstream cannot say, the answer is an
// estimate, and x-dragoman-token-count says so.
func (x *exchange) countTokens() error {
	body, route, err := x.readRequest(messages.DecodeOptions{Count: true})
	if err != nil {
		return err
	}
	if dry, err := x.dryRun(); err != nil {
		return err
	} else if dry {
		return x.showPrompt(body, route.UpstreamModel)
	}
	x.w.Header().Set("X-Dragoman-Upstream", route.Upstream)
	count, estimate, err := x.prepareCount(body, route.UpstreamModel)
	if err != nil {
		return err
	}
	source := "upstream"
	tokens, err := x.callCount(route.UpstreamModel, count)
	switch {
	case err == nil:
	case x.r.Context().Err() != nil:
		return causeOr(x.r.Context(), err)
	case route.Tools == ToolsNative && failureFor(err).status == http.StatusBadRequest:
		return err // the upstream has read the client's request itself, and says what is wrong with it
	default:
		source, tokens = "estimate", estimate
	}
	x.w.Header().Set("X-Dragoman-Token-Count", source)
	return x.respond(http.StatusOK, x.dialect.appendTokenCount(nil, tokens))
}

// prepareCount returns the call that asks the model's upstream for the number of tokens,
// nil if the upstream does not count, and an estimate of that number.
func (x *exchange) prepareCount(body *messages.Body, m UpstreamModel) (count func(context.Context) (int, error), estimate int, err error) {
	spec := x.s.refusals.applyTo(m)
	up := x.s.upstreams[m.UpstreamKey()]
	native, err := m.PassesTo(up, spec)
	if err != nil {
		return nil, 0, err
	}
	if native != nil {
		return func(ctx context.Context) (int, error) {
			return native.CountNative(ctx, spec, x.dialect.nativeRequest(x.r.Header, body))
		}, translate.EstimateTokens(len(body.JSON())), nil
	}
	req, err := x.decode(body)
	if err != nil {
		return nil, 0, err
	}
	prompt, _, err := x.render(req, m, spec)
	if err != nil {
		return nil, 0, err
	}
	if counter, ok := up.(TokenCounter); ok {
		count = func(ctx context.Context) (int, error) { return counter.Count(ctx, spec, prompt) }
	}
	return count, prompt.EstimateTokens(), nil
}

// callCount calls the upstream, once. It is a call like others in the record and the log,
// unless the upstream does not count.
func (x *exchange) callCount(m UpstreamModel, count func(context.Context) (int, error)) (int, error) {
	if count == nil {
		return 0, upstream.ErrNoCounter
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), countTimeout)
	defer cancel()
	tokens, err := count(ctx)
	if errors.Is(err, upstream.ErrNoCounter) {
		return 0, err
	}
	x.record.Attempts = append(x.record.Attempts, metrics.Attempt{Upstream: m.Upstream})
	x.w.Header().Set("X-Dragoman-Attempts", "1")
	if err != nil {
		x.recordCallError(err)
		x.logPassedOver(err)
	}
	return tokens, err
}
