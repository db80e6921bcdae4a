package serve

import (
	"context"
	"fmt"
	"os"

	"github.com/KimMachineGun/automemlimit/memlimit"
	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/proxy/inspector"
	"dragoman/proxy/telemetry"
)

// Options are what a server is made of.
type Options struct {
	// Load reads the configuration. running is the current configuration, whose settings stay if they need a restart;
	// nil at the start. The error is config.Problems.
	Load    func(running *config.Config) (*config.Config, error)
	Log     func(*config.Config) zerolog.Logger // opens the log
	Getenv  func(string) string
	Version string           // of the program
	HangUps <-chan os.Signal // each value reloads the configuration; may be nil
	Observe []proxy.Observe  // observers of exchanges, besides telemetry and inspector
}

// Server answers clients and operators with the current generation.
type Server struct {
	process
	generations
	listeners
	load    func(running *config.Config) (*config.Config, error)
	unwatch func() // ends the watcher, and waits for its end
}

// Start serves the loaded configuration, and follows its changes until the drain. Until clients are served, problems
// are returned as errors; afterwards they are logged.
func Start(ctx context.Context, o Options) (*Server, error) {
	memory := LimitMemory(memlimit.FromCgroup, o.Getenv)
	s := &Server{load: func(running *config.Config) (*config.Config, error) {
		cfg, err := o.Load(running)
		if err == nil {
			Bound(cfg, memory)
		}
		return cfg, err
	}}
	cfg, err := s.load(nil)
	if err != nil {
		return nil, err
	}
	s.process = process{metrics: metrics.New(o.Version), observe: o.Observe, log: o.Log(cfg)}
	watcher := newWatcher(s, cfg)
	if keep := cfg.Inspector; keep.Enabled {
		s.inspector = inspector.New(inspector.Limits{Exchanges: int(keep.Exchanges), Bytes: int64(keep.Bytes)})
	}
	if cfg.Telemetry != nil {
		s.telemetry = telemetry.New(cfg.Telemetry, o.Version, s.log)
	}
	first, err := s.generation(ctx, cfg, nil)
	if err != nil {
		return nil, err
	}
	s.swap(first)
	if err := s.startTelemetry(); err != nil {
		return nil, err
	}
	if err := s.listen(ctx); err != nil {
		return nil, err
	}
	s.announce(cfg, o.Version)
	s.announceInspector()
	s.log.Debug().Int64("memory_limit", memory).Int64("max_inflight_bytes", cfg.MaxInflightBytes).Int64("max_concurrent", cfg.MaxConcurrent).
		Str("msg", "limits: Dragoman rejects at once what exceeds them; 0 means no limit").Send()
	s.answer()
	s.unwatch = watcher.start(ctx, o.HangUps)
	return s, nil
}

// Config returns the current configuration.
func (s *Server) Config() *config.Config { return s.current().cfg }

// Log returns the log of the server.
func (s *Server) Log() zerolog.Logger { return s.log }

// OnlyModel returns the model that answers every name; "" if the name matters.
func (s *Server) OnlyModel() string { return s.current().server.OnlyModel(s.current().server.Base()) }

// Simulation returns a note that a program answers in place of models; "" if models answer. It follows the server's
// URL.
func (s *Server) Simulation() string {
	if s.Config().Simulates() {
		return " (simulated: a built-in program answers, not a model)"
	}
	return ""
}

// ClientExport returns the line to paste into a shell so that clients use the server.
func (s *Server) ClientExport() string { return "export ANTHROPIC_BASE_URL=" + s.URL() }

// announce logs the server's addresses, and the warnings of the configuration.
func (s *Server) announce(cfg *config.Config, version string) {
	comment := ""
	if cfg.Simulates() {
		comment = " # simulated"
	}
	s.log.Info().
		Str("version", version).
		Str("url", s.URL()).
		Str("admin_url", s.adminURL(thisMachine())).
		Str("config", cfg.Hash()).
		Bool("simulated", cfg.Simulates()).
		Str("msg", fmt.Sprintf("serving %s%s, for clients: %s%s", s.URL(), s.Simulation(), s.ClientExport(), comment)).
		Send()
	if tel := cfg.Telemetry; tel != nil {
		s.log.Info().Bool("traces", tel.Traces).Bool("metrics", tel.Metrics).Bool("content", tel.Content).Str("msg", "telemetry is exported").Send()
	}
	for _, w := range cfg.Warnings {
		s.log.Warn().Str("event", "configuration_warning").Str("msg", w.String()).Send()
	}
}
