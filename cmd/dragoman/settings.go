package main

import (
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"dragoman/cmd/dragoman/internal/config"
)

// settings are the flags that choose a configuration and override it. A command declares the flags that it needs:
// newSettings, and the methods with… below.
type settings struct {
	command             *cobra.Command
	flags               *pflag.FlagSet // of the command
	file                string         // --config
	listen, adminListen string
	logFormat, logLevel string
	simulated, insecure bool
	baseURL, keyFile    string // --base-url, --api-key-file
	model               string // --model of serve, run and check: the model of that server that every name means
	inspect             bool   // --inspect
	idle                bool   // nobody is served
	wraps               bool   // the command runs another one in the same environment
}

// newSettings declares the flags of every command with a configuration.
func newSettings(c *cobra.Command) *settings {
	s := &settings{command: c, flags: c.Flags()}
	s.flags.StringVar(&s.file, "config", "", "read the configuration from `FILE` (YAML)")
	return s
}

// withServing declares the flags for where to listen and what to serve.
func (s *settings) withServing() *settings {
	s.withAdmin()
	s.flags.StringVar(&s.listen, "listen", "", "listen for clients on `ADDRESS`, host:port; port 0 takes a free one; the default without a file is 127.0.0.1:8484")
	s.withSimulated().withServer()
	s.flags.StringVar(&s.model, "model", "", "answer every model name that clients ask for with the model `NAME` of the server of --base-url; not needed for a server with one model")
	s.flags.BoolVar(&s.insecure, "insecure", false, "serve without authentication on an address that other machines can reach")
	s.flags.BoolVar(&s.inspect, "inspect", false, "keep what clients and models write, and show it at /inspector/ of the admin listener; prints the URL, with a token")
	oneOf(s.command, &s.logFormat, "log-format", "", config.LogFormats(), "write the log in the form `FORMAT`; auto, the default, is console on a terminal and json elsewhere")
	oneOf(s.command, &s.logLevel, "log-level", "", config.LogLevels(), "log nothing below `LEVEL`; the default is info")
	return s
}

// withSimulated declares the flag that serves only the simulated model.
func (s *settings) withSimulated() *settings {
	s.flags.BoolVar(&s.simulated, "simulated", false, "answer every model name from the built-in simulated model, in place of the upstreams and models of --config")
	return s
}

// withServer declares the flags for a server without a file.
func (s *settings) withServer() *settings {
	s.flags.StringVar(&s.baseURL, "base-url", "", "serve every model of the server with chat completions at `URL`, such as http://127.0.0.1:8080/v1, and read no file")
	s.flags.StringVar(&s.keyFile, "api-key-file", "", "send that server the key in `FILE`")
	return s
}

// withAdmin declares the flag for the admin listener's address.
func (s *settings) withAdmin() *settings {
	s.flags.StringVar(&s.adminListen, "admin-listen", "", "listen for /healthz, /readyz and /metrics on `ADDRESS`; the default without a file is 127.0.0.1:8485")
	return s
}

// notListening is for commands that do not serve. Their configuration may lack the files of tls, and the keys that a
// reachable address needs.
func (s *settings) notListening() *settings {
	s.idle = true
	return s
}

// load reads and checks the configuration. The error is config.Problems, with everything that is wrong, or a usage
// error.
func (s *settings) load(p process) (*config.Config, error) { return s.loadBeside(p, nil) }

// loading returns loadBeside for a process.
func (s *settings) loading(p process) func(running *config.Config) (*config.Config, error) {
	return func(running *config.Config) (*config.Config, error) { return s.loadBeside(p, running) }
}

// loadBeside is load for a process with a current configuration: settings that need a restart keep their current
// values.
func (s *settings) loadBeside(p process, running *config.Config) (*config.Config, error) {
	if err := s.chooseSource(); err != nil {
		return nil, err
	}
	inspect := config.Override{From: from(s.flags, "inspect")}
	if s.inspect {
		inspect.Value = "true"
	}
	return config.Load(config.Source{
		File:        s.file,
		Listen:      config.Override{Value: s.listen, From: from(s.flags, "listen")},
		AdminListen: config.Override{Value: s.adminListen, From: from(s.flags, "admin-listen")},
		LogFormat:   config.Override{Value: s.logFormat, From: from(s.flags, "log-format")},
		LogLevel:    config.Override{Value: s.logLevel, From: from(s.flags, "log-level")},
		Simulated:   s.simulated,
		BaseURL:     config.Override{Value: s.baseURL, From: from(s.flags, "base-url")},
		Model:       config.Override{Value: s.model, From: from(s.flags, "model")},
		APIKeyFile:  config.Override{Value: s.keyFile, From: from(s.flags, "api-key-file")},
		Insecure:    s.insecure,
		Inspect:     inspect,
		Idle:        s.idle,
		Wraps:       s.wraps,
		Getenv:      p.getenv,
		Running:     running,
	})
}

// chooseSource chooses between --base-url, and --config or --simulated, which decide where the models are, too. The
// command line wins over the environment. If neither wins, it returns a usage error. --simulated with --config is none:
// it takes the place of the upstreams and models in the file.
func (s *settings) chooseSource() error {
	others := []struct {
		name  string
		given bool
		leave func()
	}{
		{"config", s.file != "", func() { s.file = "" }},
		{"simulated", s.simulated, func() { s.simulated = false }},
	}
	for _, other := range others {
		switch base, from := from(s.flags, "base-url"), from(s.flags, other.name); {
		case s.baseURL == "" || !other.given:
		case onCommandLine(base) == onCommandLine(from):
			return usagef("%s and %s both say where the models are; leave one of them out", base, from)
		case onCommandLine(base):
			other.leave()
		default:
			s.baseURL = ""
		}
	}
	switch {
	case s.baseURL != "":
		return nil
	case s.keyFile != "" && onCommandLine(from(s.flags, "api-key-file")):
		return usagef("--api-key-file needs --base-url: the key is for that server")
	case s.model != "" && onCommandLine(from(s.flags, "model")):
		return usagef("--model needs --base-url: it names a model of that server")
	}
	s.keyFile, s.model = "", ""
	return nil
}

// onCommandLine reports whether a flag was set on the command line rather than in the environment.
func onCommandLine(from string) bool { return strings.HasPrefix(from, "--") }
