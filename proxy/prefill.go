package proxy

import (
	"net/http"

	"dragoman/translate/messages"
	"dragoman/upstream"
)

// A prefill is the best way to force a call, and not every chat server continues a last assistant message.
// The first call that a client forces tries one. The table of refusals remembers what came of it.

// prefillTrial is what the calls of one model show of whether it goes on with a prefill.
type prefillTrial struct {
	on       bool // the prompt of the call ends in a prefill, and nothing is known of the server
	rejected bool // the server failed with a prefill: the next calls go without
}

// isRejected reports whether the server may have failed with err because of the prefill, so that the model
// is asked again without one. Servers have many words for that, and some fail with 500 over the template.
func (t *prefillTrial) isRejected(err *upstream.Error) bool {
	if !t.on || err.Status != http.StatusBadRequest && err.Status != http.StatusInternalServerError {
		return false
	}
	t.on, t.rejected = false, true
	return true
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
