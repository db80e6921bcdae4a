package config

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
	"strings"

	"dragoman/proxy"
	"dragoman/translate"
)

// Source is where a configuration comes from. Flags and their environment variables win over the file, and the file
// wins over the defaults.
type Source struct {
	File        string   // path of the configuration file; "": none
	Listen      Override // --listen
	AdminListen Override // --admin-listen
	LogFormat   Override // --log-format, one of LogFormats
	LogLevel    Override // --log-level, one of LogLevels
	Simulated   bool     // use the simulated upstream for every model name
	BaseURL     Override // --base-url: serve every model of this OpenAI-compatible server, and read no file
	Model       Override // --model: the model of this server that every name means
	APIKeyFile  Override // --api-key-file: the path of a file with that server's key
	Running     *Config  // the current configuration, to be replaced; nil for none: see [Config.Waits]
	Insecure    bool     // allow an address that others can reach without authentication
	Inspect     Override // --inspect, as "true": turn the inspector on, whatever the file says
	Idle        bool     // the command does not listen: what only a listener needs may be missing
	// `dragoman run`: a command has the same environment, and the OpenTelemetry variables may be meant for it.
	Wraps  bool
	Getenv func(string) string // as os.Getenv
}

// Override is a value that wins over the file's.
type Override struct {
	Value string // "" for none
	From  string // where it was given: "--listen" or "DRAGOMAN_LISTEN"
}

// Load reads and checks a configuration. If the file has no upstream, the environment must name one. The error is
// [Problems], with everything that is wrong.
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
	case src.Simulated: // whatever the file has
		l.only(Upstream{Name: Simulated, Kind: Simulated}, "--simulated")
	// A file with problems may have been meant to have an upstream.
	case len(l.problems) == 0 && len(l.cfg.Upstreams) == 0 && len(l.cfg.Routes) == 0:
		l.fromEnvironment()
	}
	l.checkUpstreams()
	l.checkModels()
	l.checkServer()
	l.telemetry()
	l.cfg.Files, l.cfg.origins, l.cfg.SecretVariables = l.files, l.origins, l.secretVariables
	if len(l.problems) > 0 {
		// sort instead of slices, whose generic sorting would add one more copy to the program.
		sort.SliceStable(l.problems, func(i, j int) bool { return l.problems[i].line < l.problems[j].line })
		return nil, Problems(l.problems)
	}
	l.cfg.complete()
	return l.cfg, nil
}

// fill replaces missing values by their defaults. Missing values in an entry of a list stay empty, because they may
// follow from other keys of the entry.
func fill(ks []key) {
	for _, k := range ks {
		if value, ok := k.tag.Lookup("default"); ok && k.text() == "" {
			k.set(value)
		}
		fill(k.keys())
	}
}

// loader builds a Config. It remembers where each value came from, so that a problem can name the place.
type loader struct {
	src     Source
	running *Config // src.Running, or an empty one
	cfg     *Config
	reader
}

// reported reports whether the key at path, or a key below it, has a problem.
func (l *loader) reported(path string) bool {
	return slices.ContainsFunc(l.problems, func(p Problem) bool {
		rest, found := strings.CutPrefix(p.Key, path)
		return found && (rest == "" || rest[0] == '.' || rest[0] == '[')
	})
}

// only makes u the upstream of every name that a client may ask for. from is the flag or variable that says so.
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
	l.cfg.Routes = []Route{{Name: "*", Model: Model{UpstreamModel: proxy.UpstreamModel{Upstream: u.Name, ModelOptions: translate.ModelOptions{Format: translate.FormatAuto}}}}}
}

// derive records the origin of a value that does not come from the file.
func (l *loader) derive(key, from string) { l.origins[key] = origin{where: from} }

// override replaces a value by a flag's value.
func (l *loader) override(key string, dst *string, over Override) {
	if over.Value != "" {
		*dst = over.Value
		l.derive(key, over.From)
	}
}

// keep keeps the current value of a key that needs a restart, if there is a current configuration.
func keep[T comparable](l *loader, key string, dst *T, running T) {
	if l.src.Running != nil && *dst != running {
		*dst = running
		l.wait(key)
	}
}

// wait notes that a key needs a restart, so its current value stays.
func (l *loader) wait(key string) {
	l.cfg.Waits = append(l.cfg.Waits, key)
	l.derive(key, "in effect until a restart")
}

// warn adds a warning at the line of a key, or at the flag that set it.
func (l *loader) warn(key, cause, fix string) {
	line := l.lines[key]
	where := fmt.Sprintf("%s:%d", l.file, line)
	if l.file == "" { // set by a flag
		where, key = l.origins[key].where, ""
	}
	l.cfg.Warnings = append(l.cfg.Warnings, Problem{Where: where, Key: key, Cause: cause, Fix: fix, line: line})
}

// reportAt adds a problem at the line of a key.
func (l *loader) reportAt(key, cause, fix string) { l.report(l.lines[key], key, cause, fix) }
