package proxy

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/metrics"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// noted is the key of an observer's value in a context.
type noted struct{}

// steps is an observer that records its calls. Consecutive pieces of the same kind count as one step.
type steps struct{ got []string }

func (s *steps) add(step string) {
	if n := len(s.got); n == 0 || s.got[n-1] != step {
		s.got = append(s.got, step)
	}
}

func (s *steps) observe(r *http.Request, record *metrics.Exchange) *Observation {
	s.add(r.URL.Path + " " + record.Dialect)
	return &Observation{
		Received: func(body []byte) { s.add(fmt.Sprintf("received %d", len(body))) },
		Rendered: func(m UpstreamModel, req *messages.Request, p *translate.Prompt) {
			s.add(fmt.Sprintf("rendered %s for %s: %d turns", req.Model, m.Upstream, len(p.Turns)))
		},
		Passed: func(m UpstreamModel, body []byte) { s.add("passed " + m.Upstream) },
		Calling: func(ctx context.Context, m UpstreamModel) context.Context {
			s.add("calling " + m.Upstream)
			return context.WithValue(ctx, noted{}, m.Upstream)
		},
		Called: func(err error) { s.add(fmt.Sprintf("called: %v", err)) },
		Chunk:  func(c *translate.Chunk) { s.add("chunk") },
		Event:  func(e *messages.Event) { s.add(e.Name()) },
		Failed: func(typ, message string) { s.add("failed " + typ + ": " + message) },
		Ended:  func(record *metrics.Exchange) { s.add(fmt.Sprintf("ended %d", record.Status)) },
	}
}

func (s *steps) option(o *Options) {
	o.Observe = []Observe{s.observe, func(*http.Request, *metrics.Exchange) *Observation { return nil }}
}

func TestObservation(t *testing.T) {
	var seen steps
	up := upstreamFunc(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
		seen.add(fmt.Sprint("context of ", ctx.Value(noted{})))
		completing(endOfTurn, "Good ", "day.")(ctx, yield)
	})
	s := newServer(t, up, seen.option)
	post(s, question)
	want := []string{
		"/v1/messages messages",
		fmt.Sprintf("received %d", len(question)),
		"rendered claude-2.1 for east: 1 turns",
		"calling east", "context of east",
		"chunk", "message_start", "ping", "chunk", "content_block_start", "content_block_delta", "chunk", "content_block_delta", "chunk",
		"content_block_stop", "message_delta", "message_stop",
		"called: <nil>",
		"ended 200",
	}
	if diff := cmp.Diff(want, seen.got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestObservationOfFailures: observers see each failed call, and no call if no upstream was called.
func TestObservationOfFailures(t *testing.T) {
	var seen steps
	up := upstreamFunc(func(_ context.Context, yield func(translate.Chunk, error) bool) {
		yield(translate.Chunk{}, &upstream.Error{Status: 400, Type: messages.ErrorInvalidRequest, Message: "too long"})
	})
	s := newServer(t, up, seen.option)
	post(s, question)
	post(s, strings.Replace(question, "claude", "gpt", 1))
	want := []string{
		"/v1/messages messages", fmt.Sprintf("received %d", len(question)), "rendered claude-2.1 for east: 1 turns",
		"calling east", "called: 400 invalid_request_error: too long",
		"failed invalid_request_error: too long", "ended 400",
		"/v1/messages messages", fmt.Sprintf("received %d", len(question)-3),
		"failed not_found_error: model: gpt-2.1: no model of this name is configured; the nearest: claude-*", "ended 404",
	}
	if diff := cmp.Diff(want, seen.got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// TestObservationNeedsNoMemory: with or without observers, the pieces of an answer stay off the heap.
func TestObservationNeedsNoMemory(t *testing.T) {
	var steps steps
	for name, change := range map[string]func(*Options){"observed": steps.option, "not observed": func(*Options) {}} {
		allocs := func(pieces int) float64 {
			text := make([]string, pieces)
			for i := range text {
				text[i] = "some words "
			}
			s := newServer(t, completing(endOfTurn, text...), change)
			return testing.AllocsPerRun(5, func() { post(s, streamed(question)) })
		}
		few, many := allocs(100), allocs(1100)
		if many-few > 700 {
			t.Errorf("%s: 1,000 more pieces take %.0f more allocations", name, many-few)
		}
	}
}
