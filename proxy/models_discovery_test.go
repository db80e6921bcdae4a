package proxy

import (
	"context"
	"encoding/json"
	"errors"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/upstream"
)

// listing is an upstream that lists its models.
type listing struct {
	upstreamFunc
	calls, atOnce, most atomic.Int64
	window              int // of all its models
	answer              func(ctx context.Context, call int64) ([]string, error)
}

func (l *listing) ListModels(ctx context.Context) ([]upstream.Listed, error) {
	if n := l.atOnce.Add(1); n > l.most.Load() {
		l.most.Store(n)
	}
	defer l.atOnce.Add(-1)
	ids, err := l.answer(ctx, l.calls.Add(1))
	var models []upstream.Listed
	for _, id := range ids {
		models = append(models, upstream.Listed{ID: id, Window: l.window})
	}
	return models, err
}

// listed returns the names on all pages of a list of models, and the upstreams whose models are missing.
func listed(t *testing.T, s *Server) (names, unlisted string) {
	t.Helper()
	var all []string
	for after := ""; ; {
		w := httptest.NewRecorder()
		answerTo(s, w, newRequest("GET", "/v1/models?limit=2"+after, ""))
		var page struct {
			Data    []struct{ ID string }
			HasMore bool   `json:"has_more"`
			Last    string `json:"last_id"`
		}
		if err := json.Unmarshal(w.Body.Bytes(), &page); err != nil || w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		for _, m := range page.Data {
			all = append(all, m.ID)
		}
		if !page.HasMore {
			return strings.Join(all, " "), w.Header().Get("X-Dragoman-Unlisted")
		}
		after = "&after_id=" + page.Last
	}
}

func passing(name, upstream string) Route {
	return Route{Name: name, UpstreamModel: UpstreamModel{Upstream: upstream}}
}

// A wildcard lists the models of its upstream for which a request would reach the wildcard's route.
func TestModelsOfWildcards(t *testing.T) {
	east := &listing{answer: func(context.Context, int64) ([]string, error) {
		return []string{"claude-a", "gpt", "claude-fixed", "claude-x-mini", "claude-b", "claude-a"}, nil
	}}
	west := &listing{answer: func(context.Context, int64) ([]string, error) { return []string{"w1", "claude-b"}, nil }}
	off := &listing{answer: func(context.Context, int64) ([]string, error) { t.Error("asked"); return nil, nil }}
	s := newServer(t, east, func(o *Options) {
		o.Upstreams["west"], o.Upstreams["off"], o.Upstreams["mute"] = play(west), play(off), play(completing(endOfTurn, "hi"))
		o.ListModels = map[string]bool{"off": false}
		fixed := passing("*-mini", "west")
		fixed.Model = "one"
		o.Routes = []Route{passing("first", "west"), passing("claude-fixed", "west"), fixed, passing("claude-*", "east"), passing("off-*", "off"), passing("mute-*", "mute"), passing("*", "west")}
		o.Routes[3].Wire = "messages"
	})
	names, unlisted := listed(t, s)
	if names != "first claude-fixed claude-a claude-b w1" || unlisted != "" {
		t.Errorf("%s; unlisted %s", names, unlisted)
	}
	if east.calls.Load() != 1 || west.calls.Load() != 1 {
		t.Errorf("%d and %d calls", east.calls.Load(), west.calls.Load())
	}
	w := httptest.NewRecorder()
	answerTo(s, w, newRequest("GET", "/anthropic/v1/models/claude-a", ""))
	if w.Code != 200 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// If an upstream lists only some of its models, the log says so once, and clients get the others.
func TestModelsOfSomeKinds(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		up := &listing{answer: func(context.Context, int64) ([]string, error) {
			return []string{"one"}, &upstream.Error{Status: 403, Type: "permission_error", Message: "c4n4ry"}
		}}
		s := newServer(t, up, log.option, func(o *Options) { o.Routes = []Route{passing("*", "east")} })
		for range 3 {
			if names, unlisted := listed(t, s); names != "one" || unlisted != "" {
				t.Errorf("%q, unlisted %q", names, unlisted)
			}
			time.Sleep(listLifetime)
		}
		if text := log.String(); strings.Count(text, "models_unlisted") != 1 || strings.Contains(text, "c4n4ry") || !strings.Contains(text, "lacks some") {
			t.Errorf("logged %s", text)
		}
	})
}

// Clients wait together for the first list, but not longer than their own timeouts. Later clients do not wait, and the
// last list stays while the upstream fails.
func TestModelsWhileAnUpstreamIsSlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var log logged
		slow := &listing{answer: func(ctx context.Context, call int64) ([]string, error) {
			time.Sleep(5 * time.Second)
			switch call {
			case 1:
				return []string{"one"}, nil
			case 2, 3:
				return nil, &upstream.Error{Status: 403, Type: "permission_error", Message: "c4n4ry"}
			case 4:
				panic("c4n4ry")
			case 5:
				<-ctx.Done()
				return nil, context.Cause(ctx)
			}
			return []string{"two"}, nil
		}}
		s := newServer(t, slow, log.option, func(o *Options) { o.Routes = []Route{passing("exact", "east"), passing("*", "east")} })
		ask := func(want, wantUnlisted string, within time.Duration) {
			t.Helper()
			began := time.Now()
			names, unlisted := listed(t, s)
			if took := time.Since(began); names != want || unlisted != wantUnlisted || took > within {
				t.Errorf("%q, unlisted %q, after %s; want %q, %q", names, unlisted, took, want, wantUnlisted)
			}
		}
		var clients sync.WaitGroup
		for range 10 {
			clients.Go(func() { ask("exact", "east", listWait) })
		}
		clients.Wait()
		time.Sleep(4 * time.Second)
		ask("exact one", "", 0)
		for range 3 { // errors, and a panic
			time.Sleep(listLifetime)
			ask("exact one", "", 0)
			time.Sleep(5 * time.Second)
			ask("exact one", "", 0)
		}
		time.Sleep(listPause)
		ask("exact one", "", 0) // starts the call that never ends
		time.Sleep(listTimeout + listPause)
		ask("exact one", "", 0)
		time.Sleep(6 * time.Second)
		ask("exact two", "", 0)
		if slow.most.Load() != 1 || slow.calls.Load() != 6 {
			t.Errorf("%d calls, %d at once", slow.calls.Load(), slow.most.Load())
		}
		if text := log.String(); strings.Count(text, "did not list its models") != 1 || strings.Contains(text, "c4n4ry") || !strings.Contains(text, "permission_error") {
			t.Errorf("logged %s", text)
		}
		s.Cut()
	})
}

// If an upstream fails from the beginning, Dragoman asks it again after a while, not for each client.
func TestModelsOfAnUpstreamThatFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		failing := &listing{answer: func(_ context.Context, call int64) ([]string, error) {
			if call == 1 {
				return nil, errors.New("no")
			}
			return []string{"a"}, nil
		}}
		s := newServer(t, failing, func(o *Options) { o.Routes = []Route{passing("*", "east")} })
		for range 5 {
			if names, unlisted := listed(t, s); names != "" || unlisted != "east" {
				t.Errorf("%q, unlisted %q", names, unlisted)
			}
		}
		time.Sleep(listPause)
		if names, unlisted := listed(t, s); names != "a" || unlisted != "" || failing.calls.Load() != 2 {
			t.Errorf("%q, unlisted %q, %d calls", names, unlisted, failing.calls.Load())
		}
		s.Cut()
	})
}

// A probe of an upstream warns once if nothing answers there, or if there is nothing to list. It also fills the list, and
// a client that comes after a failed probe asks again at once.
func TestProbe(t *testing.T) {
	dead := &upstream.Error{Status: 502, Unreachable: true, Message: "c4n4ry"}
	refused := &upstream.Error{Status: 404, Message: "c4n4ry"}
	for _, tt := range []struct {
		name  string // of the route: only a wildcard has a list
		first error
		then  []string
		want  string // events in the log
		calls int64
	}{
		{"*", dead, []string{"a"}, "upstream_unreachable", 2},
		{"*", refused, []string{"a"}, "models_unlisted", 2},
		{"*", nil, []string{"a"}, "", 1},
		{"*", nil, nil, "models_unlisted", 1},
		{"exact", dead, nil, "upstream_unreachable", 1},
		{"exact", refused, nil, "", 1},
		{"exact", nil, nil, "", 1},
	} {
		synctest.Test(t, func(t *testing.T) {
			var log logged
			up := &listing{answer: func(_ context.Context, call int64) ([]string, error) {
				if call == 1 && tt.first != nil {
					return nil, tt.first
				}
				return tt.then, nil
			}}
			s := newServer(t, up, log.option, func(o *Options) { o.Routes = []Route{passing(tt.name, "east")} })
			s.Probe("east")
			synctest.Wait()
			for range 2 {
				if names, _ := listed(t, s); tt.name == "*" && names != strings.Join(tt.then, " ") {
					t.Errorf("%+v: %q", tt, names)
				}
			}
			var events []string
			for line := range strings.Lines(log.String()) {
				if _, after, found := strings.Cut(line, `"event":"`); found {
					event, _, _ := strings.Cut(after, `"`)
					events = append(events, event)
				}
			}
			if got := strings.Join(events, " "); got != tt.want || up.calls.Load() != tt.calls || strings.Contains(log.String(), "c4n4ry") {
				t.Errorf("%+v: %d calls, logged %s", tt, up.calls.Load(), log.String())
			}
			s.Cut()
		})
	}
	if got := unlisted(&upstream.Error{Credentials: upstream.CredentialsRefused}, 0); !strings.Contains(got, "check --online") || strings.Contains(got, "can still ask") {
		t.Errorf("without credentials, it advises: %s", got)
	}
}

// A successor server keeps the lists of upstreams that stay.
func TestModelsAfterAReload(t *testing.T) {
	up := &listing{answer: func(_ context.Context, call int64) ([]string, error) {
		return []string{strings.Repeat("a", int(call))}, nil
	}}
	opt := Options{Routes: []Route{passing("*", "east")}, Upstreams: playAll(map[string]any{"east": up})}
	s, err := New(opt)
	if err != nil {
		t.Fatal(err)
	}
	if names, _ := listed(t, s); names != "a" {
		t.Error(names)
	}
	for _, tt := range []struct {
		stays bool
		want  string
	}{{true, "a"}, {false, "aa"}, {true, "aa"}} {
		if s, err = s.Successor(opt, func(string) bool { return tt.stays }); err != nil {
			t.Fatal(err)
		}
		if names, _ := listed(t, s); names != tt.want {
			t.Errorf("stays %v: %s, want %s", tt.stays, names, tt.want)
		}
	}
	opt.ListModels = map[string]bool{"east": false}
	if s, err = s.Successor(opt, func(string) bool { return true }); err != nil {
		t.Fatal(err)
	}
	if names, unlisted := listed(t, s); names != "" || unlisted != "" {
		t.Errorf("%q, unlisted %q", names, unlisted)
	}
}
