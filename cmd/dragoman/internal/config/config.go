// Package config reads what `dragoman serve` runs with: the configuration file,
// or the environment where there is none, and the flags that override it.
package config

import (
	"cmp"
	"slices"
	"time"

	"dragoman/proxy"
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

// Where a server listens that is not told otherwise.
const (
	DefaultListen      = "127.0.0.1:8484"
	DefaultAdminListen = "127.0.0.1:8485"
)

// Config is a configuration in which nothing is wrong. Durations of Timeouts
// that are zero have the proxy's default.
type Config struct {
	File        string // it was read from; "" for none
	Listen      string
	AdminListen string
	Keys        []string // that clients may present; none: no authentication
	Strict      bool
	Upstreams   []Upstream    // in the order of the file
	Models      []proxy.Route // first match wins
	BodyBytes   int64         // 0: the proxy's default
	Attempts    int64         // likewise
	// MaxConnections is how many connections clients may have at once; 0: as many as the
	// descriptors of the process allow.
	MaxConnections int64
	Timeouts       proxy.Timeouts
	Connect        time.Duration // to an upstream; 0: the upstream's default
	Drain          time.Duration // from SIGTERM until open exchanges are cut

	// Warnings is what serves, but hardly as it was meant.
	Warnings []Problem
}

// Upstream is one way to reach models. Which fields are set follows from Kind.
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
}

// Source is where a configuration comes from, the strongest first: flags and
// their environment variables, the file, the defaults.
type Source struct {
	File        string   // path of the configuration file; "" for none
	Listen      Override // --listen
	AdminListen Override // --admin-listen
	Simulated   bool     // the simulated upstream for every model name
	Insecure    bool     // no authentication on an address that others can reach
	Getenv      func(string) string
}

// Override is a value that takes precedence over the file's.
type Override struct {
	Value string // "" for none
	From  string // where it was given: "--listen" or "DRAGOMAN_LISTEN"
}

// only makes u the upstream of every model name.
func (l *loader) only(u Upstream) {
	l.cfg.Upstreams = []Upstream{u}
	l.cfg.Models = []proxy.Route{{Name: "*", UpstreamModel: proxy.UpstreamModel{Upstream: u.Name, Format: translate.FormatLegacy}}}
}

// Simulates reports whether any upstream is the simulated one, whose answers
// must not be taken for a model's.
func (c *Config) Simulates() bool {
	return slices.ContainsFunc(c.Upstreams, func(u Upstream) bool { return u.Kind == Simulated })
}

// Model returns the first route that matches a name that a client asks for.
func (c *Config) Model(name string) (proxy.Route, bool) {
	i := slices.IndexFunc(c.Models, func(r proxy.Route) bool { return r.Matches(name) })
	if i < 0 {
		return proxy.Route{}, false
	}
	return c.Models[i].For(name), true
}

// loader builds a Config and keeps what the checks need to name the place of
// a problem.
type loader struct {
	src Source
	cfg *Config
	reader
}

// complain adds a problem that has no line.
func (l *loader) complain(where, key, cause, fix string) {
	l.problems = append(l.problems, Problem{Where: where, Key: key, Cause: cause, Fix: fix})
}

// Place is where the upstream's models are, for people.
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
