package config

import "cmp"

// The forms of a line of the log.
const (
	LogAuto    = "auto" // console on a terminal, else json
	LogConsole = "console"
	LogJSON    = "json"
)

// LogFormats returns the values of log.format.
func LogFormats() []string { return []string{LogAuto, LogConsole, LogJSON} }

// LogLevels returns the values of log.level: what is below is not logged.
func LogLevels() []string { return []string{"debug", logInfo, "warn", "error"} }

// logInfo is the level if nothing else is said.
const logInfo = "info"

// log returns the keys of what is logged, and how.
func (l *loader) log() fields {
	return fields{
		{"format", "The form of a line: console for people, json for programs, or auto, which is console on a terminal.",
			l.choice(&l.cfg.LogFormat, LogFormats()).otherwise(LogAuto)},
		{"level", "What is logged: nothing below.", l.choice(&l.cfg.LogLevel, LogLevels()).otherwise(logInfo)},
	}
}

// checkLog applies the overrides and the defaults of the log, and keeps what is in effect.
func (l *loader) checkLog() {
	running := cmp.Or(l.src.Running, new(Config))
	l.logSetting("log.format", &l.cfg.LogFormat, l.src.LogFormat, LogAuto, running.LogFormat)
	l.logSetting("log.level", &l.cfg.LogLevel, l.src.LogLevel, logInfo, running.LogLevel)
}

// logSetting puts an override in the place of a value. The one in effect, "" for none, stays.
func (l *loader) logSetting(key string, dst *string, over Override, byDefault, running string) {
	if over.Value != "" {
		*dst = over.Value
		l.derive(key, over.From)
	}
	*dst = cmp.Or(*dst, byDefault)
	if running != "" && running != *dst {
		*dst = running
		l.wait(key)
	}
}
