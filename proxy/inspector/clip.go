package inspector

import "strings"

// clip returns a client's text, shortened for the list.
func clip(s string) string { return clipTo(s, mostLine) }

// clipTo returns the first n bytes of a text, with a mark if it was cut. It returns a copy, because the text may be
// part of a much longer one, such as the path of a URL with a query.
func clipTo(s string, n int) string {
	if len(s) > n {
		s = s[:n] + "…"
	}
	return strings.Clone(strings.ToValidUTF8(s, "\ufffd"))
}

// clipAll returns the first of some texts, shortened for the list.
func clipAll(names []string) []string {
	const most = 32
	var out []string
	for _, name := range names[:min(len(names), most)] {
		out = append(out, clip(name))
	}
	return out
}
