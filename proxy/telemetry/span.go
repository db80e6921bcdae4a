package telemetry

import (
	"context"
	"time"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"
)

// span is a span of the SDK. The zero value is no span.
type span struct{ trace.Span }

// startSpan starts a span inside the span of ctx.
func (t *Telemetry) startSpan(ctx context.Context, name string, kind trace.SpanKind, start time.Time) span {
	_, s := t.tracer.Start(ctx, name, trace.WithSpanKind(kind), trace.WithTimestamp(start))
	return span{s}
}

// recorded reports whether the span is exported when it ends.
func (s span) recorded() bool { return s.Span != nil && s.IsRecording() }

// set adds an attribute: a string, a bool, an int, a float64 or a []string. It omits an empty text or list. It makes
// texts valid UTF-8, because the SDK cannot encode other texts.
func (s span) set(key string, value any) {
	switch v := value.(type) {
	case string:
		if v != "" {
			s.SetAttributes(attribute.String(key, valid(v)))
		}
	case []string:
		if len(v) > 0 {
			s.SetAttributes(attribute.StringSlice(key, v))
		}
	case bool:
		s.SetAttributes(attribute.Bool(key, v))
	case int:
		s.SetAttributes(attribute.Int(key, v))
	case float64:
		s.SetAttributes(attribute.Float64(key, v))
	}
}

// fail marks the span as failed.
func (s span) fail() { s.SetStatus(codes.Error, "") }

// end ends the span, which is exported some time later.
func (s span) end(at time.Time) { s.End(trace.WithTimestamp(at)) }
