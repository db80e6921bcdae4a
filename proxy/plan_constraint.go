package proxy

import (
	"errors"
	"net/http"
	"slices"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// Whether the server of a model is to hold its answer to a constraint, and what became of that.

// The values of [UpstreamModel.Constrain].
const (
	ConstrainOff     = "off"
	ConstrainTry     = "try"     // a model whose server refuses or ignores a constraint is asked without
	ConstrainRequire = "require" // the client then gets an error
)

// constrains reports whether the model's entry asks for constraints.
func (m UpstreamModel) constrains() bool {
	return m.Constrain == ConstrainTry || m.Constrain == ConstrainRequire
}

// guide has a model whose server takes schemas and no grammars asked for a forced call in JSON, and from its beginning,
// if the model's entry asks for constraints.
func (p *Plan) guide() {
	if p.Spec.Can.Has(upstream.Guided) && !upstream.TakesGrammar(p.Spec) && p.Request.MustCall() && (p.Model.isChat() || p.Model.isPrompt()) {
		p.Model.Format = translate.FormatJSON
		p.Spec.Can, p.Spec.Tries = p.Spec.Can&^upstream.Prefill, p.Spec.Tries&^upstream.Prefill
	}
}

// constrain sets what the answer to the prompt is held to, or why it is not although the model's entry asks
// for it. That is an error if the entry requires a constraint.
func (p *Plan) constrain() error {
	m := p.Model
	if !m.constrains() {
		return nil
	}
	c, err := translate.Constrain(p.Prompt, m.ConstrainAuto)
	switch {
	case errors.Is(err, translate.ErrFreeAnswer):
		return nil
	case err != nil:
	case !m.isChat() && !m.isPrompt():
		err = errors.New("constraints are sent over the wires chat and prompt alone")
	case p.Request.Thinking != messages.ThinkingOff, p.Prompt.Thinking == translate.ThinkingMaybe, p.Prompt.Thinking == translate.ThinkingOpen:
		err = errors.New("the model may think first, and the constraint would hold from the first token")
	case !p.Spec.Can.Has(upstream.Guided):
		err = errors.New("the server has refused constraints, or not kept to them, within the hour")
	case p.Spec.Guided != "" || p.asks:
		err = upstream.CheckConstraint(p.Spec, m.isPrompt(), c)
	}
	if err == nil {
		p.Prompt.Constraint = c
		return nil
	}
	if m.Constrain == ConstrainRequire {
		return unconstrained(err.Error())
	}
	p.Unconstrained = err.Error()
	return nil
}

// unconstrained is the answer to a client whose model may only answer under a constraint.
func unconstrained(why string) error {
	return &failure{status: http.StatusBadGateway, typ: messages.ErrorAPI, final: true, message: "constrain: require is set for this model, and the answer cannot be held to a constraint: " + why}
}

// The results of constraints, as the metric has them.
const (
	constraintHeld    = "held"    // the answer keeps to it
	constraintIgnored = "ignored" // it does not
	constraintRefused = "refused" // the server took none
	constraintSkipped = "skipped" // none was sent, although the entry asks for one
)

// noteIgnored remembers that the server does not hold the model to a constraint.
func (a *attempt) noteIgnored() {
	a.x.record.Constraint = constraintIgnored
	a.x.s.refusals.add(a.model, refusal{features: upstream.Guided})
}

// noteConstraint records what the beginning or the end of an answer, m, shows of whether it keeps to its
// constraint. It returns an error if it has to and does not.
func (a *attempt) noteConstraint(typ messages.EventType, m *messages.Message) error {
	if !a.constrained {
		return nil
	}
	switch {
	case a.x.record.Constraint == constraintIgnored:
	case len(m.Unmet) > 0 || slices.ContainsFunc(m.Outcomes, breaksConstraint):
		a.noteIgnored()
	case typ == messages.MessageDelta:
		a.x.record.Constraint = constraintHeld
	}
	if a.x.record.Constraint == constraintIgnored && a.model.Constrain == ConstrainRequire {
		return unconstrained("the server has ignored it")
	}
	return nil
}

// breaksConstraint reports whether an attempted call is none that a constraint allows. One that is cut is
// whole as far as it goes.
func breaksConstraint(o messages.Outcome) bool {
	switch o.Kind {
	case messages.OutcomeClean, messages.OutcomeRepaired, messages.OutcomeContinued, messages.OutcomeIncomplete:
		return false
	}
	return true
}
