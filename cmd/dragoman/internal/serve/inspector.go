package serve

import (
	"slices"
	"strings"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/proxy/inspector"
)

// announceInspector connects the inspector to the current generation, and logs that it is on.
func (s *Server) announceInspector() {
	if s.inspector == nil {
		return
	}
	s.inspector.Watch(func() inspector.Server {
		g := s.current()
		return inspector.Server{
			Server: g.server, URL: s.LocalURL(), Models: ModelNames(g.cfg),
			Flags: g.cfg.Flags(), Paid: slices.ContainsFunc(g.cfg.Upstreams, config.Upstream.Paid), FileWith: g.cfg.FileWith,
		}
	})
	s.log.Warn().Str("inspector_url", s.inspectorURL()).Str("event", "inspector_on").Str("msg", "the inspector keeps what clients and models write in memory, and shows it to everybody with the printed token").Send()
}

// InspectorURL returns the URL of the inspector with the token, or "" without an inspector. Show it only on the
// terminal: others read the log, and a browser that is started with the URL would show it in the list of processes to
// all users of the machine.
func (s *Server) InspectorURL() string {
	if s.inspector == nil {
		return ""
	}
	return s.inspectorURL() + s.inspector.Fragment()
}

func (s *Server) inspectorURL() string { return s.adminURL(loopback) + inspector.Path }

// ModelNames returns the names of models that clients can ask for, without wildcards.
func ModelNames(cfg *config.Config) []string {
	var names []string
	for _, route := range cfg.Models {
		if !strings.Contains(route.Name, "*") && !slices.Contains(names, route.Name) {
			names = append(names, route.Name)
		}
	}
	return names
}
