package upstreamtest

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strings"
)

// ServeHTTP answers the routes of [Tokens].
func (t *Tokens) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !t.serve(w, r) {
		http.NotFound(w, r)
	}
}

// serve answers a request. If the path is not one of the routes, it writes nothing and returns false.
func (t *Tokens) serve(w http.ResponseWriter, r *http.Request) bool {
	check, ok := map[string]func(*http.Request) (grant string, err error){
		"POST /token":    t.userGrant,
		"POST /v1/token": t.exchangeGrant,
		"GET /computeMetadata/v1/instance/service-accounts/default/token": t.metadataGrant,
	}[r.Method+" "+r.URL.Path]
	if !ok {
		return false
	}
	w.Header().Set("date", t.now().UTC().Format(http.TimeFormat))
	if fault := t.failing(r.Context()); fault != nil {
		refuseToken(w, fault)
		return true
	}
	if strings.HasPrefix(r.URL.Path, "/computeMetadata/") {
		w.Header().Set("metadata-flavor", "Google")
	}
	grant, err := check(r)
	if err != nil {
		refuseToken(w, Refuse(http.StatusBadRequest, "invalid_grant", err.Error(), ""))
		return true
	}
	value, lifetime := t.issue(grant)
	w.Header().Set("content-type", "application/json")
	fmt.Fprintf(w, `{"access_token":%s,"expires_in":%d,"token_type":"Bearer","issued_token_type":"urn:ietf:params:oauth:token-type:access_token"}`,
		quote(value), int(lifetime.Seconds()))
	return true
}

// failing returns the fault for a request; nil for none. If the fault is Stall, failing waits until another
// fault is set.
func (t *Tokens) failing(ctx context.Context) *Fault {
	for {
		t.mu.Lock()
		fault, changed := t.fault, t.changed
		t.mu.Unlock()
		if fault == nil || fault.kind != stall {
			return fault
		}
		select {
		case t.stalled <- struct{}{}:
		default:
		}
		select {
		case <-changed:
		case <-ctx.Done():
			return fault
		}
	}
}

// refuseToken answers with an error (RFC 6749, §5.2).
func refuseToken(w http.ResponseWriter, f *Fault) {
	if f.kind == reply {
		f.reply(w)
		return
	}
	w.Header().Set("content-type", "application/json")
	w.WriteHeader(cmp.Or(f.status, http.StatusBadRequest))
	fmt.Fprintf(w, `{"error":%s,"error_description":%s}`, quote(f.typ), quote(f.message))
}
