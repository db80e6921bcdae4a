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
	mu     sync.Mutex
	taught map[lesson]taught
	since  time.Time // of the oldest
}

// taught is what a model has said of itself.
type taught struct {
	refuses   upstream.Features
	maxTokens int // the most that it gives; 0 if it has not said so
}

// lesson is whose: the way to an upstream and the model there.
type lesson struct{ via, model string }

// heed returns the model of a way, as it is to be asked.
func (l *lessons) heed(w Way) upstream.Model {
	asked := w.Asked()
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.since) > forget {
		l.taught = nil
	}
	t := l.taught[lesson{w.Via(), w.Model}]
	asked.Can &^= t.refuses
	asked.MaxTokens = lower(asked.MaxTokens, t.maxTokens)
	return asked
}

// learn remembers what the model of a way has said of itself.
func (l *lessons) learn(w Way, news taught) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.taught == nil || len(l.taught) >= mostLessons {
		l.taught, l.since = map[lesson]taught{}, time.Now()
	}
	key := lesson{w.Via(), w.Model}
	old := l.taught[key]
	l.taught[key] = taught{old.refuses | news.refuses, lower(old.maxTokens, news.maxTokens)}
}

// lower returns the lower one of two limits; 0 is none.
func lower(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
