package proxy

import (
	"net/http"

	"dragoman/proxy/internal/replay"
)

// ReplayHandler returns the handler for requests that an operator sends again. It answers them like a client's
// requests, but they need no key and count against no key's limits.
func (s *Server) ReplayHandler(how replay.Replay) http.Handler { return entry{s, &how}.handler() }

// replayed returns the route with the format of a replay. The entry's template belongs to the entry's format, so it is
// removed. A format needs a prompt, so the model's own tools API is not used.
func replayed(how *replay.Replay, r Route) Route {
	if how.Format == "" {
		return r
	}
	again := r // the fallbacks are a copy: see Route.For
	models := []*UpstreamModel{&again.UpstreamModel}
	for i := range again.Fallbacks {
		models = append(models, &again.Fallbacks[i])
	}
	for _, m := range models {
		m.Format, m.Template, m.Tools = how.Format, "", ToolsXML
	}
	return again
}
