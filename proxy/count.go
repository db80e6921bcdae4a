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

// countTimeout limits how long an upstream may take to count. Clients count before they send the request: a quick
// estimate is of more use to them than a late number.
const countTimeout = 10 * time.Second

// countTokens answers how many tokens the request has: the tokens of the prompt that the first model of the route would
// get. If the upstream cannot count, the answer is an estimate, and the header x-dragoman-token-count says so.
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
		return err // the upstream has read the client's own request, and reports what is wrong with it
	default:
		source, tokens = "estimate", estimate
	}
	x.record.header.Set("X-Dragoman-Token-Count", source)
	return x.reply.respond(http.StatusOK, x.dialect.appendTokenCount(nil, tokens))
}

// errNoCounter means that the upstream has no way to count tokens.
var errNoCounter = errors.New("the upstream does not count tokens")

// callCount calls the upstream once. The record and the log show the call like any other, unless the upstream cannot
// count.
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
