package main

import (
	"context"
	"fmt"
	"io"
	"os"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
)

// serveCommand is `dragoman serve`.
func serveCommand() command {
	return command{
		name:     "serve",
		synopsis: "[--config FILE] [--listen ADDRESS] [--admin-listen ADDRESS] [--simulated]",
		brief:    "serve until SIGTERM or SIGINT, then drain",
		about: `
Serves the Messages API. The first line of the log, on standard error, names the URL and what to
paste for a client. On SIGTERM or SIGINT /readyz answers 503, new connections are taken only for
timeouts.drain_delay, and open exchanges have timeouts.drain to finish, less two seconds in which
they are ended with an error; a second signal does that at once, a third ends the process. On
SIGHUP, or when it changes, the configuration is read again, and the keys of its clients serve from
then on.

  dragoman serve --simulated
  AWS_REGION=us-east-1 dragoman serve
  dragoman serve --config dragoman.yaml --listen 127.0.0.1:9000`,
		setup: func(fs *flagSet) action {
			s := newSettings(fs).withServing()
			return func(ctx context.Context, p process, _ []string) error { return serve(ctx, p, s) }
		},
	}
}

// serve answers clients until ctx ends, which the first signal does, and then drains: new
// connections are taken for timeouts.drain_delay, and open exchanges have timeouts.drain to
// finish, or until the second signal. It returns nil after a drain in which all of them did. An
// error of a server that has served is logged, and is a *loggedError.
func serve(ctx context.Context, p process, s *settings) error {
	second, stop := secondSignal()
	defer stop()
	hangUps := hangUps()
	collectRarely(p.getenv)
	memory := limitMemory(hostRoot(), p.getenv)
	load := func() (*config.Config, error) { return s.loadFor(p, memory) }
	cfg, err := load()
	if err != nil {
		return err
	}
	log := newLog(p.stderr)
	counts := metrics.New(build().Version)
	reloader := newReloader(load, cfg, counts, log)
	inspecting := newInspecting(cfg)
	server, _, err := newServer(ctx, cfg, counts, log, inspecting.options)
	if err != nil {
		return err
	}
	site, err := open(ctx, cfg, server, log)
	if err != nil {
		return err
	}
	announce(p, cfg, site, log)
	inspecting.begin(p, cfg, server, site, log)
	log.Info().Int64("memory_limit", memory).Int64("max_inflight_bytes", cfg.MaxInflightBytes).Int64("max_concurrent", cfg.MaxConcurrent).
		Str("msg", "limits: what is beyond them is refused at once, and 0 is none").Send()
	site.serve()
	defer reloader.start(ctx, server, hangUps)()
	select {
	case err = <-site.failed:
		server.Drain()
	case <-ctx.Done():
		server.Drain()
		log.Info().Stringer("delay", cfg.DrainDelay).Stringer("timeout", cfg.Drain).
			Str("msg", "draining: connections are taken until the delay is over, and open exchanges may finish until the timeout").Send()
		err = site.linger(second, cfg.DrainDelay)
	}
	drained := site.close(second, cfg.Drain-cfg.DrainDelay)
	if err == nil {
		err = drained
	}
	if err != nil {
		log.Error().Str("error", cut(err.Error())).Str("msg", "the server ends with an error").Send()
		return &loggedError{err}
	}
	log.Info().Str("msg", "drained").Send()
	return nil
}

// announce logs where the server is, and the line to paste into a shell so that clients use
// it. It repeats that on standard output if it is a terminal, where the log may scroll away, and
// logs the warnings of the configuration.
func announce(p process, cfg *config.Config, s *site, log zerolog.Logger) {
	export := "export ANTHROPIC_BASE_URL=" + s.url()
	of, comment := "", ""
	if cfg.Simulates() {
		of, comment = " (simulated: a built-in program answers, not a model)", " # simulated"
	}
	log.Info().
		Str("version", build().Version).
		Str("url", s.url()).
		Str("admin_url", s.adminURL()).
		Bool("simulated", cfg.Simulates()).
		Str("msg", fmt.Sprintf("serving %s%s, for clients: %s%s", s.url(), of, export, comment)).
		Send()
	for _, w := range cfg.Warnings {
		log.Warn().Str("msg", w.String()).Send()
	}
	if isTerminal(p.stdout) {
		fmt.Fprintf(p.stdout, "\nDragoman is at %s%s. For the clients:\n\n    %s\n\n", s.url(), of, export)
	}
}

// isTerminal reports whether w is a terminal, so that a person may be reading.
func isTerminal(w io.Writer) bool {
	f, ok := w.(*os.File)
	if !ok {
		return false
	}
	info, err := f.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
