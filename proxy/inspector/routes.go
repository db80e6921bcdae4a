package inspector

import (
	"crypto/rand"
	"crypto/sha256"
	"net/http"
)

// New returns an inspector with a new token.
func New(keep Limits) *Inspector {
	in := &Inspector{token: rand.Text(), store: newStore(keep), replays: make(chan struct{}, mostReplays)}
	in.sum = sha256.Sum256([]byte(in.token))
	in.handler = in.routes()
	return in
}

// routes returns the handler of all paths.
func (in *Inspector) routes() http.Handler {
	const api = Path + "api/"
	mux := http.NewServeMux()
	mux.Handle(Path, assets())
	mux.Handle("GET "+api+"exchanges", in.withToken(in.list))
	mux.Handle("DELETE "+api+"exchanges", in.withToken(in.clear))
	mux.Handle("GET "+api+"exchanges/{id}", in.withToken(in.one))
	mux.Handle("GET "+api+"exchanges/{id}/text", in.withToken(in.text))
	mux.Handle("GET "+api+"exchanges/{id}/events", in.withToken(in.events))
	mux.Handle("GET "+api+"exchanges/{id}/spans", in.withToken(in.spans))
	mux.Handle("GET "+api+"exchanges/{id}/curl", in.withToken(in.curl))
	mux.Handle("GET "+api+"exchanges/{id}/case", in.withToken(in.saveCase))
	mux.Handle("GET "+api+"exchanges/{id}/why", in.withToken(in.why))
	mux.Handle("POST "+api+"exchanges/{id}/reparse", in.withToken(in.reparse))
	mux.Handle("POST "+api+"exchanges/{id}/replay", in.withToken(in.replay))
	mux.Handle("GET "+api+"search", in.withToken(in.search))
	mux.Handle("GET "+api+"live", in.withToken(in.live))
	mux.Handle("GET "+api+"choices", in.withToken(in.choices))
	trials := http.StripPrefix(api+"playground", Playground(in.try))
	mux.Handle("POST "+api+"playground/", in.withToken(func(w http.ResponseWriter, r *http.Request) error {
		trials.ServeHTTP(w, r)
		return nil
	}))
	mux.Handle(api, in.withToken(func(http.ResponseWriter, *http.Request) error { return errNothing }))
	return guarded(mux)
}
