package main

import (
	"fmt"
	"strings"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/proxy"
	"dragoman/proxy/inspector"
)

// inspecting is the inspector of a server; it has none if the configuration says so.
type inspecting struct{ *inspector.Inspector }

func newInspecting(cfg *config.Config) inspecting {
	if !cfg.Inspector {
		return inspecting{}
	}
	return inspecting{inspector.New()}
}

// options has the server tell the inspector of its exchanges, and serve it.
func (i inspecting) options(o *proxy.Options) {
	if i.Inspector != nil {
		o.Observe, o.Inspector = append(o.Observe, i.Observe), i.Inspector
	}
}

// begin says where the inspector is. The token is on standard output alone: the log is read by
// others, and a browser that were started with it would show it to all users of the machine, in the
// list of its processes.
func (i inspecting) begin(p process, cfg *config.Config, server *proxy.Server, s *site, log zerolog.Logger) {
	if i.Inspector == nil {
		return
	}
	i.Watch(inspector.Server{Server: server, URL: s.url(), Models: modelNames(cfg)})
	url := s.adminURL() + inspector.Path
	log.Warn().Str("inspector_url", url).Str("msg", "the inspector keeps what clients and models write, in memory, for who has the token; it is on standard output").Send()
	fmt.Fprintf(p.stdout, "Inspector: %s%s\n", url, i.Fragment())
}

// modelNames returns the names that clients may ask for, without those that stand for many.
func modelNames(cfg *config.Config) []string {
	var names []string
	for _, route := range cfg.Models {
		if !strings.Contains(route.Name, "*") {
			names = append(names, route.Name)
		}
	}
	return names
}
