// Package telemetry sends traces and metrics of exchanges to a collector of OpenTelemetry. It is one
// observer of package proxy (see [proxy.Observation]).
//
// A trace has a span of the exchange, and in it spans of what was rendered, of each call of an upstream,
// and of what was parsed. The names are those of the conventions of OpenTelemetry, in one table for each
// generation of them: see names.go.
//
// The SDK of OpenTelemetry samples, batches and exports, as its variables say. [Read] checks the variables
// first: the SDK would replace a wrong value with its default. The SDK reads the variables itself, from the
// environment of the process (ARCHITECTURE.md, "Packages").
//
// Spans wait in a queue that is bounded in length and size. An exchange never waits for a collector:
// Dragoman drops a span that finds no room, and counts it in the log.
//
// Metrics are those of Prometheus's library, through the SDK's bridge: an instrument of the SDK could not
// end the series of a model that a reload removes.
package telemetry
