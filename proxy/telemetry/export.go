package telemetry

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/sdk/trace"
)

// longestQueue limits the memory of waiting spans, in bytes. Without contents a span takes 2 KB.
const longestQueue = 32 << 20

// exporter exports spans through one of the SDK's exporters, and counts lost spans.
type exporter struct {
	trace.SpanExporter
	ctx            context.Context // of all exports
	lost           *complaints
	most           int64 // the limit of waiting spans
	waiting, bytes atomic.Int64
}

// ExportSpans exports spans. If some cannot be delivered, they are lost, and the log says so.
func (e *exporter) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(e.ctx, cancel)()
	e.waiting.Add(-int64(len(spans)))
	err := e.SpanExporter.ExportSpans(ctx, spans)
	for _, s := range spans {
		e.bytes.Add(-size(s))
	}
	if err != nil {
		e.lost.lost(rejected(err, len(spans)), reason(err))
	}
	return nil
}

// queue is the SDK's queue of spans in front of an exporter. queue itself drops spans that do not fit: the SDK does not
// report how many it drops, and has no memory limit.
type queue struct {
	trace.SpanProcessor
	exporter *exporter
}

// OnEnd puts a span into the queue if it fits. It never waits for the collector.
func (q queue) OnEnd(s trace.ReadOnlySpan) {
	e, n := q.exporter, size(s)
	if waiting, bytes := e.waiting.Add(1), e.bytes.Add(n); waiting <= e.most && bytes <= longestQueue {
		q.SpanProcessor.OnEnd(s)
		return
	}
	e.waiting.Add(-1)
	e.bytes.Add(-n)
	e.lost.lost(1, "the queue is full")
}

// size returns about how many bytes of memory a span takes.
func size(s trace.ReadOnlySpan) int64 {
	n := 256
	for _, a := range s.Attributes() {
		n += 64 + len(a.Value.String())
	}
	return int64(n)
}

// rejected returns how many of n spans an export has lost. The SDK reports the number that the collector rejected only
// in the text of its error ("OTLP partial success: … (3 spans rejected)").
func rejected(err error, n int) int {
	text := err.Error()
	if at := strings.LastIndexByte(text, '('); strings.Contains(text, "partial success") && at >= 0 {
		_, _ = fmt.Sscanf(text[at:], "(%d spans rejected)", &n)
	}
	return n
}

// reason returns why something could not be delivered. It omits the URL, which may contain credentials, and the
// collector's own text, which may quote what was sent.
func reason(err error) string {
	var failed *url.Error
	if errors.As(err, &failed) {
		err = failed.Err
	}
	text := err.Error()
	_, code, isGRPC := strings.Cut(text, "rpc error: code = ")
	_, status, isHTTP := strings.Cut(text, "failed to send to ")
	switch {
	case failed != nil && failed.Timeout(), errors.Is(err, context.DeadlineExceeded), errors.Is(err, context.Canceled):
		return "the collector did not answer in time"
	case failed != nil:
		return text
	case isGRPC:
		code, _, _ = strings.Cut(code, " ")
		return "gRPC status " + code
	case isHTTP:
		_, status, _ = strings.Cut(status, ": ")
		status, _, _ = strings.Cut(status, " (")
		return "the collector answered with status " + status
	case strings.Contains(text, "partial success"):
		return "the collector rejected them"
	}
	return "the collector does not take them"
}

// complainEvery is the shortest time between two log lines about lost telemetry.
const complainEvery = time.Minute

// complaints log lost telemetry, but not too often.
type complaints struct {
	log   zerolog.Logger
	what  string // traces or metrics
	every time.Duration

	mu    sync.Mutex
	count int // since last
	last  time.Time
}

// lost notes that n spans, or n exports of metrics, were lost, and why.
func (c *complaints) lost(n int, why string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.count += n
	if c.count == 0 || !c.last.IsZero() && time.Since(c.last) < c.every {
		return
	}
	c.last = time.Now()
	c.log.Warn().Int("lost", c.count).Str("signal", c.what).Str("error", why).Str("event", "telemetry_lost").Str("msg", "telemetry is lost; exchanges are not affected").Send()
	c.count = 0
}
