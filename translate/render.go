package translate

import (
	"context"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// Render returns what a model without a tool API is asked, for a request: the
// tools and past calls as markup (reference/legacy-format.md §2, §5, §7),
// everything else as it is. No text of the client can spell markup of ours:
// escape.go has the policy.
//
// The error is an [*InvalidRequestError], except for a format that does not
// exist. A request that [Decode] accepted fails in one case alone: it ends with
// a prefill and the target takes none.
func Render(req *messages.Request, target Target) (*Prompt, error) {
	return RenderContext(context.Background(), req, target)
}

// RenderContext is Render for a client that may leave: it ends with the cause of ctx
// once that has ended.
func RenderContext(ctx context.Context, req *messages.Request, target Target) (*Prompt, error) {
	f, err := formatOf(target.Format)
	if err != nil {
		return nil, err
	}
	r := renderer{
		ctx:    ctx,
		req:    req,
		target: target,
		format: f,
		escape: markup.Escaper{TurnMarkers: target.TextWire, Tags: f.protects},
		prompt: &Prompt{
			StopSequences: stopSequences(req, f),
			format:        f,
			stopsAtCalls:  req.OffersTools(),
			MaxTokens:     req.MaxTokens,
			Temperature:   req.Temperature,
			TopP:          req.TopP,
			TopK:          req.TopK,
			continues:     target.Prefill,
			holdsValues:   target.HoldValues,
			schemas:       &toolSchemas{tools: req.Tools},
		},
	}
	r.writer = turnWriter{escape: &r.escape, language: r.language, afterCalls: f.afterCalls}
	for _, step := range []func() error{r.addSystem, r.addTurns, r.forceCall} {
		if err := step(); err != nil {
			return nil, err
		}
	}
	r.prompt.escaped = r.escape.Used
	if target.MaxTokens > 0 {
		r.prompt.MaxTokens = min(r.prompt.MaxTokens, target.MaxTokens)
	}
	return r.prompt, nil
}

// stopSequences returns ours, if the answer may hold a call, and the client's.
func stopSequences(req *messages.Request, f *format) []string {
	stops := make([]string, 0, 1+len(req.StopSequences))
	seen := make(map[string]bool, cap(stops))
	add := func(s string) {
		if !seen[s] {
			seen[s] = true
			stops = append(stops, s)
		}
	}
	if req.OffersTools() {
		add(f.stop)
	}
	for _, s := range req.StopSequences {
		add(s)
	}
	return stops
}
