package config

import (
	"cmp"

	"go.yaml.in/yaml/v3"
)

// The forms of a line of the log.
const (
	LogAuto    = "auto" // console on a terminal, else json
	LogConsole = "console"
	LogJSON    = "json"
)

// LogFormats returns the values of log.format.
func LogFormats() []string { return []string{LogAuto, LogConsole, LogJSON} }

// LogLevels returns the values of log.level: what is below is not logged.
func LogLevels() []string { return []string{"debug", "info", "warn", "error"} }

// log reads what is logged, and how.
func (l *loader) log(n *yaml.Node, key string) {
	l.mapping(n, key, map[string]field{
		"format": l.choice(&l.cfg.LogFormat, LogFormats()),
		"level":  l.choice(&l.cfg.LogLevel, LogLevels()),
	})
}

// checkLog applies the overrides and the defaults of the log.
func (l *loader) checkLog() {
	l.cfg.LogFormat = cmp.Or(l.src.LogFormat.Value, l.cfg.LogFormat, LogAuto)
	l.cfg.LogLevel = cmp.Or(l.src.LogLevel.Value, l.cfg.LogLevel, "info")
}
