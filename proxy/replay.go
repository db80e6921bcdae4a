package proxy

import (
	"context"
	"net/http"
)

// Replay is how to answer a request that an operator sends again. "" means as in the request and its route.
type Replay struct {
	Model  string // replaces the model of the request
	Format string // replaces the format of the model's entry: one of [translate.Formats]
}

// replayKey is the context key of a Replay. Only this process can set it, so no client can use it to bypass
// authentication.
type replayKey struct{}

// ReplayHandler returns the handler for requests that an operator sends again. It answers them like a client's
// requests, but they need no key and count against no key's limits.
func (s *Server) ReplayHandler(how Replay) http.Handler {
	h := s.Handler()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), replayKey{}, &how)))
	})
}

// replayOf returns how to answer a replayed request, and nil for a client's request.
func replayOf(r *http.Request) *Replay {
	how, _ := r.Context().Value(replayKey{}).(*Replay)
	return how
}

// of returns the route with the format of the replay. The entry's template belongs to the entry's format, so it is
// removed. A format needs a prompt, so the model's own tools API is not used.
func (how *Replay) of(r Route) Route {
	if how.Format == "" {
		return r
	}
	again := r // the fallbacks are a copy: see Route.For
	models := []*UpstreamModel{&again.UpstreamModel}
	for i := range again.Fallbacks {
		models = append(models, &again.Fallbacks[i])
	}
	for _, m := range models {
		m.Format, m.Template, m.Tools, m.Rescue = how.Format, "", ToolsXML, false
	}
	return again
}
