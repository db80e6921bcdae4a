package telemetry

import (
	"encoding/hex"
	"net/http"
	"strings"
)

// The headers of the W3C's Trace Context.
const (
	headerParent = "Traceparent"
	headerState  = "Tracestate"
)

// longestState bounds a tracestate that is passed on, in bytes (section 3.3.1.5).
const longestState = 512

// parse returns where the client's span is, or nil if its headers do not say it (W3C Trace Context,
// section 3.2). A version that is not known is read as the one that is.
func parse(h http.Header) *place {
	parent := h.Get(headerParent)
	if len(parent) < 55 || len(h.Values(headerParent)) > 1 {
		return nil
	}
	version, rest := parent[:2], parent[55:]
	var p place
	var flags [1]byte
	ok := parent[2] == '-' && parent[35] == '-' && parent[52] == '-' && version != "ff" &&
		(rest == "" || version != "00" && rest[0] == '-') &&
		decode(new([1]byte)[:], version) && decode(p.trace[:], parent[3:35]) && decode(p.span[:], parent[36:52]) && decode(flags[:], parent[53:55])
	if !ok || p.trace == (traceID{}) || p.span == (spanID{}) {
		return nil
	}
	p.sampled = flags[0]&1 != 0
	if state := strings.Join(h.Values(headerState), ","); len(state) <= longestState && !strings.ContainsFunc(state, isControl) {
		p.state = state
	}
	return &p
}

// decode reads lower-case hexadecimal digits that fill dst. It reports whether s is that.
func decode(dst []byte, s string) bool {
	_, err := hex.Decode(dst, []byte(s))
	return err == nil && s == strings.ToLower(s)
}

func isControl(r rune) bool { return r < ' ' || r > '~' }

// write says in the header of a request to an upstream where its span is. Nothing of the client's own
// trace goes there but its id and its state.
func (p *place) write(h http.Header) {
	flags := "-00"
	if p.sampled {
		flags = "-01"
	}
	h.Set(headerParent, "00-"+hex.EncodeToString(p.trace[:])+"-"+hex.EncodeToString(p.span[:])+flags)
	if p.state != "" {
		h.Set(headerState, p.state)
	}
}
