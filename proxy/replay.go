package proxy

import (
	"context"
	"net/http"
)

// Replay is how a request is answered that an operator sends again. "" is as the request and the
// routes have it.
type Replay struct {
	Model  string // asked for in place of the request's
	Format string // of the prompt, in place of that of the model's entry: one of [translate.Formats]
}

// replayKey is the key of the Replay in the context of a request. It cannot be set from outside of
// this process: no client gets past the keys by it.
type replayKey struct{}

// ReplayHandler returns the handler for requests that an operator sends again. They are answered as
// those of clients are, but need no key, and count for none.
func (s *Server) ReplayHandler(how Replay) http.Handler {
	h := s.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), replayKey{}, &how)))
	})
}

// replayOf returns how a request is answered again, nil for one of a client.
func replayOf(r *http.Request) *Replay {
	how, _ := r.Context().Value(replayKey{}).(*Replay)
	return how
}

// of returns the route as it is asked in the format of the replay. A template goes with the format
// of its entry, and tools that are asked for in a format are in the prompt.
func (how *Replay) of(r Route) Route {
	if how.Format == "" {
		return r
	}
	again := r // its fallbacks are its own: see Route.For
	models := []*UpstreamModel{&again.UpstreamModel}
	for i := range again.Fallbacks {
		models = append(models, &again.Fallbacks[i])
	}
	for _, m := range models {
		m.Format, m.Template, m.Tools, m.Rescue = how.Format, "", ToolsXML, false
	}
	return again
}
