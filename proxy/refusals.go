package proxy

import (
	"sync"
	"time"

	"dragoman/upstream"
)

// mostLessons bounds the models of which something is remembered: clients can
// make up ids where a name has a wildcard.
const maxRefusals = 1 << 10

// forget is how long a lesson is kept: models change, and a lesson may be wrong.
const refusalLifetime = time.Hour

// lessons is what models have refused, so that they are not asked for it again.
type refusals struct {
	mu      sync.Mutex
	byModel map[refusalKey]refusal
	oldest  time.Time // of the oldest
}

// taught is what a model has said of itself.
type refusal struct {
	features  upstream.Features
	maxTokens int // the most that it gives; 0 if it has not said so
}

// lesson is whose: the way to an upstream and the model there.
type refusalKey struct{ upstream, model string }

// heed returns the model of a way, as it is to be asked.
func (l *refusals) applyTo(w UpstreamModel) upstream.Model {
	asked := w.Spec()
	l.mu.Lock()
	defer l.mu.Unlock()
	if time.Since(l.oldest) > refusalLifetime {
		l.byModel = nil
	}
	t := l.byModel[refusalKey{w.UpstreamKey(), w.Model}]
	asked.Can &^= t.features
	asked.MaxTokens = lowerLimit(asked.MaxTokens, t.maxTokens)
	return asked
}

// learn remembers what the model of a way has said of itself.
func (l *refusals) add(w UpstreamModel, news refusal) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.byModel == nil || len(l.byModel) >= maxRefusals {
		l.byModel, l.oldest = map[refusalKey]refusal{}, time.Now()
	}
	key := refusalKey{w.UpstreamKey(), w.Model}
	old := l.byModel[key]
	l.byModel[key] = refusal{old.features | news.features, lowerLimit(old.maxTokens, news.maxTokens)}
}

// lower returns the lower one of two limits; 0 is none.
func lowerLimit(a, b int) int {
	if a == 0 || b == 0 {
		return max(a, b)
	}
	return min(a, b)
}
