package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/upstream"
)

// A route with AnyName answers every name with its model, or with the only model that the upstream lists. The log has
// the first name that is not in the list.
func TestAnyName(t *testing.T) {
	for _, tt := range []struct {
		name, model string
		list        []string
		want        string // the model that the upstream is asked for
		warns       string // "" for no line
		only        string
	}{
		{"one model", "", []string{"gemma"}, "gemma", "the only model that it lists", "gemma"},
		{"several models", "", []string{"gemma", "qwen"}, "claude-2.1", "start Dragoman with --model NAME", ""},
		{"a listed name", "", []string{"gemma", "claude-2.1"}, "claude-2.1", "", ""},
		{"a model that is named", "qwen", []string{"gemma", "qwen"}, "qwen", "", "qwen"},
		{"no list", "", nil, "claude-2.1", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var log logged
			up := &listing{upstreamFunc: completing(endOfTurn, "hi"), answer: func(context.Context, int64) ([]string, error) {
				if tt.list == nil {
					return nil, &upstream.Error{Status: 500, Type: "api_error"}
				}
				return tt.list, nil
			}}
			s := newServer(t, up, log.option, func(o *Options) {
				o.Routes = []Route{{Name: "*", AnyName: true, UpstreamModel: UpstreamModel{Upstream: "east", Model: tt.model}}}
			})
			if got := s.OnlyModel(t.Context()); got != tt.only {
				t.Errorf("the only model is %q, want %q", got, tt.only)
			}
			for range 2 {
				if got := post(s, question); got.Code != 200 {
					t.Fatalf("%d %s", got.Code, got.Body)
				}
			}
			if !strings.Contains(log.String(), `"model":"claude-2.1","upstream":"east","upstream_model":"`+tt.want+`"`) {
				t.Errorf("logged %s", log.String())
			}
			warned := strings.Count(log.String(), `"model_unknown"`)
			if (warned == 1) != (tt.warns != "") || warned > 1 || !strings.Contains(log.String(), tt.warns) {
				t.Errorf("%d warnings in %s", warned, log.String())
			}
			if tt.model != "" {
				if names, _ := listed(t, s); names != tt.model {
					t.Errorf("GET /v1/models lists %q", names)
				}
			}
		})
	}
}

// An upstream's 404 for a model names at most ten models that the upstream lists, the nearest first.
func TestUnknownModelNamesOthers(t *testing.T) {
	var list []string
	for i := range 12 {
		list = append(list, fmt.Sprintf("other-%d", i))
	}
	list = append(list, "claude-2.0")
	up := &listing{upstreamFunc: failing(&upstream.Error{Status: 404, Type: "not_found_error", Message: "no such model"}), answer: func(context.Context, int64) ([]string, error) { return list, nil }}
	s := newServer(t, up, func(o *Options) { o.Routes = []Route{passing("*", "east")} })
	ask := func(model string) string {
		w := httptest.NewRecorder()
		answerTo(s, w, newRequest("POST", "/v1/messages", strings.Replace(question, "claude-2.1", model, 1)))
		var body struct{ Error struct{ Message string } }
		if err := json.Unmarshal(w.Body.Bytes(), &body); err != nil || w.Code != 404 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		return body.Error.Message
	}
	message := ask("claude-2.1")
	names, found := strings.CutPrefix(message, "no such model; the upstream lists: ")
	if got := strings.Split(names, ", "); !found || len(got) != 10 || got[0] != "claude-2.0" {
		t.Errorf("got %q", message)
	}
	if got := ask("other-3"); got != "no such model" {
		t.Errorf("a listed model: %q", got)
	}
}
