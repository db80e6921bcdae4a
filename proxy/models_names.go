package proxy

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"dragoman/proxy/nearest"
)

// Names of models that the upstream does not list.

// route returns the route for a name that a client asks for. If there is none, the error tells the client the nearest
// names.
func (s *Server) route(ctx context.Context, name string) (Route, error) {
	if i := s.routes.index(name); i >= 0 && s.routes[i].AnyName {
		return s.withOnlyModel(ctx, s.routes[i], name).For(name), nil
	}
	return s.routes.find(name)
}

// OnlyModel returns the model that answers, whatever name a client asks for. It returns "" if the name matters, or if
// the upstream has not listed its models in time.
func (s *Server) OnlyModel(ctx context.Context) string {
	if !s.routes[0].AnyName {
		return ""
	}
	return s.withOnlyModel(ctx, s.routes[0], "").Model
}

// withOnlyModel returns a route with AnyName. If its model is open and its upstream lists only one model, the route
// gets that model. The first name that the upstream does not list is logged; "" is no name.
func (s *Server) withOnlyModel(ctx context.Context, r Route, name string) Route {
	list := s.lists[r.Upstream]
	if r.Model != "" || list == nil {
		return r
	}
	ids, known := list.ids(ctx)
	if !known || slices.Contains(ids, name) {
		return r
	}
	msg := "a client asked for a model that the server does not list. To answer every name with one model, start Dragoman with --model NAME"
	if len(ids) == 1 {
		r.Model = ids[0]
		msg = "a client asked for a model that the server does not list; Dragoman asks the only model that it lists"
	}
	if name != "" && s.unknown.add(r.Upstream) {
		s.log.Warn().Str("upstream", r.Upstream).Str("model", clip(name)).Str("upstream_model", r.Model).Str("event", "model_unknown").
			Str("msg", msg+"; this is logged once").Send()
	}
	return r
}

// ids returns the ids of the upstream's models. It waits for the first list, but not for long.
func (l *modelList) ids(ctx context.Context) (ids []string, known bool) {
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	models, known := l.get(ctx)
	for _, m := range models {
		ids = append(ids, m.ID)
	}
	return ids, known
}

// addNames adds to an upstream's 404 for a model the names that the upstream lists.
func (x *exchange) addNames(f *failure) {
	list := x.s.lists[x.record.Upstream]
	if f.status != http.StatusNotFound || f.reason != reasonUpstream || x.record.Status != 0 || list == nil {
		return
	}
	asked := x.record.UpstreamModel
	if ids, _ := list.ids(x.r.Context()); len(ids) > 0 && !slices.Contains(ids, asked) {
		f.message += "; the upstream lists: " + strings.Join(nearest.First(asked[:min(len(asked), longestShown)], ids, mostNames), ", ")
	}
}
