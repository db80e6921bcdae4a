package main

import (
	"bytes"
	"strings"
	"testing"
)

// TestTelemetryVariables: an unsupported OpenTelemetry variable is a configuration problem, with one line that says how
// to fix it.
func TestTelemetryVariables(t *testing.T) {
	for _, test := range []struct {
		variable, value string
		code            int
		says            string
	}{
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "grpc", exitOK, "ok\n"},
		{"OTEL_EXPORTER_OTLP_PROTOCOL", "http/json", exitConfig, "OTEL_EXPORTER_OTLP_PROTOCOL: this value is not known; say grpc or http/protobuf"},
		{"OTEL_METRICS_EXPORTER", "prometheus", exitOK, "ok\n"},
		{"OTEL_TRACES_SAMPLER", "jaeger_remote", exitConfig, "OTEL_TRACES_SAMPLER: this value is not known; say always_on or"},
		{"OTEL_PROPAGATORS", "b3", exitOK, "ok\n"},
		{"OTEL_SERVICE_NAME", "translator", exitOK, "ok\n"},
	} {
		var stdout, stderr bytes.Buffer
		getenv := func(name string) string {
			return map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://collector:4318", test.variable: test.value}[name]
		}
		code := run(t.Context(), []string{"check", "--simulated"}, strings.NewReader(""), &stdout, &stderr, getenv)
		if said := stdout.String() + stderr.String(); code != test.code || !strings.Contains(said, test.says) {
			t.Errorf("%s=%s: exit %d\n%s", test.variable, test.value, code, said)
		}
	}
}
