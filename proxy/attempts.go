package proxy

import (
	"context"
	"iter"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// attempt asks one model of an upstream to answer an exchange, once or several times.
// Whether it is asked again, or another model, is decided by [attempts].
type attempt struct {
	x      *exchange
	client context.Context   // ends when nobody waits for the answer any more; the context of a call may go on: see callContext
	body   *messages.Body    // nil once the answer has begun: see letGo
	req    *messages.Request // the body validated; nil until a model needs it, and once the answer has begun

	model     UpstreamModel  // that is asked
	tries     int            // calls of the model so far, without those that it refused a feature
	inPlaceOf string         // error type that the model before failed with; "" for the first model, and from the first call of this one on
	spec      upstream.Model // what the last call said of the model
	maxTokens int            // of the last call; 0 if the request was passed through as it came
	room      int            // tokens for the answer that the prompt leaves of the context window, after the model refused more; 0 before
	prefill   prefillTrial   // of the model

	constrained bool // the server was to hold the last answer to a constraint
}

// try calls the model's upstream and yields the events of its answer. If the upstream
// fails before the first event, try has yielded nothing and returns the error. A later
// error is yielded, and try returns nil.
func (a *attempt) try(ctx context.Context, yield func(messages.Event, error) bool) error {
	a.recordModel(a.model)
	a.x.record.setUnmet(nil)
	a.spec = a.x.specOf(a.model, a.body.Stream)
	a.spec.MaxTokens = lowerLimit(a.spec.MaxTokens, a.room)
	if a.prefill.rejected {
		a.spec.Tries = 0
	}

	call, err := a.prepare()
	if err != nil {
		return err
	}
	breaker := a.x.s.breakers[a.model.Upstream]
	report, err := breaker.allow(a.model.configured())
	if err != nil {
		return err
	}
	if a.tries == 0 {
		breaker.addRetryShare(a.model.configured())
	}
	begun, outcome := false, errUnfinished // as after a panic, which says nothing of the upstream
	defer func() {
		if !begun {
			report(outcome)
		}
	}()
	a.recordCall()
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	for e, err := range call(ctx, cancel) {
		if err != nil {
			a.x.record.noteCallError(a.client, err)
		}
		switch {
		case begun:
		case err != nil:
			outcome = err
			return err
		case e.Type == messages.Pause: // the answer is held back, and another model may still be asked
			continue
		default:
			begun = true
			report(nil)
		}
		if e.Message != nil {
			a.noteContinued(e.Message)
			a.x.record.noteChoice(e.Message)
			wrong := a.noteConstraint(e.Type, e.Message)
			if len(e.Message.Unmet) > 0 && a.x.s.strict {
				wrong = errUnmet
			}
			switch {
			case wrong == nil:
			case e.Type == messages.MessageStart:
				return wrong
			default: // the answer has begun
				yield(messages.Event{}, wrong)
				return nil
			}
		}
		a.letGo()
		if !yield(e, err) || e.Type == messages.MessageStop {
			return nil
		}
	}
	return nil
}

// ended returns why nobody waits for the answer to a call with this context any more, as [causeOr] does; nil if
// somebody does.
func (a *attempt) ended(ctx context.Context) error { return causeOr(ctx, causeOr(a.client, nil)) }

// letGo forgets the request, once the answer has begun: it may take minutes, and no model is asked in
// the place of this one any more. Whoever may still ask this one again keeps what that takes.
func (a *attempt) letGo() { a.body, a.req = nil, nil }

// recordModel names the model in the record, and its upstream in the header.
func (a *attempt) recordModel(m UpstreamModel) {
	r := &a.x.record
	r.Upstream, r.UpstreamModel, r.Format, r.Variant, r.FormatReason = m.Upstream, m.Model, "", "", ""
	a.x.record.header.Set("X-Dragoman-Upstream", m.Upstream)
}

// recordCall adds a call of the model to the record.
func (a *attempt) recordCall() {
	a.tries++
	a.x.record.noteAttempt(metrics.Attempt{Upstream: a.model.Upstream, InPlaceOf: a.inPlaceOf})
	a.inPlaceOf = ""
}

// upstreamCall returns the events of an answer. The upstream is called when they are
// ranged over, with ctx. cancel ends ctx; the timeouts use it.
type upstreamCall func(ctx context.Context, cancel context.CancelCauseFunc) iter.Seq2[messages.Event, error]

// prepare returns the call that asks the model: over its own tool API, if it has one, or
// with a prompt.
func (a *attempt) prepare() (upstreamCall, error) {
	plan, err := a.x.plan(a.body, a.req, a.model, a.spec, a.x.renderRules())
	if plan != nil && plan.Prompt != nil {
		a.req = plan.Request
	}
	switch {
	case err != nil:
		return nil, err
	case plan.Prompt == nil:
		return a.prepareNative(plan), nil
	}
	return a.preparePrompt(plan), nil
}

// preparePrompt returns the call that asks the model with a prompt. It may call the
// upstream several times, because translate asks a model again (see translate.Reason).
func (a *attempt) preparePrompt(plan *Plan) upstreamCall {
	x, model, spec := a.x, plan.Model, plan.Spec
	prompt, checks, first := plan.Prompt, plan.Checks, plan.Call // and no more of the plan is kept
	if a.constrained = prompt.Constraint != nil; plan.Unconstrained != "" {
		x.record.noteUnconstrained(plan.Unconstrained)
	}
	toolAPI := prompt.ToolAPI != nil
	if !toolAPI {
		x.s.adviseTools(a.req, model)
	}
	a.prefill.on = spec.Tries.Has(upstream.Prefill) && prompt.Turns[len(prompt.Turns)-1].Role == messages.RoleAssistant
	a.maxTokens = prompt.MaxTokens
	if !toolAPI {
		x.record.Format, x.record.Variant, x.record.FormatReason = model.FormatName(), prompt.Variant, model.FormatReason()
	}
	var req *messages.Request // for observers alone, who are told of it when the model is asked again, too
	if len(x.observed) > 0 {
		req = a.req
	}
	var collected *retained
	if checks != nil {
		collected = new(retained)
	}
	return func(ctx context.Context, cancel context.CancelCauseFunc) iter.Seq2[messages.Event, error] {
		ask := func(p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
			if p.Again() != "" {
				if err := a.ended(ctx); err != nil {
					return func(yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, err) }
				}
				x.record.noteAttempt(metrics.Attempt{Upstream: model.Upstream})
			}
			x.observed.rendered(model, req, p)
			call := first
			if first = nil; call == nil { // the model is asked again
				var err error
				if call, err = x.s.upstreams[model.Upstream].Prepare(spec, p); err != nil {
					return func(yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, err) }
				}
			}
			chunks := func(ctx context.Context) iter.Seq2[translate.Chunk, error] { return chunksInPieces(call.Chunks(ctx)) }
			c := a.newCall(cancel)
			return readAnswer(ctx, c, chunks, c.chunkLooker(p, collected))
		}
		if checks == nil {
			return translate.Events(a.req, prompt, ask)
		}
		return translate.Corrected(a.req, prompt, ask, checks, func(corrected *messages.Request, why translate.Reason) (*translate.Prompt, error) {
			if why == translate.ReasonUncontinued {
				a.noteUncontinued()
				spec.Tries = 0
			}
			if a.constrained && why != translate.ReasonInvalid { // a model that is held to calls writes them
				a.noteIgnored()
				if model.Constrain == ConstrainRequire {
					return nil, unconstrained("the server has ignored it")
				}
			}
			rules := x.renderRules()
			rules.toolAPI = toolAPI
			p, err := model.prompt(x.r.Context(), corrected, spec, rules)
			if err == nil && a.constrained && why == translate.ReasonInvalid { // by a keyword that no grammar has
				p.Constraint, err = translate.Constrain(p, model.ConstrainAuto)
			}
			return p, err
		})
	}
}

// prepareNative returns the call that passes the request through to the tool API of
// the model.
func (a *attempt) prepareNative(plan *Plan) upstreamCall {
	x, model, spec := a.x, a.model, a.spec
	a.spec.Can, a.spec.Tries = a.spec.Can&upstream.Tools, 0 // the only feature that another try can do without: see remedyFor
	a.maxTokens = 0
	req, body, call := plan.Request, plan.Native.Body, plan.Call
	return func(ctx context.Context, cancel context.CancelCauseFunc) iter.Seq2[messages.Event, error] {
		x.observed.passed(model, body)
		body = nil
		pieces := call.Events
		if model.Rescue { // else nothing is parsed
			pieces = func(ctx context.Context) iter.Seq2[messages.Event, error] { return textsInPieces(call.Events(ctx)) }
		}
		events := translate.Judge(req, x.s.kept.of(x.key).tools, readAnswer(ctx, a.newCall(cancel), pieces, lookAtEvent))
		if model.Rescue {
			target := model.Target(spec)
			target.Memo = x.s.kept.of(x.key).tools
			events = translate.Rescue(req, target, events)
		}
		return events
	}
}

// newCall returns a call of a model for the exchange.
func (a *attempt) newCall(cancel context.CancelCauseFunc) *call {
	x := a.x
	return &call{model: a.model, limits: x.s.timeouts, cancel: cancel, client: a.client, reply: x.reply, record: &x.record, observed: x.observed}
}
