package proxy

import (
	"context"
	"errors"
	"net/http"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// Whether the model's server should constrain the answer, and whether it did.

// The values of [UpstreamModel.Constrain].
const (
	ConstrainOff     = "off"
	ConstrainTry     = "try"     // if the server rejects or ignores a constraint, ask without one
	ConstrainRequire = "require" // if the server rejects or ignores a constraint, the client gets an error
)

// constrains reports whether the model's entry asks for constraints.
func (m UpstreamModel) constrains() bool {
	return m.Constrain == ConstrainTry || m.Constrain == ConstrainRequire
}

// guide prepares a prompt for a server that takes schemas but not grammars: a forced call is asked for in JSON, without
// a prefill. It applies only if the model's entry asks for constraints.
func (p *Plan) guide() {
	if p.Spec.Can.Has(upstream.Guided) && !upstream.TakesGrammar(p.Spec) && p.Request.MustCall() && (p.Spec.Wire == WireChat || p.Spec.Wire == WirePrompt) {
		p.Model.Format = translate.FormatJSON
		p.Spec.Can, p.Spec.Tries = p.Spec.Can&^upstream.Prefill, p.Spec.Tries&^upstream.Prefill
	}
}

// constrain sets the constraint of the answer to the prompt. If the entry asks for a constraint and none is possible,
// it records the reason, or returns an error if the entry requires one.
func (p *Plan) constrain(ctx context.Context) error {
	m := p.Model
	if !m.constrains() {
		return nil
	}
	if p.Prompt == nil { // the request passes through
		if p.Request.MustCall() {
			return p.skipConstraint(translate.ErrServersFormat)
		}
		return nil
	}
	c, err := translate.Constrain(ctx, p.Prompt, m.ConstrainAuto)
	switch {
	case errors.Is(err, translate.ErrFreeAnswer):
		return nil
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
	case p.Spec.Wire != WireChat && p.Spec.Wire != WirePrompt:
		err = errors.New("only the wires chat and prompt can carry constraints")
	case p.Request.Thinking != messages.ThinkingOff, p.Prompt.Target.Thinking == translate.ThinkingMaybe, p.Prompt.Target.Thinking == translate.ThinkingOpen:
		err = errors.New("the model may think first, but the constraint would apply from the first token")
	case !p.Spec.Can.Has(upstream.Guided):
		err = errors.New("the server rejected or ignored a constraint within the last hour")
	case p.Spec.Guided != "" || p.asks:
		err = upstream.CheckConstraint(p.Spec, p.Spec.Wire == WirePrompt, c)
	}
	if err == nil {
		p.Prompt.Constraint = c
		return nil
	}
	return p.skipConstraint(err)
}

// skipConstraint records why the answer has no constraint. It returns an error if the entry requires one.
func (p *Plan) skipConstraint(why error) error {
	if p.Model.Constrain == ConstrainRequire {
		return unconstrained(why.Error())
	}
	p.Unconstrained = why.Error()
	return nil
}

// unconstrained returns the client's error if its model requires a constraint and none is possible.
func unconstrained(why string) error {
	return &failure{status: http.StatusBadGateway, typ: messages.ErrorAPI, final: true, message: "constrain: require is set for this model, but its answer cannot be constrained: " + why}
}

// The results of constraints, as in the metric.
const (
	constraintHeld    = "held"    // the answer obeys the constraint
	constraintIgnored = "ignored" // it does not
	constraintRefused = "refused" // the server rejected it
	constraintSkipped = "skipped" // none was sent, although the entry asks for one
)

// noteIgnored remembers that the server ignores constraints.
func (a *attempt) noteIgnored() {
	a.x.record.Constraint = constraintIgnored
	a.x.s.refusals.add(a.model, refusal{features: upstream.Guided})
}

// mustObey reports whether all of the last answer is under its constraint. An answer that max_tokens cut may end before its
// call. A constraint with triggers does not cover calls that the model writes in another form.
func (a *attempt) mustObey() bool {
	return a.constraint != nil && len(a.constraint.Triggers) == 0 && !a.cut
}

// noteConstraint records whether the beginning or the end of an answer, m, obeys its constraint. It returns an error if
// the answer does not obey, although the entry requires it.
func (a *attempt) noteConstraint(typ messages.EventType, m *messages.Message) error {
	if a.constraint == nil {
		return nil
	}
	switch {
	case a.x.record.Constraint == constraintIgnored:
	case a.mustObey() && !obeysConstraint(m):
		a.noteIgnored()
	case typ == messages.MessageDelta:
		a.x.record.Constraint = constraintHeld
	}
	if a.x.record.Constraint == constraintIgnored && a.model.Constrain == ConstrainRequire {
		return unconstrained("the server ignored the constraint")
	}
	return nil
}

// obeysConstraint reports whether an answer may be one that a constraint allows.
func obeysConstraint(m *messages.Message) bool {
	for _, o := range m.Outcomes {
		switch o.Kind {
		case messages.OutcomeClean, messages.OutcomeRepaired, messages.OutcomeContinued, messages.OutcomeIncomplete:
		default:
			if o.Reason != messages.ReasonExampleCopied && o.Reason != messages.ReasonEcho {
				return false
			}
		}
	}
	return len(m.Unmet) == 0 || len(m.Outcomes) > 0
}
