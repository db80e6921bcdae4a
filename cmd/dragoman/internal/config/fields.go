// Package config reads the configuration of `dragoman serve`: the file or, without a file, the environment, and the flags
// that override both.
//
//	keys, keys_…              the result, a [Config]. A field with the tag yaml is a key of the file. Its other tags
//	                          have the default, the bounds and more; its comment is the documentation of the key
//	tags, value               the meaning of the tags
//	load                      [Load]: the steps in order, and the origins of values
//	read                      the file; read_expand: variables in values; read_syntax: broken YAML
//	print, changes, schema    a configuration as a file, compared with another one, and its JSON Schema
//	paste                     a configuration as a short file with more keys, and the flags that choose it
//	rules_…                   rules for several values together
//	source_…                  an upstream from flags or from the environment; telemetry
//	problem                   everything that is wrong: [Problems]
//
// All problems are reported at once, each with its line, so that a user can fix the file in one go.
package config

import (
	"fmt"
	"slices"

	"dragoman/proxy"
	"dragoman/proxy/telemetry"
)

// DefaultAdminListen is the default address of the admin listener.
const DefaultAdminListen = "127.0.0.1:8485"

// Config is a checked configuration. Its tagged fields are the keys of the file.
type Config struct {
	// The address for clients, as host:port. Port 0 takes a free port. If other machines can reach the address, set
	// `auth.keys` or `tls.client_ca`, or start with `--insecure`. A change needs a restart.
	Listen string `yaml:"listen" default:"127.0.0.1:8484" pattern:":[0-9]{1,5}$" example:"0.0.0.0:8484" see:"reference/routes.md#without-keys"`

	// The address for operators, as host:port: health, metrics and the inspector. A change needs a restart.
	AdminListen string `yaml:"admin_listen" default:"127.0.0.1:8485" pattern:":[0-9]{1,5}$" example:"127.0.0.1:9090" see:"reference/admin.md#health"`

	// The files for TLS on `listen`. Turning TLS on or off needs a restart. New files do not.
	TLS TLS `yaml:"tls" example:"{cert: /etc/dragoman/tls.crt, key: /etc/dragoman/tls.key}" see:"how-to/deployment.md#tls"`

	// How clients log in.
	Auth Auth `yaml:"auth" example:"{keys: [\"${DRAGOMAN_KEY}\"]}" see:"reference/configuration.md#keys"`

	// The host names by which clients may reach a listener without keys. `*.name` matches all names below it. The port
	// does not matter.
	Hosts []string `yaml:"hosts" is:"host" pattern:"^(\\*\\.)?[A-Za-z0-9._:\\[\\]-]+$" example:"[dragoman.example.com, \"*.example.com\"]" see:"reference/routes.md#without-keys"`

	// The web pages that may call the API from a browser.
	CORS `yaml:"cors" example:"{origins: [\"https://app.example.com\"]}" see:"reference/routes.md#browsers"`

	// What Dragoman does with a field that the model cannot follow. `lenient`: it leaves the field out, and
	// `x-dragoman-dropped` names it. `strict`: it answers 400, except for hints, and 502 if the model does not make a
	// forced call.
	Compat string `yaml:"compat" default:"lenient" words:"lenient strict" example:"strict" see:"reference/routes.md#hints-and-what-else-changes-no-answer"`

	// The places where models run. Choose the names: letters, digits, `.`, `_` and `-`.
	Upstreams []Upstream `yaml:"upstreams" named:"true" example:"{sim: {kind: simulated}}" see:"reference/upstreams.md#kinds"`

	// The models that clients can ask for. The first entry whose name matches wins.
	Routes []Route `yaml:"models" example:"[{name: \"*\", upstream: sim}]" see:"reference/configuration.md#models"`

	// Limits of a request and of the process.
	Limits `yaml:"limits" example:"{attempts: 3}" see:"reference/limits.md"`

	// Time limits of a request and of the drain.
	Timeouts `yaml:"timeouts" example:"{idle: 2m}" see:"explanation/lifecycle.md#time-and-memory"`

	// The inspector: on or off, and how much it keeps. `inspector: true` turns it on. A change needs a restart.
	Inspector Inspector `yaml:"inspector" example:"{enabled: true, exchanges: 5000}" see:"how-to/inspector.md"`

	// What Dragoman does when a client leaves. `cancel`: it cancels the call of the upstream. `drain`: it reads the
	// answer to its end, so that its tokens are counted.
	OnDisconnect string `yaml:"on_disconnect" default:"cancel" words:"cancel drain" example:"drain" see:"explanation/lifecycle.md#abandoned-requests"`

	// The form and the level of the log.
	Log `yaml:"log" example:"{level: warn}" see:"reference/log.md"`

	File   string        // the path of the file; "" if there is none
	Keys   []proxy.Key   // the keys of Auth; none: no authentication
	Models []proxy.Route // those of Routes

	Loopback, AdminLoopback bool // only this machine can reach the client listener, or the admin listener

	// Telemetry is what the OpenTelemetry variables ask for; nil for nothing.
	Telemetry *telemetry.Config

	// Files are the files in values of the form file:/path. File is not among them.
	Files []string

	// SecretVariables are the environment variables that the file's secrets use, as ${VAR}.
	SecretVariables []string

	// Waits are the keys that need a restart: they keep the values of [Source.Running], although the file or a flag
	// says something else.
	Waits []string

	// Warnings are probable mistakes that do not prevent serving.
	Warnings []Problem

	origins map[string]origin // of values other than defaults, by key
}

// complete sets Keys and Models from the keys of the file.
func (c *Config) complete() {
	kinds := map[string]string{}
	for _, u := range c.Upstreams {
		kinds[u.Name] = u.Kind
	}
	for _, k := range c.Auth.Keys {
		c.Keys = append(c.Keys, k.proxy())
	}
	for _, r := range c.Routes {
		c.Models = append(c.Models, r.proxy(kinds))
	}
}

// Strict reports whether requests are rejected for what the model cannot do.
func (c *Config) Strict() bool { return c.Compat == "strict" }

// Simulates reports whether an upstream is the simulated one. Nobody may take its answers for a model's, so whoever
// serves them must say so.
func (c *Config) Simulates() bool {
	return slices.ContainsFunc(c.Upstreams, func(u Upstream) bool { return u.Kind == Simulated })
}

// Model returns the first route that matches a name, and false if none does.
func (c *Config) Model(name string) (proxy.Route, bool) {
	i := slices.IndexFunc(c.Models, func(r proxy.Route) bool { return r.Matches(name) })
	if i < 0 {
		return proxy.Route{}, false
	}
	return c.Models[i].For(name), true
}

// Derive records where a number comes from that the file leaves to the machine.
func (c *Config) Derive(key, from string) {
	if c.origins == nil {
		c.origins = map[string]origin{}
	}
	c.origins[key] = origin{where: from, local: true}
}

// AddKey adds a client key that differs on each machine. from is its origin.
func (c *Config) AddKey(secret, from string) {
	k := Key{Sum: keySum(fmt.Sprintf("%x", proxy.NewKey(secret).Sum))}
	c.Derive(element("auth.keys", len(c.Auth.Keys))+".sha256", from)
	c.Auth.Keys, c.Keys = append(c.Auth.Keys, k), append(c.Keys, k.proxy())
}
