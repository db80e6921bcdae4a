package proxy

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/cenkalti/backoff/v5"

	"dragoman/upstream"
)

// A model that is not ready is still being loaded, which takes minutes. Bedrock unloads an imported model that nobody
// calls, and loads it again at the next call. A model server may just have started.

// coldStart tracks the wait for models that are not ready.
type coldStart struct {
	since   time.Time // when the current model was first found not ready; zero before that
	backoff *backoff.ExponentialBackOff
	behind  bool // a model that was not ready comes again after the fallbacks
}

// afterNotReady is the retry-after if a model did not become ready in time.
const afterNotReady = 30 * time.Second

// notReady reports whether a call failed because the model is still being loaded.
func notReady(err error) bool {
	var upstreamErr *upstream.Error
	return errors.As(err, &upstreamErr) && upstreamErr.NotReady
}

// awaitModel decides what follows a try that failed because the model is not ready. It asks the fallbacks first, and
// then this model again, with pauses. It returns nil when it is time for the next try, and otherwise the error for the
// client.
func (a *attempts) awaitModel(ctx context.Context, err error) error {
	if len(a.fallbacks) > 0 {
		if !a.start.behind {
			a.start.behind = true
			a.fallbacks = append(slices.Clip(a.fallbacks), a.model)
		}
		a.fallBack(err)
		return nil
	}
	pause := a.start.pause(a.x.s.timeouts.ModelReady)
	if pause <= 0 {
		own := *errorOf(err)
		own.RetryAfter = max(own.RetryAfter, afterNotReady)
		return &own
	}
	a.x.record.logNotReady(err, pause)
	a.tries-- // does not count against Options.Attempts, because the upstream works
	return a.wait(ctx, pause)
}

// errorOf returns the upstream's error inside err.
func errorOf(err error) *upstream.Error {
	var upstreamErr *upstream.Error
	errors.As(err, &upstreamErr)
	return upstreamErr
}

// pause returns how long to wait before the next try; 0 when the time for the model is over.
func (c *coldStart) pause(most time.Duration) time.Duration {
	if c.since.IsZero() {
		c.since, c.backoff = time.Now(), backoff.NewExponentialBackOff()
		c.backoff.InitialInterval, c.backoff.MaxInterval = time.Second, 30*time.Second
	}
	return min(c.backoff.NextBackOff(), most-time.Since(c.since))
}
