package eval

import (
	"fmt"
	"slices"
	"strings"
)

// ranked returns the formats, the one with the most right answers first. Formats with the same number stay in the order
// of the report.
func (r *Report) ranked() []Summary {
	list := slices.Clone(r.Formats)
	slices.SortStableFunc(list, func(a, b Summary) int { return b.Right - a.Right })
	return list
}

// Verdict returns a sentence about the best format, or says that there is no clear winner because one question would
// change it.
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

// Best returns the way to configure: the one with the most right answers. It returns the preferred format if the best
// one leads it by at most one question. The server's own tools API ([Server], [Native]) wins only if it leads every
// format by more than that, and has made calls. Best returns "" if nothing was asked.
func (r *Report) Best(preferred string) string {
	list := r.ranked()
	formats := slices.DeleteFunc(slices.Clone(list), func(s Summary) bool { return s.overTools() })
	switch {
	case len(list) == 0:
		return ""
	case list[0].overTools() && list[0].Calls > 0 && (len(formats) == 0 || list[0].Right-formats[0].Right > 1):
		return list[0].Format
	case len(formats) == 0:
		return ""
	}
	for _, s := range formats {
		if s.Format == preferred && formats[0].Right-s.Right <= 1 {
			return preferred
		}
	}
	return formats[0].Format
}

// overTools reports whether the questions were asked through the server's own tools API.
func (s *Summary) overTools() bool { return s.Format == Server || s.Format == Native }
