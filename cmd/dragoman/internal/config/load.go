package config

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"dragoman/translate"
)

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

// Load reads and checks a configuration. Without any upstream in the file, the environment
// has to say which one to use. The error is [Problems], and names all that is wrong.
func Load(src Source) (*Config, error) {
	l := &loader{
		src:     src,
		running: cmp.Or(src.Running, new(Config)),
		cfg:     &Config{File: src.File},
		reader:  reader{file: src.File, getenv: src.Getenv, lines: map[string]int{}, origins: map[string]origin{}},
	}
	if src.File != "" {
		l.readFile(l.cfg)
		l.checkKeys()
		l.checkAuthorities()
		l.completeModels()
	}
	fill(keysOf(l.cfg))
	switch {
	case src.BaseURL.Value != "":
		l.fromServer()
	case src.Simulated: // whatever the file declares
		l.only(Upstream{Name: Simulated, Kind: Simulated}, "--simulated")
	// A file with problems may have been meant to declare an upstream.
	case len(l.problems) == 0 && len(l.cfg.Upstreams) == 0 && len(l.cfg.Routes) == 0:
		l.fromEnvironment()
	}
	l.checkUpstreams()
	l.checkModels()
	l.checkServer()
	l.telemetry()
	l.cfg.Files, l.cfg.origins, l.cfg.SecretVariables = l.files, l.origins, l.secretVariables
	if len(l.problems) > 0 {
		// Not by slices, of whose sorting the program would have one more copy, for problems alone.
		sort.SliceStable(l.problems, func(i, j int) bool { return l.problems[i].line < l.problems[j].line })
		return nil, Problems(l.problems)
	}
	l.cfg.complete()
	return l.cfg, nil
}

// fill puts the defaults in the place of values that are not there. What an entry of a list does not say stays
// empty, since it may follow from other entries.
func fill(ks []key) {
	for _, k := range ks {
		if value, ok := k.tag.Lookup("default"); ok && k.text() == "" {
			k.set(value)
		}
		fill(k.keys())
	}
}

// loader builds a Config. It remembers where each value came from, so that a problem names
// its place.
type loader struct {
	src     Source
	running *Config // src.Running, or an empty one
	cfg     *Config
	reader
}

// reported reports whether there is a problem with the key at path, or with one below it.
func (l *loader) reported(path string) bool {
	return slices.ContainsFunc(l.problems, func(p Problem) bool {
		rest, found := strings.CutPrefix(p.Key, path)
		return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// only makes u the upstream for every name that a client may ask for. from is what says so.
func (l *loader) only(u Upstream, from string) {
	for key := range l.origins {
		if strings.HasPrefix(key, "upstreams.") || strings.HasPrefix(key, "models[") {
			delete(l.origins, key)
		}
	}
	for _, key := range []string{"upstreams." + u.Name + ".kind", "models[0].name", "models[0].upstream"} {
		l.derive(key, from)
	}
	l.cfg.Upstreams = []Upstream{u}
	l.cfg.Routes = []Route{{Name: "*", UpstreamModel: UpstreamModel{Upstream: u.Name, Format: translate.FormatAuto}}}
}

// derive says where a value comes from that is not the file's.
func (l *loader) derive(key, from string) { l.origins[key] = origin{where: from} }

// override puts the value of a flag in the place of a value.
func (l *loader) override(key string, dst *string, over Override) {
	if over.Value != "" {
		*dst = over.Value
		l.derive(key, over.From)
	}
}

// keep has the value of a key that takes a restart stay as it is in the process, if there is one.
func keep[T comparable](l *loader, key string, dst *T, running T) {
	if l.src.Running != nil && *dst != running {
		*dst = running
		l.wait(key)
	}
}

// wait says that the value of a key takes a restart: the one in effect stays.
func (l *loader) wait(key string) {
	l.cfg.Waits = append(l.cfg.Waits, key)
	l.derive(key, "in effect until a restart")
}

// warn adds a warning at the line of a key, or at the flag that its value is from.
func (l *loader) warn(key, cause, fix string) {
	line := l.lines[key]
	where := fmt.Sprintf("%s:%d", l.file, line)
	if l.file == "" { // a flag says it
		where, key = l.origins[key].where, ""
	}
	l.cfg.Warnings = append(l.cfg.Warnings, Problem{Where: where, Key: key, Cause: cause, Fix: fix, line: line})
}

// reportAt adds a problem at the line of a key.
func (l *loader) reportAt(key, cause, fix string) { l.report(l.lines[key], key, cause, fix) }
