package upstream

import (
	"context"
	"sync"
	"time"
)

// Resolved is what an upstream tells of the model behind an id, which may be an alias or an ARN. Texts are "" where it
// tells nothing.
type Resolved struct {
	Model  string // names the model: "Qwen2.5-Coder", "qwen2.5-coder-1.5b.gguf", "meta.llama3-1-8b-instruct-v1:0"
	Body   string // in which a raw prompt is sent, unless its entry says otherwise
	Chat   bool   // the model takes messages, too: its server has the template that nothing else may tell
	Server string // what serves it: "vllm", "llama.cpp", "bedrock-import", or the host of an endpoint that has one of its own
}

// How an upstream is asked.
const (
	resolveTimeout = 5 * time.Second
	resolveRetry   = time.Minute // before an upstream that could not be reached is asked again
	mostResolved   = 256         // ids that are remembered
	mostResolving  = 4           // ids that are asked for at once
)

// resolver remembers what an upstream has told of its models, by their ids.
type resolver struct {
	mu      sync.Mutex
	known   map[string]*resolution
	asking  int
	closed  bool
	ctx     context.Context // of the calls that ask; ends with close
	cancel  context.CancelFunc
	pending sync.WaitGroup
}

// resolution is what an upstream has told of a model.
type resolution struct {
	Resolved
	asked chan struct{} // closed when the upstream has answered for the first time, or could not be reached
	again time.Time     // when to ask again, for an upstream that could not be reached; zero for never
}

func newResolver() *resolver {
	r := &resolver{known: map[string]*resolution{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// resolveFunc asks an upstream. The error is that of one that could not tell now; what it has told counts all the same.
type resolveFunc func(ctx context.Context, id string) (Resolved, error)

// of returns what is known of a model. If nothing is, ask is called in the background, once at a time.
func (r *resolver) of(id string, ask resolveFunc) Resolved {
	known, _ := r.start(id, ask)
	return known
}

// wait is [resolver.of], but waits until ask has been called once.
func (r *resolver) wait(ctx context.Context, id string, ask resolveFunc) Resolved {
	known, asked := r.start(id, ask)
	if asked == nil {
		return known
	}
	select {
	case <-asked:
	case <-ctx.Done():
	}
	known, _ = r.start(id, ask)
	return known
}

// start has ask called if it is time. asked is nil for an id that nobody asks for.
func (r *resolver) start(id string, ask resolveFunc) (known Resolved, asked <-chan struct{}) {
	r.mu.Lock()
	defer r.mu.Unlock()
	m := r.known[id]
	switch {
	case m != nil && (m.again.IsZero() || time.Now().Before(m.again)):
		return m.Resolved, m.asked
	case r.closed || r.asking == mostResolving:
		return known, nil
	case m == nil:
		if len(r.known) >= mostResolved { // names that clients made up, most likely
			clear(r.known)
		}
		m = &resolution{asked: make(chan struct{})}
		r.known[id] = m
	}
	m.again = time.Now().Add(resolveRetry) // nobody else asks meanwhile
	r.asking++
	r.pending.Go(func() {
		ctx, cancel := context.WithTimeout(r.ctx, resolveTimeout)
		defer cancel()
		told, err := ask(ctx, id)
		r.mu.Lock()
		defer r.mu.Unlock()
		r.asking--
		if m.Resolved = told; err == nil {
			m.again = time.Time{}
		}
		select {
		case <-m.asked:
		default:
			close(m.asked)
		}
	})
	return m.Resolved, m.asked
}

// close ends the calls that ask, and waits for them.
func (r *resolver) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.pending.Wait()
}
