package telemetry

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"google.golang.org/protobuf/encoding/protowire"
)

// names returns what is at a path of fields in a message, each text.
func names(b []byte, path ...protowire.Number) (all []string) {
	for len(b) > 0 {
		n, typ, length := protowire.ConsumeTag(b)
		if length < 0 {
			return append(all, "not a message")
		}
		b = b[length:]
		if length = protowire.ConsumeFieldValue(n, typ, b); length < 0 {
			return append(all, "not a message")
		}
		if value, _ := protowire.ConsumeBytes(b); typ == protowire.BytesType && n == path[0] {
			if len(path) == 1 {
				all = append(all, string(value))
			} else {
				all = append(all, names(value, path[1:]...)...)
			}
		}
		b = b[length:]
	}
	return all
}

// receiver is a collector that answers with these statuses in turn, and the last one from then on.
type receiver struct {
	statuses []int
	answer   []byte
	requests atomic.Int64
	bodies   chan []byte
	headers  chan http.Header
}

func (c *receiver) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	if r.Header.Get("Content-Encoding") == "gzip" {
		z, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			panic(err)
		}
		body, _ = io.ReadAll(z)
	}
	n := int(c.requests.Add(1))
	c.bodies <- body
	c.headers <- r.Header
	w.WriteHeader(c.statuses[min(n, len(c.statuses))-1])
	_, _ = w.Write(c.answer)
}

// collect starts a receiver, and returns its URL.
func collect(t *testing.T, statuses ...int) (*receiver, string) {
	c := &receiver{statuses: statuses, bodies: make(chan []byte, 100), headers: make(chan http.Header, 100)}
	s := httptest.NewServer(c)
	t.Cleanup(s.Close)
	return c, s.URL
}

// start starts the telemetry of a test, and returns its log.
func start(t *testing.T, variables ...string) (*Telemetry, *bytes.Buffer) {
	t.Helper()
	cfg, _, problems := read(variables...)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	var log bytes.Buffer
	tel := New(cfg, "test", zerolog.New(zerolog.SyncWriter(&log)))
	tel.Start()
	return tel, &log
}

func TestExport(t *testing.T) {
	c, url := collect(t, 503, 200)
	tel, log := start(t, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="+url+"/in", "OTEL_EXPORTER_OTLP_HEADERS=x-key=s%20e", "OTEL_EXPORTER_OTLP_COMPRESSION=gzip", "OTEL_SERVICE_NAME=svc")
	tel.queue.add(&span{name: "one \xff", attributes: []attribute{{"a", "x\xff"}, {"b", true}, {"c", -5}, {"d", 1.5}, {"e", []string{"f", "g"}}}, events: []event{{name: "happened"}}})
	tel.queue.add(&span{name: "two", failed: true})
	tel.Close(t.Context())
	for try := range 2 { // the first was refused for now
		body, header := <-c.bodies, <-c.headers
		if header.Get("X-Key") != "s e" || header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("try %d: header %v", try, header)
		}
		for path, want := range map[string][]string{
			"name":      names(body, 1, 2, 2, 5),
			"attribute": names(body, 1, 2, 2, 9, 1),
			"event":     names(body, 1, 2, 2, 11, 2),
			"text":      names(body, 1, 2, 2, 9, 2, 1),
			"list":      names(body, 1, 2, 2, 9, 2, 5, 1, 1),
			"service":   names(body, 1, 1, 1, 2, 1)[:1],
		} {
			expected := map[string][]string{
				"name": {"one ", "two"}, "attribute": {"a", "b", "c", "d", "e"}, "event": {"happened"}, "text": {"x"}, "list": {"f", "g"}, "service": {"svc"},
			}[path]
			if !slices.Equal(want, expected) {
				t.Errorf("try %d: %s is %q, want %q", try, path, want, expected)
			}
		}
	}
	if log.Len() > 0 {
		t.Errorf("the log has %s", log)
	}
}

// TestLost: what a collector does not take is lost, and the log says so without its words.
func TestLost(t *testing.T) {
	for _, test := range []struct {
		status int
		answer []byte
		says   string
	}{
		{400, []byte("secret"), `"lost":2,"signal":"traces","error":"the collector answered with status 400"`},
		{307, nil, `"error":"the collector answered with status 307"`},
		{200, message(nil, 1, text(number(nil, 1, 1), 2, "secret")), `"lost":1,"signal":"traces","error":"the collector rejected them"`},
		{200, message(nil, 1, text(nil, 2, "secret, a warning")), ""},
		{200, []byte("not protobuf"), ""},
	} {
		c, url := collect(t, test.status)
		c.answer = test.answer
		tel, log := start(t, "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT="+url)
		tel.queue.add(&span{name: "one"})
		tel.queue.add(&span{name: "two"})
		tel.Close(t.Context())
		if c.requests.Load() != 1 || !strings.Contains(log.String(), test.says) || test.says == "" && log.Len() > 0 || strings.Contains(log.String(), "secret") {
			t.Errorf("%d: %d requests, log %s, want %s", test.status, c.requests.Load(), log, test.says)
		}
	}
}

// TestQueue: the queue is bounded in length and in bytes, and its batches are.
func TestQueue(t *testing.T) {
	var exported []string
	q := &queue{mostSpans: 5, batch: 2, delay: time.Hour, ready: make(chan struct{}, 1), export: func(_ context.Context, spans []*span) {
		exported = append(exported, fmt.Sprint(len(spans)))
	}}
	for range 7 {
		q.add(&span{})
	}
	closing := make(chan struct{})
	close(closing)
	q.run(t.Context(), closing)
	if got := strings.Join(exported, " "); got != "2 2 1" || q.overflowed() != 2 || q.overflowed() != 0 || q.bytes != 0 {
		t.Errorf("batches %s, %d bytes left", got, q.bytes)
	}
	if q.add(&span{}); q.overflowed() != 1 {
		t.Error("a queue that is closed takes a span")
	}

	large := &span{attributes: []attribute{{"a", strings.Repeat("x", longestQueue/2-1000)}}}
	q = &queue{mostSpans: 5, batch: 5, ready: make(chan struct{}, 1)}
	for range 3 {
		q.add(large)
	}
	if len(q.spans) != 2 || q.overflowed() != 1 {
		t.Errorf("%d large spans fit", len(q.spans))
	}
}

// TestDelay: spans are exported when there is a batch of them, and else when the time has come.
func TestDelay(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var exported atomic.Int64
		q := &queue{mostSpans: 10, batch: 3, delay: time.Minute, ready: make(chan struct{}, 1), export: func(_ context.Context, spans []*span) { exported.Add(int64(len(spans))) }}
		closing, ended := make(chan struct{}), make(chan struct{})
		go func() {
			defer close(ended)
			q.run(t.Context(), closing)
		}()
		q.add(&span{})
		synctest.Wait()
		if exported.Load() != 0 {
			t.Error("a span is exported by itself")
		}
		time.Sleep(time.Minute)
		synctest.Wait()
		if exported.Load() != 1 {
			t.Error("a span is not exported in time")
		}
		for range 3 {
			q.add(&span{})
		}
		synctest.Wait()
		if exported.Load() != 4 {
			t.Error("a batch is not exported at once")
		}
		close(closing)
		<-ended
	})
}

// TestComplaints: the log says once in a while that something is lost, and how much.
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
