// Package telemetry sends traces and metrics of exchanges to an OpenTelemetry collector. It is an observer of package
// proxy (see [proxy.Observation]).
//
// A trace has a span for the exchange. Inside it are spans for rendering, for each call to an upstream, and for
// parsing. The names follow the conventions of OpenTelemetry, with one table for each generation of the conventions:
// see names.go.
//
// The OpenTelemetry SDK samples, batches and exports, as its environment variables say. [Read] checks the variables
// first, because the SDK would replace a wrong value by its default. The SDK reads the variables itself, from the
// environment of the process (ARCHITECTURE.md, "Packages").
//
// Spans wait in a queue of limited length and size. An exchange never waits for a collector: if the queue is full,
// Dragoman drops the span, and the log has the number of dropped spans.
//
// Metrics use Prometheus's library and the SDK's bridge to it: an instrument of the SDK could not end the series of a
// model that a reload removes.
package telemetry
