package proxy

import (
	"net/http"

	"dragoman/translate/messages"
)

// errUnmet is the answer to a client that wants nothing else (compat is strict) where the model has
// not made the call that tool_choice forces. The model has been asked again for it already.
var errUnmet = &failure{
	status: http.StatusBadGateway, typ: messages.ErrorAPI, final: true,
	message: "tool_choice: the model did not make the call that it forces. Under compat: lenient the answer would be what the model said instead.",
}

// noteChoice records what has become of a tool_choice that forces a call, as the beginning or the end
// of the answer says: what was left out of the answer before the call is named in x-dragoman-dropped,
// and a choice that is not met in x-dragoman-unmet. It returns errUnmet for that if compat is strict.
func (x *exchange) noteChoice(m *messages.Message) error {
	if len(m.LeftOut) > 0 {
		x.leftOut = m.LeftOut
		x.setDropped(x.dropped)
	}
	if len(m.Unmet) == 0 {
		return nil
	}
	x.setUnmet(m.Unmet)
	if x.s.strict {
		return errUnmet
	}
	return nil
}

// setUnmet records what the request forces and the answer does not do, and names it in
// x-dragoman-unmet. Another model may do it: each call replaces the list.
func (x *exchange) setUnmet(fields []string) {
	x.record.Unmet = fields
	if len(fields) == 0 {
		x.reply.header.Del("X-Dragoman-Unmet")
		return
	}
	x.reply.header.Set("X-Dragoman-Unmet", headerList(fields))
}
