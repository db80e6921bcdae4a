package rolling

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// The benchmarks measure the numbers in docs/how-to/sizing.md, for one process of dragoman, with its own
// metrics. Its processor time counts. The duration would say as much about the clients and the model, which
// run on the same machine.

// BenchmarkRequest sends requests of two sizes, for answers in one piece and for streams of 30 pieces without
// pauses.
func BenchmarkRequest(b *testing.B) {
	for _, size := range []int{1, 115} {
		for _, stream := range []bool{false, true} {
			b.Run(fmt.Sprintf("%dKB/stream=%v", size, stream), func(b *testing.B) {
				r := newReplica(b, newModel(b, 30), 0)
				a := newAsker(r.listen, size<<10)
				ask := a.ask
				if stream {
					ask = a.stream
				}
				measure(b, r, "quick", 8, ask)
			})
		}
	}
}

// BenchmarkMegabyte streams a call with an argument of a megabyte, in pieces of 100 characters.
func BenchmarkMegabyte(b *testing.B) {
	r := newReplica(b, newModel(b, 30), 0)
	measure(b, r, "long", 2, newAsker(r.listen, 1<<10).stream)
}

// measure sends b.N orders of a kind, and reports the cost of one.
func measure(b *testing.B, r *replica, kind string, workers int, ask func(order string) error) {
	if err := ask(kind + " order 0-0"); err != nil {
		b.Fatal(err)
	}
	var next atomic.Int64
	var working sync.WaitGroup
	before := r.metric("process_cpu_seconds_total")
	b.ResetTimer()
	for range workers {
		working.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				if err := ask(fmt.Sprintf("%s order 1-%d", kind, n)); err != nil {
					b.Error(err)
				}
			}
		})
	}
	working.Wait()
	b.StopTimer()
	b.ReportMetric((r.metric("process_cpu_seconds_total")-before)/float64(b.N)*1e6, "cpu-µs/op")
	b.ReportMetric(r.metric("process_resident_memory_bytes")/(1<<20), "MiB")
}

// BenchmarkLive keeps streams of 25 seconds open at once, each with ten pieces a second. It reports the cost
// of one during ten of these seconds.
func BenchmarkLive(b *testing.B) {
	for _, size := range []int{1, 115} {
		for _, live := range []int{250, 1000} {
			b.Run(fmt.Sprintf("%dKB/%d", size, live), func(b *testing.B) {
				r := newReplica(b, newModel(b, 250), 0)
				for range b.N {
					reportLive(b, r, newAsker(r.listen, size<<10), live)
				}
			})
		}
	}
}

func reportLive(b *testing.B, r *replica, a *asker, live int) {
	memory, files := r.metric("process_resident_memory_bytes"), r.metric("process_open_fds")
	var working sync.WaitGroup
	for n := range live {
		working.Go(func() {
			if err := a.stream(fmt.Sprintf("order 1-%d", n)); err != nil {
				b.Error(err)
			}
		})
	}
	await(b, "all streams are open", func() bool { return r.streams() == live })
	cpu, since := r.metric("process_cpu_seconds_total"), time.Now()
	<-time.After(10 * time.Second)
	cpu = (r.metric("process_cpu_seconds_total") - cpu) / time.Since(since).Seconds()
	b.ReportMetric(cpu/float64(live)*1e6, "cpu-µs/s/stream")
	b.ReportMetric((r.metric("process_resident_memory_bytes")-memory)/float64(live)/(1<<10), "KiB/stream")
	b.ReportMetric((r.metric("process_open_fds")-files)/float64(live), "descriptors/stream")
	if open := r.streams(); open != live {
		b.Errorf("only %d streams are open", open)
	}
	working.Wait()
	a.client.CloseIdleConnections()
}
