package telemetry

import (
	"context"
	"sync"
	"time"
)

// longestQueue bounds the memory of spans that wait, in bytes. Without contents a span takes 2 KB.
const longestQueue = 32 << 20

// queue is where spans wait to be exported. What it has no room for is lost.
type queue struct {
	mostSpans int           // OTEL_BSP_MAX_QUEUE_SIZE
	batch     int           // OTEL_BSP_MAX_EXPORT_BATCH_SIZE
	delay     time.Duration // OTEL_BSP_SCHEDULE_DELAY
	ready     chan struct{} // has an element when there is a batch
	export    func(context.Context, []*span)

	mu     sync.Mutex
	spans  []*span
	bytes  int
	lost   int // since lose was called last
	closed bool
}

// add puts a span into the queue, and never waits for more than another add.
func (q *queue) add(s *span) {
	size := s.size()
	q.mu.Lock()
	defer q.mu.Unlock()
	if q.closed || len(q.spans) >= q.mostSpans || q.bytes+size > longestQueue {
		q.lost++
		return
	}
	q.spans = append(q.spans, s)
	q.bytes += size
	if len(q.spans) >= q.batch {
		select {
		case q.ready <- struct{}{}:
		default:
		}
	}
}

// take returns the spans that have waited longest, a batch at most, and whether there are more.
func (q *queue) take() (spans []*span, more bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	n := min(len(q.spans), q.batch)
	spans = q.spans[:n:n]
	q.spans = q.spans[n:]
	for _, s := range spans {
		q.bytes -= s.size()
	}
	if len(q.spans) == 0 {
		q.spans = nil // the array goes with its batch
	}
	return spans, len(q.spans) > 0
}

// overflowed returns how many spans found no room since it was called last.
func (q *queue) overflowed() int {
	q.mu.Lock()
	defer q.mu.Unlock()
	lost := q.lost
	q.lost = 0
	return lost
}

// run exports what comes until closing is closed, and then what is left. ctx ends exports.
func (q *queue) run(ctx context.Context, closing <-chan struct{}) {
	tick := time.NewTicker(q.delay)
	defer tick.Stop()
	for open := true; open; {
		select {
		case <-tick.C:
		case <-q.ready:
		case <-closing:
			open = false
			q.mu.Lock()
			q.closed = true
			q.mu.Unlock()
		}
		for more := true; more; {
			var spans []*span
			if spans, more = q.take(); len(spans) > 0 {
				q.export(ctx, spans)
			}
		}
	}
}
