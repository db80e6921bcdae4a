package config

import "dragoman/proxy/telemetry"

// telemetry reads what the OpenTelemetry variables ask for, which a file cannot say. With `dragoman run`, the variables
// may also be meant for the command. Mistakes in them are then only warnings, and so is an exporter that writes to the
// command's terminal or takes its port.
func (l *loader) telemetry() {
	if l.src.Idle && !l.src.Wraps {
		return
	}
	cfg, problems := telemetry.Read(l.src.Getenv)
	if l.src.Wraps {
		for _, variable := range []string{"OTEL_TRACES_EXPORTER", "OTEL_METRICS_EXPORTER"} {
			if value := l.src.Getenv(variable); value == "console" || value == "prometheus" {
				problems = append(problems, telemetry.Problem{Variable: variable, Cause: "only the command can use this exporter", Fix: "set otlp or none"})
			}
		}
		for _, p := range problems {
			l.cfg.Warnings = append(l.cfg.Warnings, Problem{Where: p.Variable, Cause: "the server exports nothing: " + p.Cause, Fix: p.Fix})
		}
		if len(problems) > 0 {
			return
		}
	}
	for _, p := range problems {
		l.complain(p.Variable, p.Cause, p.Fix)
	}
	if cfg.On() {
		l.cfg.Telemetry = cfg
	}
}
