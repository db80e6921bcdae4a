// Package telemetry tells an OpenTelemetry collector what becomes of exchanges: a trace of each, and
// metrics of all, by OTLP over HTTP. It is one observer of package proxy (see [proxy.Observation]).
//
// A trace has a span of the exchange, and in it spans of what was rendered, of each call of an upstream,
// and of what was parsed. The names are those of the conventions of OpenTelemetry, in one table for each
// generation of them: see names.go.
//
// Spans wait in a queue of bounded length and size, which one goroutine empties. An exchange never waits
// for a collector: what the queue has no room for is lost, and counted in the log.
//
// The SDK of OpenTelemetry is not used. Its traces alone would make the program 0.8 MB longer and keep
// 0.8 MB more of it in memory where telemetry is off, its metrics as much again, and its exporter, with
// gRPC, 6.7 MB more. What is needed of it is here: ids and samplers (trace.go), the W3C's headers
// (propagate.go), a queue (queue.go) and OTLP's messages (otlp.go). Metrics are those of Prometheus's
// library, which is in the program anyway.
package telemetry
