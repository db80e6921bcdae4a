package rolling

import (
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// crowd are clients that ask one address until they are stopped. They do not retry.
type crowd struct {
	*asker
	stopping atomic.Bool
	working  sync.WaitGroup

	streamed, whole atomic.Int64 // answers

	mu       sync.Mutex
	failures []string
}

// newCrowd starts the clients. Some keep a stream open. The others send one short question after another, in
// requests that are too long for a balancer to buffer.
func newCrowd(t *testing.T, address string) *crowd {
	c := &crowd{asker: newAsker(address, 23<<10)}
	for worker := range streams {
		c.working.Go(func() { c.work(worker, "order %d-%d", c.stream, &c.streamed) })
	}
	for worker := range 8 {
		c.working.Go(func() { c.work(worker, "quick order %d-%d", c.ask, &c.whole) })
	}
	t.Cleanup(c.stop)
	return c
}

// work asks until the crowd stops, with at most 20 short questions a second.
func (c *crowd) work(worker int, name string, ask func(order string) error, answered *atomic.Int64) {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for n := 0; !c.stopping.Load(); n++ {
		<-tick.C
		err := ask(fmt.Sprintf(name, worker, n))
		if err == nil {
			answered.Add(1)
			continue
		}
		c.mu.Lock()
		c.failures = append(c.failures, fmt.Sprintf("%s "+name+": %v", time.Now().Format("15:04:05.000"), worker, n, err))
		c.mu.Unlock()
	}
}

// stop lets the clients finish their requests, and begin no more.
func (c *crowd) stop() {
	c.stopping.Store(true)
	c.working.Wait()
	c.client.CloseIdleConnections()
}

// report stops the crowd and fails the test with its failures.
func (c *crowd) report(t *testing.T) {
	t.Helper()
	c.stop()
	t.Logf("%d streams and %d answers in one piece came whole, %d failed", c.streamed.Load(), c.whole.Load(), len(c.failures))
	for i, failure := range c.failures {
		if i == 10 {
			break
		}
		t.Error(failure)
	}
	if c.streamed.Load() < 2*streams || c.whole.Load() == 0 {
		t.Error("too few for a test")
	}
}
