package telemetry

import (
	"crypto/tls"
	"crypto/x509"
	"net/url"
	"os"
	"slices"
	"strconv"
	"strings"

	"go.opentelemetry.io/contrib/propagators/autoprop"
	"go.opentelemetry.io/otel/propagation"
)

// Config is what the OpenTelemetry variables ask for, except for those that the SDK reads itself: see [Read].
type Config struct {
	Traces, Metrics bool // exported at all

	Propagator propagation.TextMapPropagator // reads the trace of a client, and passes it to upstreams
	Latest     bool                          // use the names of generation B
	Content    bool                          // spans contain the texts of clients and models
	Queue      int                           // the limit of waiting spans
}

// On reports whether anything is exported.
func (c *Config) On() bool { return c.Traces || c.Metrics }

// Problem is a mistake in a variable. It does not contain the value, which may be a secret.
type Problem struct{ Variable, Cause, Fix string }

// Read returns what the OpenTelemetry variables ask for ("Environment Variable Specification" and "OTLP Exporter
// Configuration"), and the mistakes in them. Without an exporter or an endpoint, nothing is exported, so that a program
// without a collector works as usual.
func Read(getenv func(string) string) (c *Config, problems []Problem) {
	e := &environment{getenv: getenv}
	c = &Config{}
	e.check("OTEL_SDK_DISABLED", booleans)
	if strings.EqualFold(getenv("OTEL_SDK_DISABLED"), "true") {
		return c, nil
	}
	c.Traces, c.Metrics = e.asked("TRACES"), e.asked("METRICS")
	if !c.On() {
		return c, e.problems
	}
	e.checkAll()
	c.Propagator = e.propagator()
	c.Latest = slices.Contains(list(getenv("OTEL_SEMCONV_STABILITY_OPT_IN")), "gen_ai_latest_experimental")
	c.Content = slices.Contains([]string{"true", "span_only", "span_and_event"}, strings.ToLower(getenv("OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT")))
	c.Queue = 2048
	if n, err := strconv.Atoi(getenv("OTEL_BSP_MAX_QUEUE_SIZE")); err == nil {
		c.Queue = n
	}
	return c, e.problems
}

// environment reads variables, and collects the mistakes in them. An empty variable counts as missing.
type environment struct {
	getenv   func(string) string
	problems []Problem
}

// asked reports whether a signal is exported: by a named exporter, or to an endpoint.
func (e *environment) asked(signal string) bool {
	if exporter := e.getenv("OTEL_" + signal + "_EXPORTER"); exporter != "" {
		return exporter != "none"
	}
	return e.getenv("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || e.getenv("OTEL_EXPORTER_OTLP_"+signal+"_ENDPOINT") != ""
}

// values decides which values a variable may have.
type values struct {
	good       func(string) bool
	cause, fix string
}

var (
	booleans  = oneOf("true", "false")
	positives = values{isPositive, "it is not a whole number above 0", "write a number; times are in milliseconds"}
	resources = values{isPairs, "it is not a list of attributes", "write key=value,key=value, and escape special characters as in a URL"}
	headers   = values{isPairs, "it is not a list of headers", "write name=value,name=value, and escape special characters as in a URL"}
	ratios    = values{isRatio, "it is not a ratio", "write a number from 0 to 1"}
	ports     = values{isPort, "it is not a port", "write a number from 0 to 65535"}
	endpoints = values{isURL, "it is not an http or https URL of a host and a path", "name the collector's OTLP receiver, such as http://localhost:4318; put credentials in OTEL_EXPORTER_OTLP_HEADERS"}
	authority = values{hasCertificates, "it does not name a readable file with certificates", "name a PEM file with the collector's authorities"}
	totals    = values{oneOf("cumulative").good, "Dragoman's metrics are always totals since the start", "leave it empty, or set cumulative and let the collector convert them"}
	buckets   = values{oneOf("explicit_bucket_histogram").good, "Dragoman's histograms always have the buckets of the conventions", "leave it empty, or set explicit_bucket_histogram"}
	unused    = values{func(string) bool { return false }, "there are no metrics but those of Dragoman", "leave it empty"}
)

// oneOf allows these values, in any case.
func oneOf(all ...string) values {
	good := func(value string) bool { return slices.Contains(all, strings.ToLower(value)) }
	return values{good, "this value is not known", "say " + strings.Join(all, " or ")}
}

// variables are checked if anything is exported.
var variables = map[string]values{
	"OTEL_TRACES_EXPORTER":           oneOf("otlp", "console", "none"),
	"OTEL_METRICS_EXPORTER":          oneOf("otlp", "prometheus", "console", "none"),
	"OTEL_METRICS_PRODUCERS":         unused,
	"OTEL_EXPORTER_PROMETHEUS_PORT":  ports,
	"OTEL_RESOURCE_ATTRIBUTES":       resources,
	"OTEL_TRACES_SAMPLER":            oneOf("always_on", "always_off", "traceidratio", "parentbased_always_on", "parentbased_always_off", "parentbased_traceidratio"),
	"OTEL_TRACES_SAMPLER_ARG":        ratios,
	"OTEL_BSP_SCHEDULE_DELAY":        positives,
	"OTEL_BSP_EXPORT_TIMEOUT":        positives,
	"OTEL_BSP_MAX_QUEUE_SIZE":        positives,
	"OTEL_BSP_MAX_EXPORT_BATCH_SIZE": positives,
	"OTEL_METRIC_EXPORT_INTERVAL":    positives,
	"OTEL_METRIC_EXPORT_TIMEOUT":     positives,

	"OTEL_EXPORTER_OTLP_METRICS_TEMPORALITY_PREFERENCE":        totals,
	"OTEL_EXPORTER_OTLP_METRICS_DEFAULT_HISTOGRAM_AGGREGATION": buckets,

	// Newer instrumentations use words for the place of contents: in spans, or in events. Dragoman has no such events.
	"OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT": oneOf("true", "false", "span_only", "span_and_event", "event_only", "no_content"),
}

// ofEach are OTLP variables that also exist for each signal.
var ofEach = map[string]values{
	"OTEL_EXPORTER_OTLP_ENDPOINT":    endpoints,
	"OTEL_EXPORTER_OTLP_PROTOCOL":    oneOf("grpc", "http/protobuf"),
	"OTEL_EXPORTER_OTLP_HEADERS":     headers,
	"OTEL_EXPORTER_OTLP_TIMEOUT":     positives,
	"OTEL_EXPORTER_OTLP_COMPRESSION": oneOf("gzip", "none"),
	"OTEL_EXPORTER_OTLP_INSECURE":    booleans,
	"OTEL_EXPORTER_OTLP_CERTIFICATE": authority,
}

// checkAll collects the mistakes in the variables that the SDK reads.
func (e *environment) checkAll() {
	for variable, all := range variables {
		e.check(variable, all)
	}
	for _, signal := range []string{"OTLP_", "OTLP_TRACES_", "OTLP_METRICS_"} {
		for variable, all := range ofEach {
			e.check(strings.Replace(variable, "OTLP_", signal, 1), all)
		}
		certificate, key := "OTEL_EXPORTER_"+signal+"CLIENT_CERTIFICATE", "OTEL_EXPORTER_"+signal+"CLIENT_KEY"
		if e.getenv(certificate) != "" || e.getenv(key) != "" {
			if _, err := tls.LoadX509KeyPair(e.getenv(certificate), e.getenv(key)); err != nil {
				e.problems = append(e.problems, Problem{certificate, "it and CLIENT_KEY do not name a certificate and its key", "name two PEM files that belong together"})
			}
		}
	}
	slices.SortFunc(e.problems, func(a, b Problem) int { return strings.Compare(a.Variable, b.Variable) })
}

// check adds a problem if the variable's value is not allowed.
func (e *environment) check(variable string, all values) {
	if value := e.getenv(variable); value != "" && !all.good(value) {
		e.problems = append(e.problems, Problem{variable, all.cause, all.fix})
	}
}

// propagator reads which headers carry a trace. Baggage is accepted and does nothing: the client's baggage is not meant
// for an upstream. Only the client's span is used.
func (e *environment) propagator() propagation.TextMapPropagator {
	const variable = "OTEL_PROPAGATORS"
	names := list(e.getenv(variable))
	if len(names) == 0 {
		return propagation.TraceContext{}
	}
	p, err := autoprop.TextMapPropagator(names...)
	if err != nil {
		e.problems = append(e.problems, Problem{variable, "one of its values is unknown", "set tracecontext, b3, b3multi, jaeger, xray, ottrace or none, separated by commas"})
	}
	return p
}

func isPositive(value string) bool {
	n, err := strconv.ParseInt(value, 10, 32)
	return err == nil && n > 0
}

func isRatio(value string) bool {
	ratio, err := strconv.ParseFloat(value, 64)
	return err == nil && ratio >= 0 && ratio <= 1
}

func isPort(value string) bool {
	_, err := strconv.ParseUint(value, 10, 16)
	return err == nil
}

// isPairs reports whether a value is a list of names with values, which may contain URL escapes.
func isPairs(value string) bool {
	return !slices.ContainsFunc(list(value), func(pair string) bool {
		name, text, ok := strings.Cut(pair, "=")
		text, err := url.PathUnescape(text)
		return !ok || strings.TrimSpace(name) == "" || err != nil || strings.ContainsFunc(name+text, isControl)
	})
}

// isURL reports whether the SDK uses all parts of a URL: it ignores a user and a query.
func isURL(value string) bool {
	u, err := url.Parse(value)
	return err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Host != "" && u.User == nil && u.RawQuery == ""
}

func hasCertificates(file string) bool {
	pem, err := os.ReadFile(file)
	return err == nil && x509.NewCertPool().AppendCertsFromPEM(pem)
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// list returns the elements of a comma-separated list, without empty ones.
func list(s string) (all []string) {
	for element := range strings.SplitSeq(s, ",") {
		if element = strings.TrimSpace(element); element != "" {
			all = append(all, element)
		}
	}
	return all
}
