package proxy

import (
	"sync"
	"time"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

// maxRefusals bounds the models that are remembered: where a route has a wildcard,
// clients can make up ids.
const maxRefusals = 1 << 10

// refusalLifetime is how long refusals are remembered. Then a model is asked for all it
// may be able to do: models change, and an error may have been misread.
const refusalLifetime = time.Hour

// refusals are what the models of each upstream have refused, by the name of the upstream.
type refusals map[string]*upstreamRefusals

// applyTo returns the spec of a model without what the model has refused.
func (r refusals) applyTo(m UpstreamModel) upstream.Model { return r[m.Upstream].applyTo(m) }

// add remembers a refusal of a model beside its earlier ones.
func (r refusals) add(m UpstreamModel, refused refusal) { r[m.Upstream].add(m, refused) }

// upstreamRefusals remembers which features the models of an upstream have refused, and which limits
// of tokens they have named, so that the next request does not run into the same error. It remembers as
// well which features they have of those that were tried.
type upstreamRefusals struct {
	mu      sync.Mutex
	byModel map[way]refusal
	oldest  time.Time // when the first of byModel was added
}

// refusal is all that a model has refused, and what was found out of features that it might have lacked.
type refusal struct {
	features  upstream.Features
	maxTokens int               // the most that the model gives; 0 if it has named no limit
	has       upstream.Features // that the model was asked for at a try, and has
}

// applyTo returns the spec of a model without what the model has refused, and with what it was found to have.
func (r *upstreamRefusals) applyTo(m UpstreamModel) upstream.Model {
	spec := m.Spec()
	r.mu.Lock()
	defer r.mu.Unlock()
	if time.Since(r.oldest) > refusalLifetime {
		r.byModel = nil
	}
	learnt := r.byModel[m.way()]
	spec.Can |= learnt.has & spec.Tries
	spec.Can &^= learnt.features
	spec.Tries &^= learnt.features | learnt.has
	spec.MaxTokens = lowerLimit(spec.MaxTokens, learnt.maxTokens)
	return spec
}

// add remembers a refusal of a model beside its earlier ones. When there are too many
// models, all are forgotten: each is then refused once more, and remembered again.
func (r *upstreamRefusals) add(m UpstreamModel, learnt refusal) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byModel == nil || len(r.byModel) >= maxRefusals {
		r.byModel, r.oldest = map[way]refusal{}, time.Now()
	}
	key := m.way()
	before := r.byModel[key]
	features := before.features | learnt.features
	r.byModel[key] = refusal{features, lowerLimit(before.maxTokens, learnt.maxTokens), (before.has | learnt.has) &^ features}
}

// lowerLimit returns the lower of two limits, of which 0 is none.
func lowerLimit(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// A prefill is the best way to force a call, and not every chat server continues a last assistant message.
// The first call that a client forces tries one, and what came of it is remembered here.

// prefillTrial is what the calls of one model show of whether it goes on with a prefill.
type prefillTrial struct {
	on       bool // the prompt of the call ends in a prefill, and nothing is known of the server
	rejected bool // the server failed with a prefill: the next calls go without
}

// noteUncontinued remembers that the server does not go on with a prefill.
func (a *attempt) noteUncontinued() {
	a.x.s.refusals.add(a.model, refusal{features: upstream.Prefill})
	a.prefill = prefillTrial{}
}

// noteContinued remembers what the beginning or the end of an answer, m, shows of whether the server goes on
// with a prefill.
func (a *attempt) noteContinued(m *messages.Message) {
	switch {
	case a.prefill.rejected: // and has answered without
		a.noteUncontinued()
	case a.prefill.on && m.Continued:
		a.x.s.refusals.add(a.model, refusal{has: upstream.Prefill})
	}
}
