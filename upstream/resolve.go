package upstream

import (
	"context"
	"sync"
	"time"
)

// Resolved is what an upstream tells about the model behind an id, such as an alias or an ARN. Unknown texts
// are "".
type Resolved struct {
	Model  string // a text that names the model: "Qwen2.5-Coder", "qwen2.5-coder-1.5b.gguf", "meta.llama3-1-8b-instruct-v1:0"
	Body   string // the body for a raw prompt, if the model's entry names none
	Chat   bool   // the model also takes chat completions, with its server's own template
	Server string // the program that serves the model: "vllm", "llama.cpp", "bedrock-import"; or the host of a dedicated endpoint
	Slots  int    // how many requests the server answers at once; 0 if it does not say
}

// Limits for asking an upstream about its models.
const (
	resolveTimeout = 5 * time.Second
	resolveRetry   = time.Minute // before Dragoman asks again, after an upstream could not be reached
	mostResolved   = 256         // ids in memory
	mostResolving  = 4           // requests at the same time
)

// resolver asks an upstream about its models, and remembers the answers by id.
type resolver struct {
	mu      sync.Mutex
	known   map[string]*resolution
	asking  int
	closed  bool
	ctx     context.Context // for the requests; close ends it
	cancel  context.CancelFunc
	pending sync.WaitGroup
}

// resolution is what an upstream has told about a model.
type resolution struct {
	Resolved
	asked chan struct{} // closed after the first attempt
	again time.Time     // when to ask again; zero for never, because the upstream has answered
}

func newResolver() *resolver {
	r := &resolver{known: map[string]*resolution{}}
	r.ctx, r.cancel = context.WithCancel(context.Background())
	return r
}

// resolveFunc asks an upstream. An error means: ask again later. The returned Resolved counts even with an
// error.
type resolveFunc func(ctx context.Context, id string) (Resolved, error)

// of returns what is known about a model. If nothing is known, it calls ask in the background, once at a
// time.
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

// start calls ask in the background if it is due. asked is nil if there is no call to wait for.
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
		if len(r.known) >= mostResolved { // probably names that clients invented
			clear(r.known)
		}
		m = &resolution{asked: make(chan struct{})}
		r.known[id] = m
	}
	m.again = time.Now().Add(resolveRetry) // nobody else asks in the meantime
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

// close cancels the running calls, and waits for their end.
func (r *resolver) close() {
	r.mu.Lock()
	r.closed = true
	r.mu.Unlock()
	r.cancel()
	r.pending.Wait()
}
