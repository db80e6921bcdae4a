package proxy

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"runtime"
	"strings"
	"testing"

	"dragoman/upstream"
)

// BenchmarkOpenStreams measures an open, silent stream after its first words: KiB of heap and stacks, and goroutines.
// The client and the upstream run in the same process. Their share is subtracted, measured by a stream without a proxy.
// Compare with httputil.ReverseProxy in the same run.
func BenchmarkOpenStreams(b *testing.B) {
	const streams = 200
	wire := deltaWires(b)["messages"]
	for _, kb := range []int{2, 64} {
		body := strings.Replace(streamed(question), "What is the weather", strings.Repeat("What is the weather ", kb<<10/20), 1)
		var directMemory, directGoroutines float64
		for _, way := range []string{"direct", "ReverseProxy", "Dragoman"} {
			b.Run(fmt.Sprintf("request=%dKiB/%s", kb, way), func(b *testing.B) {
				release := make(chan struct{})
				fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.Copy(io.Discard, r.Body)
					w.Header().Set("Content-Type", wire.contentType)
					_, _ = io.WriteString(w, wire.start+wire.delta)
					_ = http.NewResponseController(w).Flush()
					<-release
				}))
				defer fake.Close()
				defer close(release)
				address := fake.Listener.Addr().String()
				if way != "direct" {
					front := httptest.NewServer(benchmarked(b, way, fake.URL))
					defer front.Close()
					address = front.Listener.Addr().String()
				}
				closeFirst := openStream(b, address, "/v1/messages", body)
				defer closeFirst()
				before, goroutines := inUse()
				b.ResetTimer()
				for range streams {
					defer openStream(b, address, "/v1/messages", body)()
				}
				b.StopTimer()
				after, more := inUse()
				memory, started := (after-before)/streams/1024, float64(more-goroutines)/streams
				if way == "direct" {
					directMemory, directGoroutines = memory, started
				}
				b.ReportMetric(memory-directMemory, "KiB/stream")
				b.ReportMetric(started-directGoroutines, "goroutines/stream")
			})
		}
	}
}

// benchmarked returns the named proxy in front of the upstream at this URL.
func benchmarked(b *testing.B, way, to string) http.Handler {
	if way == "ReverseProxy" {
		target, err := url.Parse(to)
		if err != nil {
			b.Fatal(err)
		}
		p := httputil.NewSingleHostReverseProxy(target)
		p.FlushInterval, p.ErrorLog = -1, log.New(io.Discard, "", 0)
		return p
	}
	up, err := upstream.NewAnthropic(upstream.ServerOptions{BaseURL: to})
	if err != nil {
		b.Fatal(err)
	}
	return newServer(b, up).Handler()
}

// openStream sends a request, and reads the first words of the answer. It returns the function that closes the
// connection.
func openStream(b testing.TB, address, path, body string) func() {
	c, err := net.Dial("tcp", address)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: dragoman\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", path, len(body), body); err != nil {
		b.Fatal(err)
	}
	var answer []byte
	for buf := make([]byte, 4<<10); !bytes.Contains(answer, []byte("sixteen")); {
		n, err := c.Read(buf)
		if err != nil {
			b.Fatalf("%v behind %s", err, answer)
		}
		answer = append(answer, buf[:n]...)
	}
	return func() { c.Close() }
}

// inUse returns the bytes of heap and stacks in use, and the number of goroutines.
func inUse() (float64, int) {
	runtime.GC()
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return float64(m.HeapAlloc + m.StackInuse), runtime.NumGoroutine()
}
