package proxy

import (
	"context"
	"errors"
	"net/http"
	"time"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/translate/messages"
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
	if dry, err := dryRun(x.r.Header); err != nil {
		return err
	} else if dry {
		return x.showPrompt(body, route.UpstreamModel)
	}
	x.record.header.Set("X-Dragoman-Upstream", route.Upstream)
	rules := x.renderRules()
	rules.Counts = true
	plan, err := x.plan(body, nil, route.UpstreamModel, x.s.refusals.applyTo(route.UpstreamModel), rules)
	if err != nil {
		return err
	}
	estimate := translate.EstimateTokens(len(body.JSON()))
	if plan.Prompt != nil {
		estimate = plan.Prompt.EstimateTokens()
	}
	source := "upstream"
	tokens, err := x.callCount(route.UpstreamModel, plan.Call.Count)
	switch {
	case err == nil:
	case x.r.Context().Err() != nil:
		return causeOr(x.r.Context(), err)
	case route.Tools == ToolsNative && failureFor(err).status == http.StatusBadRequest:
		return err // the upstream has read the client's request itself, and says what is wrong with it
	default:
		source, tokens = "estimate", estimate
	}
	x.record.header.Set("X-Dragoman-Token-Count", source)
	return x.reply.respond(http.StatusOK, x.dialect.appendTokenCount(nil, tokens))
}

// errNoCounter says that the upstream does not count tokens.
var errNoCounter = errors.New("the upstream does not count tokens")

// callCount calls the upstream, once. It is a call like others in the record and the log,
// unless the upstream does not count.
func (x *exchange) callCount(m UpstreamModel, count func(context.Context) (int, error)) (int, error) {
	if count == nil {
		return 0, errNoCounter
	}
	ctx, cancel := context.WithTimeout(x.r.Context(), countTimeout)
	defer cancel()
	tokens, err := count(ctx)
	x.record.noteAttempt(metrics.Attempt{Upstream: m.Upstream})
	if err != nil {
		x.record.noteCallError(x.r.Context(), err)
		x.record.logPassedOver(err)
	}
	return tokens, err
}
