package proxy

import (
	"context"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"dragoman/translate"
)

// BenchmarkOverload measures how long admitted clients wait, in milliseconds (p50, p99): with as many clients as
// places, and with five times as many. Rejected clients come back after a pause, often enough to do harm. A model takes
// 20 ms for an answer.
func BenchmarkOverload(b *testing.B) {
	const places = 16
	slow := upstreamFunc(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
		select {
		case <-time.After(20 * time.Millisecond):
			completing(endOfTurn, "hi")(ctx, yield)
		case <-ctx.Done():
		}
	})
	for _, bb := range []struct {
		name    string
		clients int
	}{{"as many as admitted", places}, {"five times as many", 5 * places}} {
		b.Run(bb.name, func(b *testing.B) {
			srv := listen(b, newServer(b, slow, func(o *Options) { o.MaxConcurrent = places }))
			body := longQuestion(10 << 10)
			var (
				mu      sync.Mutex
				took    []time.Duration
				refused int
				clients sync.WaitGroup
			)
			for range bb.clients {
				clients.Go(func() {
					c := &http.Client{Transport: &http.Transport{}}
					defer c.CloseIdleConnections()
					for range b.N {
						began := time.Now()
						res, err := c.Post(srv.URL+"/v1/messages", "application/json", strings.NewReader(body))
						if err != nil {
							b.Error(err)
							return
						}
						_, _ = io.Copy(io.Discard, res.Body)
						res.Body.Close()
						mu.Lock()
						if res.StatusCode == http.StatusOK {
							took = append(took, time.Since(began))
						} else {
							refused++
						}
						mu.Unlock()
						if res.StatusCode != http.StatusOK {
							time.Sleep(50 * time.Millisecond) // a twentieth of the shortest retry-after
						}
					}
				})
			}
			clients.Wait()
			slices.Sort(took)
			b.ReportMetric(milliseconds(took[len(took)/2]), "p50-ms")
			b.ReportMetric(milliseconds(took[len(took)*99/100]), "p99-ms")
			b.ReportMetric(float64(refused)/float64(refused+len(took)), "refused")
			b.ReportMetric(0, "ns/op")
		})
	}
}
