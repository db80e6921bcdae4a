package proxy

import (
	"sync"
	"time"

	"dragoman/upstream"
)

// mostLessons bounds the models of which something is remembered: clients can
// make up ids where a name has a wildcard.
const mostLessons = 1 << 10

// forget is how long a lesson is kept: models change, and a lesson may be wrong.
const forget = time.Hour

// lessons is what models have refused, so that they are not asked for it again.
type lessons struct {
	mu      sync.Mutex
	refused map[lesson]upstream.Features
	since   time.Time // of the oldest
}

// lesson is whose: the way to an upstream and the model there.
type lesson struct{ via, model string }

// of returns what the model of a way has refused.
func (l *lessons) of(w Way) upstream.Features {
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.since) > forget {
		l.refused = nil
	}
	return l.refused[lesson{w.Via(), w.Model}]
}

// learn remembers that the model of a way refuses a feature.
func (l *lessons) learn(w Way, refused upstream.Features) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.refused == nil || len(l.refused) >= mostLessons {
		l.refused, l.since = map[lesson]upstream.Features{}, time.Now()
	}
	l.refused[lesson{w.Via(), w.Model}] |= refused
}
