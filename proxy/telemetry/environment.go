package telemetry

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Read returns what the variables of OpenTelemetry ask for (its specification, "Environment Variable
// Specification" and "OTLP Exporter Configuration"), and what is wrong with them. Nothing is asked for
// unless an exporter or an endpoint is named, so that a program without a collector is left alone. Values
// that are not known are problems, and not ignored: telemetry that is silently not there is found out
// when it is needed. What is only ignored is a warning.
func Read(getenv func(string) string) (c *Config, warnings, problems []Problem) {
	e := &environment{getenv: getenv}
	c = &Config{}
	if e.flag("OTEL_SDK_DISABLED") {
		return c, nil, e.problems
	}
	c.Traces = e.signal("TRACES", "/v1/traces")
	c.Metrics = e.signal("METRICS", "/v1/metrics")
	if !c.On() {
		return c, nil, e.problems
	}
	c.Resource = e.resource()
	c.Sampler = e.sampler()
	c.Propagate = e.propagate() && c.Traces.On()
	c.Latest = slices.Contains(list(getenv("OTEL_SEMCONV_STABILITY_OPT_IN")), "gen_ai_latest_experimental")
	c.Content = e.content()
	c.Queue = e.number("OTEL_BSP_MAX_QUEUE_SIZE", 2048)
	c.Batch = min(e.number("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", 512), c.Queue)
	c.Delay = e.milliseconds("OTEL_BSP_SCHEDULE_DELAY", 5000)
	c.Interval = e.milliseconds("OTEL_METRIC_EXPORT_INTERVAL", 60_000)
	c.Traces.Timeout = min(c.Traces.Timeout, e.milliseconds("OTEL_BSP_EXPORT_TIMEOUT", 30_000))
	c.Metrics.Timeout = min(c.Metrics.Timeout, e.milliseconds("OTEL_METRIC_EXPORT_TIMEOUT", 30_000))
	if temporality := getenv("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE"); temporality != "" && !strings.EqualFold(temporality, "cumulative") {
		e.problem("OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE", "metrics are totals since the start, and nothing else", "leave it empty, or say cumulative, and have the collector convert them")
	}
	return c, e.warnings, e.problems
}

// environment reads variables, and notes what is wrong with them. An empty one is one that is not there.
type environment struct {
	getenv             func(string) string
	warnings, problems []Problem
}

// problem notes a problem, once: a variable may be read for each signal.
func (e *environment) problem(variable, cause, fix string) {
	if p := (Problem{variable, cause, fix}); !slices.Contains(e.problems, p) {
		e.problems = append(e.problems, p)
	}
}

// of returns the variable of OTLP for a signal, or else that for all of them, and its name.
func (e *environment) of(signal, name string) (value, variable string) {
	variable = "OTEL_EXPORTER_OTLP_" + signal + "_" + name
	if value = e.getenv(variable); value != "" {
		return value, variable
	}
	variable = "OTEL_EXPORTER_OTLP_" + name
	return e.getenv(variable), variable
}

// signal reads where a signal goes.
func (e *environment) signal(signal, path string) (s Signal) {
	endpoint, variable := e.of(signal, "ENDPOINT")
	exporter := "OTEL_" + signal + "_EXPORTER"
	switch value := e.getenv(exporter); value {
	case "none":
		return s
	case "":
		if endpoint == "" {
			return s
		}
	case "otlp":
	default:
		e.problem(exporter, "this exporter is not there", "say otlp or none; /metrics of the admin listener is for Prometheus")
		return s
	}
	if endpoint == "" {
		endpoint = "http://localhost:4318"
	}
	u, err := url.Parse(endpoint)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		e.problem(variable, "it is not an http or https URL", "name the collector's OTLP receiver for HTTP, such as http://localhost:4318")
		return s
	}
	if variable == "OTEL_EXPORTER_OTLP_ENDPOINT" {
		u = u.JoinPath(path)
	}
	if protocol, variable := e.of(signal, "PROTOCOL"); protocol != "" && protocol != "http/protobuf" {
		e.problem(variable, "this protocol is not spoken", "say http/protobuf, and name the collector's port for it, which is 4318 unless it is said")
	}
	s.URL = u.String()
	s.Headers = e.headers(e.of(signal, "HEADERS"))
	s.TLS = e.tls(signal)
	timeout, variable := e.of(signal, "TIMEOUT")
	s.Timeout = time.Duration(e.positive(timeout, variable, 10_000)) * time.Millisecond
	switch compression, variable := e.of(signal, "COMPRESSION"); compression {
	case "gzip":
		s.Gzip = true
	case "", "none":
	default:
		e.problem(variable, "this compression is not there", "say gzip or none")
	}
	return s
}

// headers reads "name=value,name=value", whose values may have escapes of URLs.
func (e *environment) headers(value, variable string) map[string]string {
	headers := map[string]string{}
	for _, pair := range list(value) {
		name, text, ok := strings.Cut(pair, "=")
		text, err := url.PathUnescape(strings.TrimSpace(text))
		if name = strings.TrimSpace(name); !ok || name == "" || err != nil || strings.ContainsFunc(name+text, isControl) {
			e.problem(variable, "it is not a list of headers", "write name=value,name=value, with what is special in a value escaped as in a URL")
			return nil
		}
		headers[name] = text
	}
	return headers
}

// tls reads whom to trust, and what to show.
func (e *environment) tls(signal string) *tls.Config {
	authorities, variable := e.of(signal, "CERTIFICATE")
	certificate, certificateVariable := e.of(signal, "CLIENT_CERTIFICATE")
	key, _ := e.of(signal, "CLIENT_KEY")
	if authorities == "" && certificate == "" && key == "" {
		return nil
	}
	cfg := &tls.Config{MinVersion: tls.VersionTLS12}
	if authorities != "" {
		cfg.RootCAs = x509.NewCertPool()
		if pem, err := os.ReadFile(authorities); err != nil || !cfg.RootCAs.AppendCertsFromPEM(pem) {
			e.problem(variable, "it names no file with certificates that can be read", "name a PEM file with the collector's authorities")
		}
	}
	if certificate != "" || key != "" {
		pair, err := tls.LoadX509KeyPair(certificate, key)
		if err != nil {
			e.problem(certificateVariable, "it and CLIENT_KEY name no certificate with its key", "name two PEM files that belong together")
		}
		cfg.Certificates = []tls.Certificate{pair}
	}
	return cfg
}

// resource reads the attributes of the resource. The name of the service counts before one among them.
func (e *environment) resource() (all []Attribute) {
	if name := e.getenv("OTEL_SERVICE_NAME"); name != "" {
		all = append(all, Attribute{"service.name", name})
	}
	const variable = "OTEL_RESOURCE_ATTRIBUTES"
	for _, pair := range list(e.getenv(variable)) {
		key, text, ok := strings.Cut(pair, "=")
		text, err := url.PathUnescape(strings.TrimSpace(text))
		if key = strings.TrimSpace(key); !ok || key == "" || err != nil {
			e.problem(variable, "it is not a list of attributes", "write key=value,key=value, with what is special in a value escaped as in a URL")
			return nil
		}
		all = append(all, Attribute{key, text})
	}
	return all
}

// sampler reads which traces are recorded.
func (e *environment) sampler() (s sampler) {
	const variable = "OTEL_TRACES_SAMPLER"
	name, parentBased := strings.CutPrefix(cmp.Or(e.getenv(variable), "parentbased_always_on"), "parentbased_")
	s.parentBased = parentBased
	switch name {
	case "always_on":
		s.ratio = 1
	case "always_off":
	case "traceidratio":
		s.ratio = 1
		if arg := e.getenv(variable + "_ARG"); arg != "" {
			ratio, err := strconv.ParseFloat(arg, 64)
			if err != nil || !(ratio >= 0 && ratio <= 1) {
				e.problem(variable+"_ARG", "it is not a ratio", "write a number from 0 to 1")
			}
			s.ratio = ratio
		}
	default:
		e.problem(variable, "this sampler is not there", "say always_on, always_off or traceidratio, or one of them after parentbased_")
	}
	return s
}

// propagate reports whether the W3C's Trace Context is among the propagators. Baggage is one that is
// known and does nothing: what clients put in it is not for an upstream.
func (e *environment) propagate() bool {
	const variable = "OTEL_PROPAGATORS"
	all := list(e.getenv(variable))
	for _, name := range all {
		if name != "tracecontext" && name != "baggage" && name != "none" {
			e.warnings = append(e.warnings, Problem{variable, fmt.Sprintf("%q is not there", name), "only tracecontext is sent and read"})
		}
	}
	return len(all) == 0 || slices.Contains(all, "tracecontext")
}

// content reads whether spans are to have what clients and models say. The instrumentations of the newer
// conventions have words for where it is to be: in spans, or in events, of which there are none here.
func (e *environment) content() bool {
	const variable = "OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT"
	switch strings.ToLower(e.getenv(variable)) {
	case "span_only", "span_and_event":
		return true
	case "event_only", "no_content":
		return false
	}
	return e.flag(variable)
}

// flag reads a boolean variable, which is true or false in any case.
func (e *environment) flag(variable string) bool {
	switch value := e.getenv(variable); {
	case strings.EqualFold(value, "true"):
		return true
	case value != "" && !strings.EqualFold(value, "false"):
		e.problem(variable, "it is neither true nor false", "say true or false")
	}
	return false
}

func (e *environment) number(variable string, otherwise int) int {
	return e.positive(e.getenv(variable), variable, otherwise)
}

func (e *environment) milliseconds(variable string, otherwise int) time.Duration {
	return time.Duration(e.number(variable, otherwise)) * time.Millisecond
}

// positive reads a number above 0, and none that would not fit into a time in milliseconds.
func (e *environment) positive(value, variable string, otherwise int) int {
	if value == "" {
		return otherwise
	}
	n, err := strconv.ParseInt(value, 10, 32)
	if err != nil || n <= 0 {
		e.problem(variable, "it is not a whole number above 0", "write a number; times are in milliseconds")
		return otherwise
	}
	return int(n)
}

// list returns the elements of a list with commas, without those that are empty.
func list(s string) (all []string) {
	for element := range strings.SplitSeq(s, ",") {
		if element = strings.TrimSpace(element); element != "" {
			all = append(all, element)
		}
	}
	return all
}
