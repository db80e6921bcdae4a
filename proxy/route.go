package proxy

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"dragoman/proxy/nearest"
	"dragoman/translate/messages"
)

// Route maps the names that clients ask for to the models that may answer them.
type Route struct {
	// Name is what clients ask for. Each * in it stands for any characters, also none.
	Name string
	UpstreamModel
	// Fallbacks are asked in their order when the first model's upstream fails.
	Fallbacks []UpstreamModel
}

// UpstreamModels returns the models of the route in the order in which they are asked.
func (r Route) UpstreamModels() []UpstreamModel {
	return append([]UpstreamModel{r.UpstreamModel}, r.Fallbacks...)
}

// For returns the route for one name that it matches: each of its models has the id that
// its upstream knows.
func (r Route) For(name string) Route {
	r.UpstreamModel = r.UpstreamModel.of(r.Name).For(name)
	r.Fallbacks = slices.Clone(r.Fallbacks)
	for i, m := range r.Fallbacks {
		r.Fallbacks[i] = m.of(r.Name).For(name)
	}
	return r
}

// Matches reports whether the route is for a name that a client asks for. It looks at
// the name once for each * at most: a client chooses the name, and must not be able to
// make a pattern expensive.
func (r Route) Matches(name string) bool {
	head, pattern, wild := strings.Cut(r.Name, "*")
	if !wild {
		return r.Name == name
	}
	rest, ok := strings.CutPrefix(name, head)
	for ok {
		var piece string
		if piece, pattern, wild = strings.Cut(pattern, "*"); !wild {
			return strings.HasSuffix(rest, piece)
		}
		_, rest, ok = strings.Cut(rest, piece)
	}
	return false
}

// routes are all routes in the order of the configuration.
type routes []Route

// index returns which route is the first that matches a name, -1 for none.
func (rs routes) index(name string) int {
	return slices.IndexFunc(rs, func(r Route) bool { return r.Matches(name) })
}

// find returns the first route that matches a name that a client asks for. The error
// says to the client that there is none, and which names are nearest.
func (rs routes) find(name string) (Route, error) {
	if i := rs.index(name); i >= 0 {
		return rs[i].For(name), nil
	}
	const longest = 64
	shown := name[:min(len(name), longest)]
	return Route{}, &failure{
		status:  http.StatusNotFound,
		typ:     messages.ErrorNotFound,
		message: fmt.Sprintf("model: %s: no model of this name is configured; the nearest: %s", strings.ToValidUTF8(shown, ""), strings.Join(rs.nearestNames(shown), ", ")),
	}
}

// nearestNames returns up to three configured names: those that the fewest changes of
// single bytes turn into name.
func (rs routes) nearestNames(name string) []string {
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = r.Name
	}
	slices.SortStableFunc(names, func(a, b string) int { return nearest.Distance(name, a) - nearest.Distance(name, b) })
	names = slices.Compact(names)
	return names[:min(len(names), 3)]
}
