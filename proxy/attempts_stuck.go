package proxy

import "sync"

// stuckCounts counts, for each model, how many of its answers to results needed a reminder. Clients can make up names
// of models, so it counts at most maxRefusals models.
type stuckCounts struct {
	mu sync.Mutex
	of map[way]*stuckCount
}

// stuckCount counts the answers of one model to results.
type stuckCount struct {
	answers, reminders int
	told               bool // the operator was told
}

// fewReminders is the number of reminders that may be chance.
const fewReminders = 5

// add counts an answer, or the reminder in place of an answer. It reports whether the operator should hear, for the
// first time, that a quarter of the model's answers or more need a reminder.
func (s *stuckCounts) add(m way, reminder bool) (tell bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	c := s.of[m]
	if c == nil {
		if len(s.of) >= maxRefusals {
			return false
		}
		if s.of == nil {
			s.of = map[way]*stuckCount{}
		}
		c = &stuckCount{}
		s.of[m] = c
	}
	if !reminder {
		c.answers++
		return false
	}
	c.reminders++
	tell = !c.told && c.reminders >= fewReminders && 4*c.reminders >= c.answers
	c.told = c.told || tell
	return tell
}

// noteReminder counts a reminder. If the model needs reminders often, it logs once what to set.
func (s *Server) noteReminder(m UpstreamModel) {
	if s.stuck.add(m.way(), true) && m.ResultNote == "" {
		s.log.Warn().Str("upstream", m.Upstream).Str("upstream_model", clip(m.Model)).
			Str("event", "needs_reminders").Str("msg", "the model often answers results with nothing, or with the same calls, and is asked twice: "+
			"set result_note: on in its entry, or try another format; this is logged once").Send()
	}
}
