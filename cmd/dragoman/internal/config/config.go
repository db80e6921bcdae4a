// Package config reads what `dragoman serve` runs with: the configuration file, or the
// environment where there is none, and the flags that override it.
//
//	load                            [Load], which does the steps below in this order
//	setting, schema                 one value: how it is read, what may stand there, what is shown
//	file                            the tables of all keys; models, keys, listener, log: parts of them
//	reader, expand, syntax          values, variables in them, broken YAML
//	environment, google             the upstream that the environment names
//	server                          the one that --base-url names
//	check, values                   what has to hold of values, alone and together
//	print, changes                  a configuration as a file, and beside another one
//	config, problem                 what comes out: a [Config], or all [Problems]
//
// All problems are gathered and reported at once, each with its line, so that a file is
// mended in one go.
package config

import (
	"cmp"
	"crypto/x509"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"dragoman/proxy"
	"dragoman/proxy/telemetry"
	"dragoman/translate"
)

// The kinds of upstream that this version serves.
const (
	Simulated = "simulated"
	Bedrock   = "bedrock"
	Anthropic = "anthropic"
	OpenAI    = "openai"
	Vertex    = "vertex"
)

// The addresses to listen on if nothing else is said.
const (
	DefaultListen      = "127.0.0.1:8484"
	DefaultAdminListen = "127.0.0.1:8485"
)

// Config is a configuration that has been checked. A duration in Timeouts that is zero
// stands for the proxy's default.
type Config struct {
	File        string // it was read from; "" for none
	Listen      string
	AdminListen string
	Keys        []proxy.Key // that clients may present; none: no authentication
	Strict      bool
	Upstreams   []Upstream    // in the order of the file
	Models      []proxy.Route // first match wins
	BodyBytes   int64         // 0: the proxy's default
	Attempts    int64         // likewise
	// MaxConnections is how many connections clients may have at once; 0: as many as the
	// descriptors of the process allow.
	MaxConnections int64
	// MaxConnectionAge is how old a connection of a client may be; 0: as old as it gets.
	MaxConnectionAge time.Duration
	Timeouts         proxy.Timeouts
	Connect          time.Duration // to an upstream; 0: the upstream's default
	Drain            time.Duration // from SIGTERM until the end; open exchanges are cut shortly before
	DrainDelay       time.Duration // from SIGTERM until no connections are taken

	// Inspector: keep what clients and models write, and show it at /inspector/ to who has the token.
	Inspector bool

	// FinishAbandoned: read an upstream's answer to its end when the client has left.
	FinishAbandoned bool

	MaxConcurrent    int64 // exchanges at once; 0: no limit
	MaxInflightBytes int64 // of all bodies together; 0: by the memory of the process

	TLS                     TLS      // of the listener of clients
	Loopback, AdminLoopback bool     // this machine alone can reach the listener of clients, or that of operators
	Hosts                   []string // names of the server, for listeners without keys
	Origins                 []string // of pages that may call the API

	LogFormat, LogLevel string // of LogFormats and LogLevels

	// Telemetry is what the variables of OpenTelemetry ask for; nil for nothing.
	Telemetry *telemetry.Config

	// Files are those that values name as file:/path, beside File.
	Files []string

	// SecretVariables are the environment variables that secrets of the file are made of, by ${VAR}.
	SecretVariables []string

	// Waits are the keys whose values take a restart, and stay as they are in [Source.Running]
	// although the file, or what it is in the place of, says something else.
	Waits []string

	origins map[string]origin // of values that are not defaults, by their keys

	// Warnings are about what can be served, but is probably a mistake.
	Warnings []Problem
}

// Upstream is a way to reach models, as the configuration describes it. The kind in a
// field's comment is the one that has it.
type Upstream struct {
	Name     string
	Kind     string
	Region   string // Bedrock
	Profile  string // Bedrock: of the AWS configuration; "" for the default chain
	Endpoint string // Bedrock, Vertex: a URL in place of the service's own; "" for none
	Project  string // Vertex
	Location string // Vertex: a region, global, or a multi-region
	// Credentials is the path of a credentials file of Google for Vertex; "" for the
	// metadata server.
	Credentials string
	BaseURL     string // Anthropic, OpenAI
	APIKey      string // Anthropic, OpenAI; "" for none
	// Unlisted says that the upstream is not asked which models it has.
	Unlisted bool
	// Roots has the authorities that the upstream's certificate may come from; nil for the
	// system's. The simulated upstream has none.
	Roots *x509.CertPool
	CA    string // path of the file that they are from; "" for none
}

// Source is where a configuration comes from. Flags and their environment variables go
// before the file, and the file before the defaults.
type Source struct {
	File        string              // path of the configuration file; "" for none
	Listen      Override            // --listen
	AdminListen Override            // --admin-listen
	LogFormat   Override            // --log-format, one of LogFormats
	LogLevel    Override            // --log-level, one of LogLevels
	Simulated   bool                // the simulated upstream for every model name
	BaseURL     Override            // --base-url: every model of that OpenAI-compatible server; no file is read then
	APIKeyFile  Override            // --api-key-file: the path of a file with the key for that server
	Running     *Config             // that is in effect, and to be replaced; nil for none: see [Config.Waits]
	Insecure    bool                // no authentication on an address that others can reach
	Inspect     Override            // --inspect, as "true": the inspector, whatever the file says
	Idle        bool                // nobody is served: what only a listener needs may be missing
	Wraps       bool                // `dragoman run`: a command has the same environment, and what its variables of OpenTelemetry say is perhaps right for it alone
	Getenv      func(string) string // as os.Getenv
}

// Override is a value that takes precedence over the file's.
type Override struct {
	Value string // "" for none
	From  string // where it was given: "--listen" or "DRAGOMAN_LISTEN"
}

// only makes u the upstream for every name that a client may ask for. from is what says so.
func (l *loader) only(u Upstream, from string) {
	maps.DeleteFunc(l.origins, func(key string, _ origin) bool {
		return strings.HasPrefix(key, "upstreams.") || strings.HasPrefix(key, "models[")
	})
	for _, key := range []string{"upstreams." + u.Name + ".kind", "models[0].name", "models[0].upstream"} {
		l.derive(key, from)
	}
	l.cfg.Upstreams = []Upstream{u}
	l.cfg.Models = []proxy.Route{{Name: "*", UpstreamModel: proxy.UpstreamModel{Upstream: u.Name, Format: translate.FormatAuto}}}
}

// Simulates reports whether an upstream is the simulated one. Its answers must not be taken
// for those of a model, so whoever serves them says so.
func (c *Config) Simulates() bool {
	return slices.ContainsFunc(c.Upstreams, func(u Upstream) bool { return u.Kind == Simulated })
}

// Derive says what on this machine a number comes from, where the file leaves it to that.
func (c *Config) Derive(key, from string) {
	if c.origins == nil {
		c.origins = map[string]origin{}
	}
	c.origins[key] = origin{where: from, local: true}
}

// Model returns the first route that matches a name that a client asks for. It is false if
// none does.
func (c *Config) Model(name string) (proxy.Route, bool) {
	i := slices.IndexFunc(c.Models, func(r proxy.Route) bool { return r.Matches(name) })
	if i < 0 {
		return proxy.Route{}, false
	}
	return c.Models[i].For(name), true
}

// loader builds a Config. It remembers where each value came from, so that a problem names
// its place.
type loader struct {
	src       Source
	cfg       *Config
	keyPlaces []string // of cfg.Keys: "auth.keys[0]"
	yamlReader
}

// derive says where a value comes from that is not the file's.
func (l *loader) derive(key, from string) { l.origins[key] = origin{where: from} }

// complain adds a problem that is at no line of the file: where names a flag, a variable or
// the file itself. Problems with a line are added with report.
func (l *loader) complain(where, key, cause, fix string) {
	l.problems = append(l.problems, Problem{Where: where, Key: key, Cause: cause, Fix: fix})
}

// warn adds a warning at a line of the file, or at the flag that the value is from.
func (l *loader) warn(line int, key, cause, fix string) {
	where := fmt.Sprintf("%s:%d", l.file, line)
	if l.file == "" { // a flag says it
		where, key = l.origins[key].where, ""
	}
	l.cfg.Warnings = append(l.cfg.Warnings, Problem{Where: where, Key: key, Cause: cause, Fix: fix, line: line})
}

// Place returns, for people to read, where the upstream's models are.
func (u Upstream) Place() string {
	switch u.Kind {
	case Bedrock:
		return cmp.Or(u.Endpoint, u.Region)
	case Vertex:
		return cmp.Or(u.Endpoint, u.Location)
	case Anthropic, OpenAI:
		return u.BaseURL
	default:
		return "(built in; not a model)"
	}
}
