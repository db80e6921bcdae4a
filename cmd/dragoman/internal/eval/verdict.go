package eval

import (
	"fmt"
	"slices"
	"strings"
)

// ranked returns the formats with the most right answers first. Of two that have as many, the first
// of the report is first.
func (r *Report) ranked() []Summary {
	list := slices.Clone(r.Formats)
	slices.SortStableFunc(list, func(a, b Summary) int { return b.Right - a.Right })
	return list
}

// Verdict says in a sentence which format is best, or that there is no clear winner: one question
// would turn it.
func (r *Report) Verdict() string {
	list := r.ranked()
	best := list[0]
	if len(list) == 1 {
		return fmt.Sprintf("%s: %d of %d right.", best.Format, best.Right, best.Questions)
	}
	if next := list[1]; best.Right-next.Right > 1 {
		return fmt.Sprintf("Winner: %s, with %d of %d right. Next: %s, with %d.", best.Format, best.Right, best.Questions, next.Format, next.Right)
	}
	var near []string
	for _, s := range list {
		if best.Right-s.Right <= 1 {
			near = append(near, fmt.Sprintf("%s %d", s.Format, s.Right))
		}
	}
	return fmt.Sprintf("No clear winner: one question would turn it (of %d right: %s).", best.Questions, strings.Join(near, ", "))
}

// Best returns the format to configure: that with the most right answers, of those in which Dragoman
// writes the prompt. Where it leads another by one question or less, a format that is preferred is
// taken, if it is among those. It is "" if none was asked in.
func (r *Report) Best(preferred string) string {
	list := slices.DeleteFunc(r.ranked(), func(s Summary) bool { return s.Format == Server || s.Format == Native })
	for _, s := range list {
		if s.Format == preferred && list[0].Right-s.Right <= 1 {
			return preferred
		}
	}
	if len(list) == 0 {
		return ""
	}
	return list[0].Format
}
