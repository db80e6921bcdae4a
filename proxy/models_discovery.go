package proxy

import (
	"context"
	"errors"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/rs/zerolog"

	"dragoman/metrics"
	"dragoman/upstream"
)

// An entry whose name has a wildcard, and that passes the client's name on as the id, serves all models of its
// upstream. The upstream lists its models: the proxy asks it in the background and keeps the latest list. A client
// waits only for the first list, and not for long.

const (
	listLifetime = 5 * time.Minute // how long a list counts as fresh; an older list is used until there is a newer one
	listPause    = 30 * time.Second
	// listWait is how long a client waits for the first list of an upstream. Claude Code gives up after 3 s.
	listWait = 2 * time.Second
	// listTimeout is how long an upstream may take, including credentials and all pages.
	listTimeout = 30 * time.Second
)

// modelList is what an upstream has reported about its models. At most one call is in progress.
type modelList struct {
	upstream string          // its name
	base     context.Context // of the server
	log      zerolog.Logger
	list     func(context.Context) ([]upstream.Listed, error)
	probe    bool // only to find out whether the upstream answers: GET /v1/models has none of its models

	mu     sync.Mutex
	models []upstream.Listed
	known  bool          // models is the upstream's answer
	due    time.Time     // when the next call is allowed
	under  chan struct{} // closed when the call in progress ends; nil if there is none
	noted  bool          // the log has a line about the failure of the last call
}

// newModelLists returns the lists of all upstreams that have a route for all their models, or one with AnyName, keyed by name.
func (s *Server) newModelLists(listed map[string]bool) map[string]*modelList {
	lists := map[string]*modelList{}
	for _, r := range s.routes {
		if asked, set := listed[r.Upstream]; !r.servesAll() && !r.AnyName || set && !asked || lists[r.Upstream] != nil {
			continue
		}
		lists[r.Upstream] = s.newModelList(r.Upstream)
	}
	return lists
}

func (s *Server) newModelList(name string) *modelList {
	return &modelList{upstream: name, base: s.base, log: s.log, list: s.upstreams[name].ListModels}
}

// Probe asks an upstream for its models, in the background. If it does not answer, the log has one warning. If its models
// belong into GET /v1/models, they are known then, or the log says why they are missing. A failure does not keep a client
// from asking again at once.
func (s *Server) Probe(name string) {
	l := s.lists[name]
	if l == nil {
		l = s.newModelList(name)
		l.probe = true
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ask(0)
}

// servesAll reports whether the route serves the upstream's models under their own ids.
func (r Route) servesAll() bool { return strings.Contains(r.Name, "*") && r.Model == "" }

// get returns the upstream's models. It waits for the first list until ctx ends, and returns false if there is still
// none.
func (l *modelList) get(ctx context.Context) ([]upstream.Listed, bool) {
	models, known, under := l.peek()
	if known || under == nil {
		return models, known
	}
	select {
	case <-under:
	case <-ctx.Done():
	}
	models, known, _ = l.peek()
	return models, known
}

// peek returns the upstream's models if they are known, and a channel that closes when the call in progress ends; nil
// if there is none. If a call is due, peek starts it.
func (l *modelList) peek() (models []upstream.Listed, known bool, under chan struct{}) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.ask(listPause)
	return l.models, l.known, l.under
}

// ask starts a call if one is due. After a failure, the next one is due when the pause is over. The caller holds l.mu.
func (l *modelList) ask(pause time.Duration) {
	if l.under == nil && !time.Now().Before(l.due) {
		l.under = make(chan struct{})
		go l.refresh(pause)
	}
}

// window returns the context window of a model in tokens, or 0 if the upstream has not reported it. It does not wait.
func (l *modelList) window(id string) int {
	models, _, _ := l.peek()
	if i := slices.IndexFunc(models, func(m upstream.Listed) bool { return m.ID == id }); i >= 0 {
		return models[i].Window
	}
	return 0
}

// refresh asks the upstream. It outlives the request that started it, because others wait for the same list.
func (l *modelList) refresh(pause time.Duration) {
	ctx, cancel := context.WithTimeout(l.base, listTimeout)
	defer cancel()
	var models []upstream.Listed
	err := recoverPanic(func() (err error) {
		models, err = l.list(ctx)
		return err
	})
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.under)
	l.under = nil
	l.due = time.Now().Add(pause)
	if err == nil || len(models) > 0 {
		l.models, l.known, l.due = models, true, time.Now().Add(listLifetime)
	}
	l.note(err, len(models))
}

// note logs that the upstream does not answer, or that there is no new list or it lacks models. It logs this once, until
// there is a whole list again.
func (l *modelList) note(err error, listed int) {
	var failed *upstream.Error
	unreachable := errors.As(err, &failed) && failed.Unreachable
	switch {
	case err == nil && (listed > 0 || l.probe):
		l.noted = false
		return
	case l.noted || l.base.Err() != nil || l.probe && !unreachable:
		return
	}
	l.noted = true
	line := l.log.Warn().Str("upstream", l.upstream)
	if err != nil {
		line.Str("error_type", metrics.ErrorType(failureFor(err).typ))
	}
	if explained := upstream.Explain(err); explained != "" {
		line.Str("error", explained)
	}
	if unreachable {
		line.Str("event", "upstream_unreachable").Str("msg", "the upstream does not answer, so requests for its models fail, and GET /v1/models may lack them. "+
			"Start the upstream, or correct its address; `dragoman check --online`, with the same --config or --base-url, says more; this is logged once").Send()
		return
	}
	line.Str("event", "models_unlisted").Str("msg", unlisted(err, listed)+"; this is logged once").Send()
}

// unlisted says what GET /v1/models lacks, and what to do.
func unlisted(err error, listed int) string {
	advice := ". Clients can still ask for them"
	if failed := new(upstream.Error); errors.As(err, &failed) && failed.Credentials != "" {
		advice = ". Dragoman's credentials are missing or wrong, or may not list models: `dragoman check --online`, with the same --config or --base-url, says which"
	}
	advice += ". To stop these requests, set list_models: false for the upstream"
	switch {
	case err == nil:
		return "the upstream lists no model, so GET /v1/models has none of it: load a model into the server"
	case listed > 0:
		return "the upstream did not list all kinds of its models, so GET /v1/models lacks some" + advice
	}
	return "the upstream did not list its models, so GET /v1/models has none of them, or an old list" + advice
}

// listedNames returns the names that clients can ask for, without duplicates, in the order of the configuration. A
// route without a wildcard has its own name. A route that serves all models of its upstream has the ids that it
// matches, if no earlier route matches them. missing are the upstreams that have not listed their models.
func (s *Server) listedNames(ctx context.Context) (names, missing []string) {
	ctx, cancel := context.WithTimeout(ctx, listWait)
	defer cancel()
	of := s.listAll(ctx)
	seen := map[string]bool{}
	add := func(name string) {
		if !seen[name] {
			seen[name] = true
			names = append(names, name)
		}
	}
	for i, r := range s.routes {
		switch models, known := of[r.Upstream]; {
		case !strings.Contains(r.Name, "*"):
			add(r.Name)
		case r.AnyName && r.Model != "":
			add(r.Model)
		case !r.servesAll() || s.lists[r.Upstream] == nil:
		case !known:
			missing = append(missing, r.Upstream)
		default:
			for _, m := range models {
				if s.routes.index(m.ID) == i {
					add(m.ID)
				}
			}
		}
	}
	slices.Sort(missing)
	return names, slices.Compact(missing)
}

// listAll returns the model lists of all upstreams, keyed by name. It waits for all of them at the same time.
func (s *Server) listAll(ctx context.Context) map[string][]upstream.Listed {
	var (
		mu    sync.Mutex
		all   = map[string][]upstream.Listed{}
		calls sync.WaitGroup
	)
	for name, list := range s.lists {
		calls.Go(func() {
			models, known := list.get(ctx)
			mu.Lock()
			defer mu.Unlock()
			if known {
				all[name] = models
			}
		})
	}
	calls.Wait()
	return all
}
