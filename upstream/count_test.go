package upstream_test

import (
	"errors"
	"net/http/httptest"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// TestCount counts the tokens of a prompt with every upstream that can count.
func TestCount(t *testing.T) {
	_, p := withTool(t)
	eachWire(t, func(t *testing.T, w wire) {
		up, f := w.open(t, nil)
		call, err := up.Prepare(w.model, p)
		if err != nil {
			t.Fatal(err)
		}
		if call.Count == nil {
			t.Skip("does not count")
		}
		got, err := call.Count(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if want := f.Requests()[0].Prompt.EstimateTokens(); got != want || got < 100 {
			t.Errorf("%d tokens, want %d", got, want)
		}
	})
}

func TestCountFails(t *testing.T) {
	_, p := withTool(t)
	eachWire(t, func(t *testing.T, w wire) {
		up, _ := w.open(t, upstreamtest.Answer(upstreamtest.Completion{Fault: upstreamtest.Refuse(429, w.throttled, "slow down", "3")}))
		call, err := up.Prepare(w.model, p)
		if err != nil {
			t.Fatal(err)
		}
		if call.Count == nil {
			t.Skip("does not count")
		}
		_, err = call.Count(t.Context())
		var failed *upstream.Error
		if !errors.As(err, &failed) || failed.Type != "rate_limit_error" {
			t.Errorf("%v", err)
		}
	})
}

// TestCountNative counts a client's own request, which has no max_tokens.
func TestCountNative(t *testing.T) {
	for _, w := range nativeWires {
		t.Run(w.name, func(t *testing.T) {
			f := w.serve(nil)
			server := httptest.NewServer(f)
			defer server.Close()
			call, err := w.dial(t, server).PrepareNative(upstream.Model{ID: w.model}, upstream.Native{Body: jsontext.Value(`{"model":"asked","messages":[]}`)})
			if err != nil {
				t.Fatal(err)
			}
			_, err = call.Count(t.Context())
			if err != nil || len(f.Requests()) != 1 {
				t.Errorf("%v after %d requests", err, len(f.Requests()))
			}
		})
	}
}
