package config

import "dragoman/proxy/telemetry"

// telemetry reads what the variables of OpenTelemetry ask for, which no file can say.
func (l *loader) telemetry() {
	if l.src.Idle {
		return
	}
	cfg, warnings, problems := telemetry.Read(l.src.Getenv)
	for _, p := range warnings {
		l.cfg.Warnings = append(l.cfg.Warnings, Problem{Where: p.Variable, Cause: p.Cause, Fix: p.Fix})
	}
	for _, p := range problems {
		l.complain(p.Variable, "", p.Cause, p.Fix)
	}
	if cfg.On() {
		l.cfg.Telemetry = cfg
	}
}
