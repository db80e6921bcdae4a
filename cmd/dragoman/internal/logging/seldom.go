package logging

import (
	"sync"
	"time"
)

// Seldom is for a line that the log has at most once a minute, whatever clients do. The zero value is ready.
type Seldom struct {
	mu   sync.Mutex
	last time.Time
}

// Due reports whether the line may be written now, and takes it that it is.
func (s *Seldom) Due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() && time.Since(s.last) < time.Minute {
		return false
	}
	s.last = time.Now()
	return true
}
