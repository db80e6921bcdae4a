package main

import (
	"flag"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"testing"
	"time"

	"github.com/rs/zerolog"
	"golang.org/x/sys/unix"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/upstream"
)

var gate = flag.Bool("gate", false, "hold the bounds of the benchmarks, which takes a minute")

// The bounds of the gate. Memory hardly varies, so its bounds are a tenth above the figures of the commit that set them.
// Processor time is a ratio to ReverseProxy's. Its bounds are a quarter above the medians of five runs on a quiet machine,
// which were 6.1 for a whole answer and 1.7 for a stream. Other work slows the two proxies down by different factors, so
// the gate measures up to five times.
const (
	maxBytes     = 1.1 * 387_000 // allocated for a request of 71 KB, answer not streamed
	maxAllocs    = 1.1 * 800     // allocations for it
	maxWhole     = 7.6           // its processor time, times ReverseProxy's
	maxStream    = 2.1           // the same, streamed
	maxExponent  = 1.25          // of processor time, for sixteen times the size
	gateAttempts = 5
)

// question is a request, its answer, and how often the gate asks it.
type question struct {
	body     string
	argument int // bytes of the call's argument in the answer
	times    int
	live     bool // many at once, each written piece by piece
}

// The questions of the benchmarks: a request of 71 KB, answered in one piece and with a stream of about 250
// events; and requests and streamed arguments of two sizes, the second sixteen times the first.
var (
	whole     = question{body: load("71KB/code"), argument: 400, times: 400}
	stream    = question{body: streamed(load("71KB/code")), argument: 4000, times: 48, live: true}
	requests  = []question{{body: requestOf(64 << 10), argument: 400, times: 300}, {body: requestOf(1 << 20), argument: 400, times: 50}}
	arguments = []question{{body: streamed(requestOf(0)), argument: 100 << 10, times: 30}, {body: streamed(requestOf(0)), argument: 1600 << 10, times: 3}}
)

func BenchmarkWhole(b *testing.B)    { compare(b, whole) }
func BenchmarkStream(b *testing.B)   { compare(b, stream) }
func BenchmarkRequest(b *testing.B)  { grow(b, requests) }
func BenchmarkArgument(b *testing.B) { grow(b, arguments) }

// compare asks both proxies a question.
func compare(b *testing.B, q question) {
	b.Run("ReverseProxy", func(b *testing.B) { bench(b, reverseProxy, q) })
	b.Run("Dragoman", func(b *testing.B) { bench(b, dragoman, q) })
}

// grow asks Dragoman the smaller and the larger question.
func grow(b *testing.B, list []question) {
	b.Run("1", func(b *testing.B) { bench(b, dragoman, list[0]) })
	b.Run("16", func(b *testing.B) { bench(b, dragoman, list[1]) })
}

func bench(b *testing.B, w starter, q question) {
	q.times = b.N
	b.ReportMetric(cost(b, w, q), "cpu-µs/op")
}

// starter starts a proxy before the model, and returns its URL.
type starter func(tb testing.TB, model string) string

func reverseProxy(tb testing.TB, model string) string {
	to, err := url.Parse(model)
	if err != nil {
		tb.Fatal(err)
	}
	return serve(tb, passing(to))
}

func dragoman(tb testing.TB, model string) string {
	up, err := upstream.NewAnthropic(upstream.ServerOptions{BaseURL: model, APIKey: "none"})
	if err != nil {
		tb.Fatal(err)
	}
	server, err := proxy.New(proxy.Options{
		Routes:    []proxy.Route{{Name: "*", UpstreamModel: proxy.UpstreamModel{Upstream: "model", Model: "anthropic.claude-v2:1", ModelOptions: translate.ModelOptions{StreamValues: translate.ValuesFlow}}}},
		Upstreams: map[string]proxy.Upstream{"model": up}, Loopback: true, Log: zerolog.New(io.Discard),
	})
	if err != nil {
		tb.Fatal(err)
	}
	return serve(tb, server.Handler())
}

func serve(tb testing.TB, h http.Handler) string {
	server := httptest.NewServer(h)
	tb.Cleanup(server.Close)
	return server.URL
}

// cost asks a question as often as it says, and returns the processor time of this process for one answer, in
// microseconds. The process contains only the proxy, because the crowd has the clients and the model.
func cost(tb testing.TB, w starter, q question) float64 {
	tb.Helper()
	o := order{To: w(tb, crowd), Body: q.body, Argument: q.argument, Times: 1, Connections: 1}
	if q.live {
		// Without the pause, the number of pieces that a proxy finds at once, and so their cost, depends on
		// other load.
		o.Connections, o.Pause = 16, time.Millisecond
	}
	if err := o.place(); err != nil { // a warm-up, for one-time costs
		tb.Fatal(err)
	}
	o.Times = q.times
	begun := processorTime()
	if err := o.place(); err != nil {
		tb.Fatal(err)
	}
	return float64((processorTime() - begun).Microseconds()) / float64(q.times)
}

// memory asks Dragoman a question as often as it says, and returns what this process allocates for one answer: bytes and
// allocations.
func memory(tb testing.TB, q question) (bytes, allocations float64) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	cost(tb, dragoman, q)
	runtime.ReadMemStats(&after)
	times := float64(q.times)
	return float64(after.TotalAlloc-before.TotalAlloc) / times, float64(after.Mallocs-before.Mallocs) / times
}

// processorTime is the processor time of this process so far.
func processorTime() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_PROCESS_CPUTIME_ID, &t); err != nil {
		panic(err)
	}
	return time.Duration(t.Nano())
}

// TestGate checks the bounds. If a value exceeds its bound, it is measured again.
func TestGate(t *testing.T) {
	if !*gate {
		t.Skip("-gate is not set")
	}
	times := func(q question) (of float64) {
		var ours, theirs float64
		for range 3 { // in turn, so that other load affects both
			theirs += cost(t, reverseProxy, q)
			ours += cost(t, dragoman, q)
		}
		return ours / theirs
	}
	exponent := func(list []question) float64 {
		return math.Log(cost(t, dragoman, list[1])/cost(t, dragoman, list[0])) / math.Log(16)
	}
	for _, bound := range []struct {
		what    string
		measure func() float64
		most    float64
	}{
		{"bytes allocated for a whole answer to 71 KB", func() float64 { bytes, _ := memory(t, whole); return bytes }, maxBytes},
		{"allocations for a whole answer to 71 KB", func() float64 { _, n := memory(t, whole); return n }, maxAllocs},
		{"processor time of a whole answer to 71 KB, × ReverseProxy", func() float64 { return times(whole) }, maxWhole},
		{"processor time of a stream, × ReverseProxy", func() float64 { return times(stream) }, maxStream},
		{"exponent of processor time with the bytes of a request", func() float64 { return exponent(requests) }, maxExponent},
		{"exponent of processor time with the bytes of an argument", func() float64 { return exponent(arguments) }, maxExponent},
	} {
		held := false
		for range gateAttempts {
			got := bound.measure()
			t.Logf("%s: %.2f, and %.2f at most", bound.what, got, bound.most)
			if held = got > 0 && got <= bound.most; held { // 0: the clock was too coarse
				break
			}
		}
		if !held {
			t.Errorf("%s is beyond the bound", bound.what)
		}
	}
}
