package telemetry

import (
	"bytes"
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
)

// start starts telemetry that sends traces to a collector, and returns its log.
func start(t *testing.T, collector string, more ...string) (*Telemetry, *bytes.Buffer) {
	t.Helper()
	var log bytes.Buffer
	tel := with(t, zerolog.New(zerolog.SyncWriter(&log)), append(more, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="+collector)...)
	if err := tel.Start(); err != nil {
		t.Fatal(err)
	}
	return tel, &log
}

// end ends n spans.
func (t *Telemetry) end(n int, text string) {
	for range n {
		s := t.startSpan(context.Background(), "chat", 0, time.Now())
		s.set("text", text)
		s.end(time.Now())
	}
}

// TestLost: the log reports spans that a collector does not accept, without the collector's own text.
func TestLost(t *testing.T) {
	const rejectedOne, warning = "\x0a\x0a\x08\x01\x12\x06secret", "\x0a\x08\x12\x06secret" // an ExportTracePartialSuccess
	for _, test := range []struct {
		status int
		answer string
		says   string
	}{
		{400, "secret", `"lost":2,"signal":"traces","error":"the collector answered with status 400 Bad Request"`},
		{200, rejectedOne, `"lost":1,"signal":"traces","error":"the collector rejected them"`},
		{200, warning, ""},
		{200, "", ""},
	} {
		var requests atomic.Int64
		collector := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			requests.Add(1)
			w.Header().Set("Content-Type", "application/x-protobuf")
			w.WriteHeader(test.status)
			_, _ = w.Write([]byte(test.answer))
		}))
		tel, log := start(t, collector.URL+"/secret")
		tel.end(2, "\xff")
		tel.Close(t.Context())
		collector.Close()
		if requests.Load() != 1 || !strings.Contains(log.String(), test.says) || test.says == "" && log.Len() > 0 || strings.Contains(log.String(), "secret") {
			t.Errorf("%d: %d requests, log %s, want %s", test.status, requests.Load(), log, test.says)
		}
	}
}

// TestClose: telemetry ends in time, whatever the collector does, and reports what is lost.
func TestClose(t *testing.T) {
	over := make(chan struct{}) // a server that has not read a request's body does not notice that its client is gone
	collector := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-over }))
	defer collector.Close()
	defer close(over)
	for _, protocol := range []string{"http/protobuf", "grpc"} {
		tel, log := start(t, collector.URL, "OTEL_EXPORTER_OTLP_PROTOCOL="+protocol, "OTEL_BSP_MAX_EXPORT_BATCH_SIZE=2")
		tel.end(3, "")
		ended, cancel := context.WithCancel(t.Context())
		cancel()
		tel.Close(ended)
		if !strings.Contains(log.String(), `"lost":2,"signal":"traces"`) || !strings.Contains(log.String(), "the collector did not answer in time") {
			t.Errorf("%s: the log has %s", protocol, log)
		}
	}
}

// slow exports spans to memory, as soon as open is closed.
type slow struct {
	*tracetest.InMemoryExporter
	open chan struct{}
}

func (s *slow) ExportSpans(ctx context.Context, spans []trace.ReadOnlySpan) error {
	<-s.open
	return s.InMemoryExporter.ExportSpans(ctx, spans)
}

// TestQueue: waiting spans are limited in number and in bytes, and exported spans make room.
func TestQueue(t *testing.T) {
	for _, test := range []struct {
		text        string
		least, most int // of 12
	}{{"", 5, 10}, {strings.Repeat("x", longestQueue/2-1000), 2, 2}} { // a batch of 5 may be under way
		var log bytes.Buffer
		tel := with(t, zerolog.New(&log), "OTEL_TRACES_EXPORTER=otlp", "OTEL_BSP_MAX_QUEUE_SIZE=5", "OTEL_BSP_MAX_EXPORT_BATCH_SIZE=5")
		to := &slow{InMemoryExporter: tracetest.NewInMemoryExporter()}
		tel.export(to)
		for range 2 {
			to.Reset()
			to.open = make(chan struct{})
			tel.end(12, test.text)
			close(to.open)
			_ = tel.traces.ForceFlush(t.Context())
			if n := len(to.GetSpans()); n < test.least || n > test.most {
				t.Errorf("%d spans of %d bytes are exported", n, len(test.text))
			}
		}
		if !strings.Contains(log.String(), `"lost":1,"signal":"traces","error":"the queue is full"`) {
			t.Errorf("the log has %s", &log)
		}
		tel.Close(t.Context())
	}
}

// TestComplaints: the log reports once in a while that telemetry is lost, and how much.
func TestComplaints(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log bytes.Buffer
		c := &complaints{log: zerolog.New(&log), what: "traces", every: time.Minute}
		for range 90 {
			c.lost(2, "gone")
			time.Sleep(time.Second)
		}
		if lines := strings.Split(strings.TrimSpace(log.String()), "\n"); len(lines) != 2 || !strings.Contains(lines[0], `"lost":2,`) || !strings.Contains(lines[1], `"lost":120,`) {
			t.Errorf("the log has %s", &log)
		}
	})
}
