package main

import (
	"fmt"
	"io"

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

// begin says where the inspector is. The token is on standard output alone, or on standard error where
// that is a command's: the log is read by others, and a browser that were started with it would show it
// to all users of the machine, in the list of its processes.
func (i inspecting) begin(p process, s *site, log zerolog.Logger) {
	if i.Inspector == nil {
		return
	}
	i.Watch(func() inspector.Server {
		cfg, server := s.live.current()
		return inspector.Server{Server: server, URL: s.url(loopback), Models: modelNames(cfg)}
	})
	url := s.adminURL(loopback) + inspector.Path
	log.Warn().Str("inspector_url", url).Str("msg", "the inspector keeps what clients and models write, in memory, for who has the token that was printed").Send()
	to := p.stdout
	if to == io.Discard {
		to = p.stderr
	}
	fmt.Fprintf(to, "Inspector: %s%s\n", url, i.Fragment())
}
