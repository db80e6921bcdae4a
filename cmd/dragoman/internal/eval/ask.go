package eval

import (
	"cmp"
	"context"
	"errors"
	"iter"
	"net/http"
	"time"

	"github.com/cenkalti/backoff/v5"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// Model is the model to ask, with its upstream.
type Model struct {
	Name          string              // that clients of the proxy would ask for
	UpstreamModel proxy.UpstreamModel // with the id that the upstream knows
	Upstream      proxy.Upstream
	At            string // who answers, for the results: the upstream's name, or a server's URL
}

const (
	// answerTimeout limits one answer. It is long, because a model on a small machine may write only a few tokens a
	// second.
	answerTimeout = 10 * time.Minute
	// maxTries limits how often a question is asked while the upstream is overloaded.
	maxTries = 6
)

// askAndGrade asks one question and returns its record, with the grade of the answer. While the upstream is overloaded
// or out of order, it asks again after the pause that the upstream wants. Without an answer, the record has the last
// error.
func (m Model) askAndGrade(ctx context.Context, j job) Record {
	r := Record{Upstream: m.At, Model: m.Name, Format: j.format, ID: j.question.ID, Digest: j.question.digest, Kind: j.question.Kind}
	var (
		took  time.Duration
		cause error // the last try's error, which Retry wraps or replaces
	)
	can := m.UpstreamModel.Spec().Can
	again := backoff.NewExponentialBackOff()
	message, err := backoff.Retry(ctx, func() (*messages.Message, error) {
		began := time.Now()
		message, err := m.ask(ctx, j, can)
		took, cause = time.Since(began), err
		var failed *upstream.Error
		switch {
		case err == nil:
			return message, nil
		case !errors.As(err, &failed):
			return nil, backoff.Permanent(err)
		case failed.Refuses&can != 0:
			can &^= failed.Refuses // like the proxy, ask again without a feature that the model refuses
			return nil, err
		case failed.Status != http.StatusTooManyRequests && failed.Status < http.StatusInternalServerError:
			return nil, backoff.Permanent(err)
		case failed.RetryAfter > 0:
			return nil, &backoff.RetryAfterError{Duration: failed.RetryAfter}
		}
		return nil, err
	}, backoff.WithBackOff(again), backoff.WithMaxTries(maxTries), backoff.WithMaxElapsedTime(0))
	if err != nil {
		r.Error = cmp.Or(cause, err).Error()
		return r
	}
	r.Milliseconds = took.Milliseconds()
	r.setAnswer(message)
	r.Wrong = j.question.want.grade(r.Calls)
	// Cut calls may be right by chance, but a client could not have run them.
	if message.StopReason == messages.StopMaxTokens && len(r.Calls) > 0 {
		r.Wrong = cmp.Or(r.Wrong, "cut off by max_tokens")
	}
	return r
}

// ask is the pipeline of the proxy: decode, render, invoke, parse. Or it uses the model's own tools API. can has the
// features that the model seems to have.
func (m Model) ask(ctx context.Context, j job, can upstream.Features) (*messages.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	req, err := messages.Decode(j.question.body, messages.DecodeOptions{})
	if err != nil {
		return nil, err
	}
	req.ID, req.Model = "msg_eval", m.Name
	spec := m.UpstreamModel.Spec()
	spec.Can, spec.Tries = can, 0
	if !can.Has(upstream.Sampling) {
		req.Temperature = nil
	}
	if j.format == Server || j.format == Native {
		return m.askServer(ctx, j, req, spec)
	}
	model := m.UpstreamModel
	if model.FormatName() != j.format {
		model.Template = "" // a template is made for one format
	}
	model.Format, model.Tools = j.format, proxy.ToolsXML
	plan, err := model.Plan(ctx, m.Upstream, spec, proxy.Planned{Decode: func() (*messages.Request, error) { return req, nil }}, proxy.RenderRules{Drop: func(string) {}})
	if err != nil {
		return nil, err
	}
	return m.askPrompt(ctx, req, plan.Prompt, plan.Spec)
}

// askPrompt asks a question with a prompt.
func (m Model) askPrompt(ctx context.Context, req *messages.Request, prompt *translate.Prompt, spec upstream.Model) (*messages.Message, error) {
	return messages.Collect(translate.Events(req, prompt, func(p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
		call, err := m.Upstream.Prepare(spec, p)
		if err != nil {
			return func(yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, err) }
		}
		return call.Chunks(ctx)
	}))
}
