package proxy

import (
	"sync"
	"time"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

// maxRefusals limits the models in memory: clients can make up ids where a route has a wildcard.
const maxRefusals = 1 << 10

// refusalLifetime is how long refusals are remembered. After that, the model gets requests with all features again:
// models change, and an error may have been misread.
const refusalLifetime = time.Hour

// refusals are what the models of each upstream have refused, keyed by the upstream's name.
type refusals map[string]*upstreamRefusals

// applyTo returns the spec of a model without the features that the model has refused.
func (r refusals) applyTo(m UpstreamModel) upstream.Model { return r[m.Upstream].applyTo(m) }

// add remembers a model's refusal in addition to its earlier ones.
func (r refusals) add(m UpstreamModel, refused refusal) { r[m.Upstream].add(m, refused) }

// upstreamRefusals remembers which features the models of an upstream have refused, and which token limits they have
// reported, so that the next request avoids the same error. It also remembers which tried features turned out to work.
type upstreamRefusals struct {
	mu      sync.Mutex
	byModel map[way]refusal
	oldest  time.Time // when the first entry of byModel was added
}

// refusal is everything that a model has refused, and which of its uncertain features turned out to work.
type refusal struct {
	features  upstream.Features
	maxTokens int               // the model's limit of output tokens; 0 if it has reported none
	has       upstream.Features // features that were tried and work
}

// applyTo returns the spec of a model without the features that it has refused, and with those that turned out to work.
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
	spec.Lacks |= learnt.features & upstream.BodyMembers
	spec.Tries &^= learnt.features | learnt.has
	spec.MaxTokens = lowerLimit(spec.MaxTokens, learnt.maxTokens)
	return spec
}

// add remembers a refusal of a model in addition to its earlier ones. If there are too many models, add first forgets
// all of them: each model then refuses once more, and is remembered again.
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

// lowerLimit returns the lower of two limits; 0 means no limit.
func lowerLimit(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}

// A prefill is the best way to force a call, but not every chat server continues a final assistant message. The first
// forced call tries a prefill, and prefillTrial remembers the result.

// prefillTrial is what the calls to one model have shown about prefills.
type prefillTrial struct {
	on       bool // the prompt ends in a prefill, and it is not known yet whether the server continues it
	rejected bool // the server failed because of a prefill: the next calls have none
}

// noteUncontinued remembers that the server does not continue a prefill.
func (a *attempt) noteUncontinued() {
	a.x.s.refusals.add(a.model, refusal{features: upstream.Prefill})
	a.prefill = prefillTrial{}
}

// noteContinued remembers what m, the beginning or the end of an answer, shows about whether the server continues a
// prefill.
func (a *attempt) noteContinued(m *messages.Message) {
	switch {
	case a.prefill.rejected: // the call without a prefill succeeded
		a.noteUncontinued()
	case a.prefill.on && m.Continued:
		a.x.s.refusals.add(a.model, refusal{has: upstream.Prefill})
	}
}
