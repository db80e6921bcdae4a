package inspector

import "strings"

// clip returns a text of a client's as the list shows it.
func clip(s string) string { return clipTo(s, mostLine) }

// clipTo returns the beginning of a text, of at most n bytes and a mark that it is cut. It is a copy:
// a text may be part of one that is much longer, as a path is of a path with a query.
func clipTo(s string, n int) string {
	if len(s) > n {
		s = s[:n] + "…"
	}
	return strings.Clone(strings.ToValidUTF8(s, "\ufffd"))
}

// clipAll returns the first of some texts, as the list shows them.
func clipAll(names []string) []string {
	const most = 32
	var out []string
	for _, name := range names[:min(len(names), most)] {
		out = append(out, clip(name))
	}
	return out
}
