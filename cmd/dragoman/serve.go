package main

import (
	"context"
	"fmt"
	"net"
	"os"
	"time"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy"
)

// serveCommand is `dragoman serve`.
func serveCommand(p process) *cobra.Command {
	c := &cobra.Command{
		Use:   "serve",
		Short: "serve until SIGTERM or SIGINT, then drain",
		Long: `Serves the Messages API. The first line of the log, on standard error, names the URL and what to
paste for a client. On SIGTERM or SIGINT /readyz answers 503, new connections are taken only for
timeouts.drain_delay, and open exchanges have timeouts.drain to finish, less two seconds in which
they are ended with an error; a second signal does that at once, a third ends the process. On
SIGHUP, or when it changes, the configuration is read again and serves new requests: all of it, or
none. What takes a restart, such as another address, is named in the log.`,
		Example: `  dragoman serve --simulated
  dragoman serve --base-url http://127.0.0.1:11434/v1
  dragoman serve --base-url https://llm.example.com/v1 --api-key-file key.txt
  AWS_REGION=us-east-1 dragoman serve
  dragoman serve --config dragoman.yaml --listen 127.0.0.1:9000 --admin-listen 127.0.0.1:9001
  dragoman serve --simulated --listen 10.0.0.7:8484 --insecure
  dragoman serve --simulated --inspect
  dragoman serve --simulated --log-format json --log-level warn`,
		Args: atMost(0),
	}
	s := newSettings(c).withServing()
	c.RunE = func(c *cobra.Command, _ []string) error { return serve(c.Context(), p, s) }
	return c
}

// serve answers clients until ctx ends, which the first signal does, and then drains: new
// connections are taken for timeouts.drain_delay, and open exchanges have timeouts.drain to
// finish, or until the second signal. It returns nil after a drain in which all of them did. An
// error of a server that has served is logged, and is a *loggedError.
func serve(ctx context.Context, p process, s *settings) error {
	second, stop := secondSignal()
	defer stop()
	hangUps := hangUps()
	open := func(cfg *config.Config) zerolog.Logger { return openLog(p, cfg) }
	v, err := begin(ctx, p, s.loadBeside, open, hangUps)
	if err != nil {
		return err
	}
	defer v.forget()
	var end time.Time // of the drain
	select {
	case err = <-v.site.failed:
		v.server.Drain()
	case <-ctx.Done():
		v.server.Drain()
		cfg, _ := v.live.current()
		end = time.Now().Add(cfg.Drain)
		v.log.Info().Stringer("delay", cfg.DrainDelay).Stringer("timeout", cfg.Drain).
			Str("msg", "draining: connections are taken until the delay is over, and open exchanges may finish until the timeout").Send()
		err = v.site.linger(second, cfg.DrainDelay)
	}
	cfg, _ := v.live.current()
	drained := v.site.close(second, cfg.Drain-cfg.DrainDelay)
	v.flush(second, time.Until(end))
	if err == nil {
		err = drained
	}
	if err != nil {
		v.log.Error().Str("error", cut(err.Error())).Str("msg", "the server ends with an error").Send()
		return &loggedError{err}
	}
	v.log.Info().Str("msg", "drained").Send()
	return nil
}

// service is a proxy that serves.
type service struct {
	server *proxy.Server // that it began with
	live   *live
	site   *site
	log    zerolog.Logger
	flush  func(ctx context.Context, left time.Duration) // of the telemetry, when no exchange is open
	forget func()                                        // ends the watch over the configuration
}

// begin serves the configuration that load returns, and follows its changes. What goes wrong is an
// error as long as nobody is served, and is in the log from then on.
func begin(ctx context.Context, p process, load loading, openLog func(*config.Config) zerolog.Logger, hangUps <-chan os.Signal) (*service, error) {
	memory := limitMemory(memlimit.FromCgroup, p.getenv)
	bounded := func(running *config.Config) (*config.Config, error) { return loadFor(p, load, memory, running) }
	cfg, err := bounded(nil)
	if err != nil {
		return nil, err
	}
	log := openLog(cfg)
	counts := metrics.New(build().Version)
	inspecting := newInspecting(cfg)
	reloader := newReloader(bounded, cfg, counts, log)
	reloader.inspecting = inspecting
	tel := newTelemetry(cfg, log)
	reloader.telemetry = tel
	server, upstreams, err := newServer(ctx, cfg, counts, tel, log, inspecting.options)
	if err != nil {
		return nil, err
	}
	live := newLive(cfg, server, upstreams)
	flush, err := startTelemetry(tel, live)
	if err != nil {
		return nil, err
	}
	site, err := open(ctx, live, log)
	if err != nil {
		return nil, err
	}
	announce(p, cfg, site, log)
	inspecting.begin(p, site, log)
	log.Info().Int64("memory_limit", memory).Int64("max_inflight_bytes", cfg.MaxInflightBytes).Int64("max_concurrent", cfg.MaxConcurrent).
		Str("msg", "limits: what is beyond them is refused at once, and 0 is none").Send()
	site.serve()
	return &service{server, live, site, log, flush, reloader.start(ctx, site, hangUps)}, nil
}

// announce logs where the server is, and the line to paste into a shell so that clients use
// it. It repeats that on standard output if it is a terminal, where the log may scroll away, and
// logs the warnings of the configuration.
func announce(p process, cfg *config.Config, s *site, log zerolog.Logger) {
	interfaces, _ := net.InterfaceAddrs() // without them, the URL is for this machine
	self := ownAddress(interfaces)
	url := s.url(self)
	if s.identity != nil {
		url = s.url(s.identity.nameFor(self))
	}
	export := "export ANTHROPIC_BASE_URL=" + url
	of, comment := "", ""
	if cfg.Simulates() {
		of, comment = " (simulated: a built-in program answers, not a model)", " # simulated"
	}
	log.Info().
		Str("version", build().Version).
		Str("url", url).
		Str("admin_url", s.adminURL(self)).
		Str("config", cfg.Hash()).
		Bool("simulated", cfg.Simulates()).
		Str("msg", fmt.Sprintf("serving %s%s, for clients: %s%s", url, of, export, comment)).
		Send()
	if tel := cfg.Telemetry; tel != nil {
		log.Info().Bool("traces", tel.Traces).Bool("metrics", tel.Metrics).Bool("content", tel.Content).Str("msg", "telemetry is exported").Send()
	}
	for _, w := range cfg.Warnings {
		log.Warn().Str("msg", w.String()).Send()
	}
	if isTerminal(p.stdout) {
		fmt.Fprintf(p.stdout, "\nDragoman is at %s%s. For the clients:\n\n    %s\n\n", url, of, export)
	}
}
