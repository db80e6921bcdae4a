package config

import "dragoman/proxy/telemetry"

// telemetry reads what the variables of OpenTelemetry ask for, which no file can say.
func (l *loader) telemetry() {
	if l.src.Idle && !l.src.Wraps {
		return
	}
	cfg, warnings, problems := telemetry.Read(l.src.Getenv)
	if l.src.Wraps && len(problems) > 0 {
		for _, p := range problems {
			p.Cause = "nothing of the server's is exported: " + p.Cause
			warnings = append(warnings, p)
		}
		cfg, problems = new(telemetry.Config), nil
	}
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
