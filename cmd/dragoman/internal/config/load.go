package config

import (
	"sort"
	"time"
)

// defaultDrain is the time of the drain if nothing else is said.
const defaultDrain = 10 * time.Minute

// Load reads and checks a configuration. Without any upstream in the file, the environment
// has to say which one to use. The error is [Problems], and names all that is wrong.
func Load(src Source) (*Config, error) {
	l := &loader{
		src: src,
		cfg: &Config{
			File:        src.File,
			Listen:      DefaultListen,
			AdminListen: DefaultAdminListen,
			Drain:       defaultDrain,
			DrainDelay:  notSaid,
		},
		yamlReader: yamlReader{file: src.File, getenv: src.Getenv, lines: map[string]int{}, origins: map[string]origin{}},
	}
	if src.File != "" {
		l.readFile()
	}
	switch {
	case src.BaseURL.Value != "":
		l.fromServer()
	case src.Simulated: // whatever the file declares
		l.only(Upstream{Name: Simulated, Kind: Simulated}, "--simulated")
	// A file with problems may have been meant to declare an upstream.
	case len(l.problems) == 0 && len(l.cfg.Upstreams) == 0 && len(l.cfg.Models) == 0:
		l.fromEnvironment()
	}
	l.check()
	l.telemetry()
	l.cfg.Files, l.cfg.origins, l.cfg.SecretVariables = l.files, l.origins, l.secretVariables
	if len(l.problems) > 0 {
		// Not by slices, of whose sorting the program would have one more copy, for problems alone.
		sort.SliceStable(l.problems, func(i, j int) bool { return l.problems[i].line < l.problems[j].line })
		return nil, Problems(l.problems)
	}
	return l.cfg, nil
}
