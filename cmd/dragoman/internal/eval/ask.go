package eval

import (
	"cmp"
	"context"
	"errors"
	"fmt"
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

// askAndGrade asks one question and returns its record, with the grade of the answer. It plays a loop to its end.
// Without an answer, the record has the last error.
func (m Model) askAndGrade(ctx context.Context, j job) Record {
	q := j.question
	r := Record{Upstream: m.At, Model: m.Name, Format: j.format, ID: q.ID, Digest: q.digest, Kind: q.Kind, Loop: q.loop != nil}
	spec, ask := m.UpstreamModel.Spec(), q.request()
	spec.Tries = 0
	for r.Answers < mostAnswers {
		message, took, err := m.askUntilAnswered(ctx, j.format, fmt.Sprintf("msg_eval%d", r.Answers), marshal(ask), &spec)
		if err != nil {
			r.Error = err.Error()
			return r
		}
		calls := r.add(message, took)
		if q.loop == nil || len(calls) == 0 || message.StopReason != messages.StopToolUse {
			break
		}
		for i := range calls {
			q.loop.run(&calls[i])
		}
		ask = ask.continued(message, calls)
	}
	r.Wrong = q.grade(&r)
	return r
}

// PlayOne plays the first built-in loop in a format, and returns its question and record. The loop takes one call.
func (m Model) PlayOne(ctx context.Context, format string) (question string, r Record) {
	list, err := Loops()
	if err != nil {
		panic(err) // they are built in
	}
	var said []struct{ Content string }
	mustRead(list[0].request().Messages, &said)
	return said[0].Content, m.askAndGrade(ctx, job{&list[0], format})
}

// askUntilAnswered asks for one answer, and returns how long it took. While the upstream is overloaded or out of order,
// it asks again after the pause that the upstream wants. It takes the features from spec that the model refuses.
func (m Model) askUntilAnswered(ctx context.Context, format, id string, body []byte, spec *upstream.Model) (*messages.Message, time.Duration, error) {
	var (
		took  time.Duration
		cause error // the last try's error, which Retry wraps or replaces
	)
	again := backoff.NewExponentialBackOff()
	message, err := backoff.Retry(ctx, func() (*messages.Message, error) {
		began := time.Now()
		message, err := m.ask(ctx, format, id, body, *spec)
		took, cause = time.Since(began), err
		var failed *upstream.Error
		switch {
		case err == nil:
			return message, nil
		case !errors.As(err, &failed):
			return nil, backoff.Permanent(err)
		case failed.Refuses&(spec.Can|upstream.BodyMembers&^spec.Lacks) != 0: // like the proxy, ask again without what the model refuses
			spec.Can &^= failed.Refuses
			spec.Lacks |= failed.Refuses & upstream.BodyMembers
			return nil, err
		case failed.Status != http.StatusTooManyRequests && failed.Status < http.StatusInternalServerError:
			return nil, backoff.Permanent(err)
		case failed.RetryAfter > 0:
			return nil, &backoff.RetryAfterError{Duration: failed.RetryAfter}
		}
		return nil, err
	}, backoff.WithBackOff(again), backoff.WithMaxTries(maxTries), backoff.WithMaxElapsedTime(0))
	if err != nil {
		return nil, 0, cmp.Or(cause, err)
	}
	return message, took, nil
}

// ask is the pipeline of the proxy: decode, render, invoke, parse. Or it uses the model's own tools API. id is the
// answer's id, from which the ids of its calls derive. spec has the features that the model seems to have.
func (m Model) ask(ctx context.Context, format, id string, body []byte, spec upstream.Model) (*messages.Message, error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	req, err := messages.Decode(body, messages.DecodeOptions{})
	if err != nil {
		return nil, err
	}
	req.ID, req.Model = id, m.Name
	if !spec.Can.Has(upstream.Sampling) {
		req.Temperature = nil
	}
	if format == Server || format == Native {
		return m.askServer(ctx, format, body, req, spec)
	}
	model := m.UpstreamModel
	if model.FormatName() != format {
		model.Template = "" // a template is made for one format
	}
	model.Format, model.Tools = format, proxy.ToolsXML
	plan, err := model.Plan(ctx, m.Upstream, spec, proxy.Planned{Decode: func() (*messages.Request, error) { return req, nil }}, proxy.RenderRules{Drop: func(string) {}})
	if err != nil {
		return nil, err
	}
	return m.askPrompt(ctx, req, plan.Prompt, plan.Spec, plan.Model.Target(plan.Spec))
}

// askPrompt asks a question with a prompt for a target. If the model is stuck behind results, it gets a reminder, as from
// the proxy.
func (m Model) askPrompt(ctx context.Context, req *messages.Request, prompt *translate.Prompt, spec upstream.Model, target translate.Target) (*messages.Message, error) {
	ask := func(p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
		call, err := m.Upstream.Prepare(spec, p)
		if err != nil {
			return func(yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, err) }
		}
		return call.Chunks(ctx)
	}
	return messages.Collect(translate.Corrected(req, prompt, ask, nil, func(req *messages.Request, _ translate.Reason) (*translate.Prompt, error) {
		target.Remind = true // there are no checks, so the model is stuck
		return translate.Render(req, target)
	}))
}
