package proxy

import (
	"context"
	"iter"
	"slices"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// attempt asks one model of an upstream to answer an exchange, once or several times. [attempts] decides whether to ask
// the same model again, or another one.
type attempt struct {
	x      *exchange
	client context.Context   // ends when nobody waits for the answer any more; a call's own context may outlive it: see callContext
	body   *messages.Body    // nil once the answer has begun: see letGo
	req    *messages.Request // the validated body; nil until a model needs it, and once the answer has begun

	model     UpstreamModel  // that is asked
	tries     int            // calls to the model so far, without the calls in which it refused a feature
	inPlaceOf string         // for the first call to a fallback: error type of the failed model; else ""
	spec      upstream.Model // the model as the last call saw it
	maxTokens int            // max_tokens of the last call; 0 if the request was passed through unchanged
	room      int            // tokens that the prompt leaves for the answer, after the context window was too small; else 0
	prefill   prefillTrial   // of the model

	constraint *translate.Constraint // that the last call asked for; nil for none
	cut        bool                  // max_tokens cut the last answer
}

// try calls the model's upstream and yields the events of its answer. If the upstream fails before the first event, try
// yields nothing and returns the error. After the first event, try yields the error and returns nil.
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
	begun, outcome := false, errUnfinished // errUnfinished is the outcome after a panic, too: it says nothing about the upstream
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
		case e.Type == messages.Pause: // the answer is still held back, so another model may still be asked
			continue
		default:
			begun = true
			report(nil)
		}
		if e.Message != nil {
			a.noteContinued(e.Message)
			a.x.record.noteChoice(e.Message)
			wrong := a.noteConstraint(e.Type, e.Message)
			if a.x.s.strict && slices.Contains(e.Message.Unmet, messages.UnmetChoice) {
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

// ended returns why nobody waits any more for the answer to a call with this context, like [causeOr]. It returns nil if
// the client still waits.
func (a *attempt) ended(ctx context.Context) error { return causeOr(ctx, causeOr(a.client, nil)) }

// letGo frees the request once the answer has begun: no other model will be asked, and the answer may take minutes.
// Whoever may ask this model again keeps its own copy of what it needs.
func (a *attempt) letGo() { a.body, a.req = nil, nil }

// recordModel records the model, and names its upstream in the response header.
func (a *attempt) recordModel(m UpstreamModel) {
	r := &a.x.record
	r.Upstream, r.UpstreamModel, r.Format, r.Variant, r.FormatReason = m.Upstream, m.Model, "", "", ""
	a.x.record.header.Set("X-Dragoman-Upstream", m.Upstream)
}

// recordCall adds a call to the model to the record.
func (a *attempt) recordCall() {
	a.tries++
	a.x.record.noteAttempt(metrics.Attempt{Upstream: a.model.Upstream, InPlaceOf: a.inPlaceOf})
	a.inPlaceOf = ""
}

// upstreamCall returns the events of an answer. Ranging over them calls the upstream with ctx. cancel ends ctx; the
// timeouts use it.
type upstreamCall func(ctx context.Context, cancel context.CancelCauseFunc) iter.Seq2[messages.Event, error]

// prepare returns the call to the model: through its own tools API if it has one, otherwise with a prompt.
func (a *attempt) prepare() (upstreamCall, error) {
	plan, err := a.x.plan(a.body, a.req, a.model, a.spec, a.x.renderRules())
	if plan != nil && plan.Prompt != nil {
		a.req = plan.Request
	}
	switch {
	case err != nil:
		return nil, err
	case plan.Unconstrained != "":
		a.x.record.noteUnconstrained(plan.Unconstrained)
	}
	if plan.Prompt == nil {
		return a.prepareNative(plan), nil
	}
	return a.preparePrompt(plan), nil
}

// preparePrompt returns the call that sends the model a prompt. It may call the upstream several times, because package
// translate asks a model again in some cases (see translate.Reason).
func (a *attempt) preparePrompt(plan *Plan) upstreamCall {
	x, model, spec := a.x, plan.Model, plan.Spec
	prompt, checks, first := plan.Prompt, plan.Checks, plan.Call // only these parts of the plan stay in memory
	a.constraint = prompt.Constraint
	toolAPI := prompt.ToolAPI != nil
	if !toolAPI {
		x.s.adviseTools(a.req, model)
	}
	a.prefill.on = spec.Tries.Has(upstream.Prefill) && prompt.Turns[len(prompt.Turns)-1].Role == messages.RoleAssistant
	a.maxTokens = prompt.MaxTokens
	if !toolAPI {
		x.record.Format, x.record.Variant, x.record.FormatReason = model.FormatName(), prompt.Variant, model.FormatReason()
	}
	if a.req.AnswersResults() {
		x.s.stuck.add(model.way(), false)
	}
	var req *messages.Request // only for observers, which also see each further request to the model
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
			if first = nil; call == nil { // translate asks the model again
				var err error
				if call, err = x.s.upstreams[model.Upstream].Prepare(spec, p); err != nil {
					return func(yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, err) }
				}
			}
			chunks := func(ctx context.Context) iter.Seq2[translate.Chunk, error] { return chunksInPieces(call.Chunks(ctx)) }
			c := a.newCall(cancel)
			look := c.chunkLooker(p, collected)
			return readAnswer(ctx, c, chunks, func(chunk translate.Chunk) (pieceInfo, error) {
				if chunk.Stop != "" {
					a.cut = chunk.Stop == messages.StopMaxTokens
				}
				return look(chunk)
			})
		}
		return translate.Corrected(a.req, prompt, ask, checks, func(corrected *messages.Request, why translate.Reason) (*translate.Prompt, error) {
			if why == translate.ReasonUncontinued {
				a.noteUncontinued()
				spec.Tries = 0
			}
			stuck := why == translate.ReasonEmpty || why == translate.ReasonRepeated
			// An example call obeys, and so do arguments that break a keyword of the schema that grammars cannot express.
			obeys := stuck || why == translate.ReasonInvalid || why == translate.ReasonEchoed || !a.mustObey()
			if !obeys {
				a.noteIgnored()
				if model.Constrain == ConstrainRequire {
					return nil, unconstrained("the server ignored the constraint")
				}
			}
			if stuck {
				x.s.noteReminder(model)
			}
			rules := x.renderRules()
			rules.toolAPI, rules.reminds = toolAPI, stuck
			p, err := model.prompt(x.r.Context(), corrected, spec, rules)
			if err == nil && a.constraint != nil && obeys {
				p.Constraint, err = translate.Constrain(x.r.Context(), p, model.ConstrainAuto)
			}
			return p, err
		})
	}
}

// prepareNative returns the call that passes the request through to the model's tools API.
func (a *attempt) prepareNative(plan *Plan) upstreamCall {
	x, model := a.x, a.model
	a.spec.Can, a.spec.Tries = a.spec.Can&upstream.Tools, 0 // tools are the only feature that a second try can replace: see remedyFor
	a.maxTokens = 0
	req, body, call := plan.Request, plan.Native.Body, plan.Call
	return func(ctx context.Context, cancel context.CancelCauseFunc) iter.Seq2[messages.Event, error] {
		x.observed.passed(model, body)
		body = nil
		return translate.Judge(req, x.s.kept.of(x.key).tools, readAnswer(ctx, a.newCall(cancel), call.Events, lookAtEvent))
	}
}

// newCall returns a call to the model for this exchange.
func (a *attempt) newCall(cancel context.CancelCauseFunc) *call {
	x := a.x
	return &call{model: a.model, limits: x.s.timeouts, cancel: cancel, client: a.client, reply: x.reply, record: &x.record, observed: x.observed}
}
