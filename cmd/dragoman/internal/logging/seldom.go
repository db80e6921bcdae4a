package logging

import (
	"sync"
	"time"
)

// Seldom limits a log line to one a minute, whatever clients do. The zero value is ready.
type Seldom struct {
	mu   sync.Mutex
	last time.Time
}

// Due reports whether the line may be written now. If so, the next minute begins.
func (s *Seldom) Due() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.last.IsZero() && time.Since(s.last) < time.Minute {
		return false
	}
	s.last = time.Now()
	return true
}
