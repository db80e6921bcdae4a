package inspector

import (
	"context"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Limits of a page of steps. A page ends before it exceeds them, but has at least one step.
const (
	mostSteps = 200
	mostSpans = 20_000   // of all steps
	window    = 32 << 10 // bytes before the end of a step whose spans are sent
	mostTold  = 100      // events of a step
	longest   = 2 << 10  // bytes of an event's text
)

// tried is the body of POST /parse: a completion, its pieces, and which steps to return.
type tried struct {
	asked
	Completion   string        `json:"completion"`
	StopReason   messages.Stop `json:"stop_reason"`
	StopSequence string        `json:"stop_sequence"`
	Piece        int           `json:"piece"` // bytes
	From         int           `json:"from"`
	Count        int           `json:"count"`
}

// parsed is the answer to POST /parse.
type parsed struct {
	Total int          `json:"total"` // steps of the whole completion: one for each piece, and one for its end
	From  int          `json:"from"`  // the number of the first returned step
	Start parsedStep   `json:"start"` // everything before the first returned step, as one step without events
	Steps []parsedStep `json:"steps"`
}

// parsedStep is the result of one piece. It omits spans that ended more than a window before its end.
type parsedStep struct {
	translate.Step
	Events   []jsontext.Value `json:"events"`
	LeftOut  int              `json:"left_out,omitzero"` // events after those
	Outcomes []outcome        `json:"outcomes,omitzero"`
}

// parse reads a completion as the answer to a request, and answers with some of its steps. It reads the text before
// those steps in one piece: pieces do not change how a text is read.
func (p *playground) parse(ctx context.Context, t *tried) (any, error) {
	req, trial, err := p.trial(ctx, &t.asked)
	if err != nil {
		return nil, err
	}
	piece := min(max(t.Piece, 1), max(len(t.Completion), 1))
	answer := parsed{Total: (len(t.Completion)+piece-1)/piece + 1, Steps: []parsedStep{}}
	answer.From = min(max(t.From, 0), answer.Total-1)
	trace := translate.NewTrace(req, trial.Prompt)
	at := min(answer.From*piece, len(t.Completion))
	if at > 0 { // at 0, the message begins with the first step
		answer.Start = tell(t.Completion, trace.Read(translate.Chunk{Text: t.Completion[:at]}))
		answer.Start.Events, answer.Start.LeftOut = nil, 0
	}
	last := min(answer.From+min(max(t.Count, 1), mostSteps), answer.Total)
	for n, spans := answer.From, 0; n < last && spans < mostSpans; n++ {
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		c := translate.Chunk{Text: t.Completion[at:min(at+piece, len(t.Completion))]}
		if at += len(c.Text); n == answer.Total-1 {
			c.Stop, c.StopSequence = t.StopReason, t.StopSequence
			if c.Stop == "" {
				c.Stop = messages.StopEndTurn
			}
		}
		step := tell(t.Completion, trace.Read(c))
		spans += len(step.Spans)
		answer.Steps = append(answer.Steps, step)
	}
	return answer, nil
}

// tell returns a step of a completion in the page's form.
func tell(completion string, s translate.Step) parsedStep {
	told := parsedStep{Step: s, Events: []jsontext.Value{}}
	if from := s.End - window; s.From < from {
		for !utf8.RuneStart(completion[from]) {
			from++
		}
		n := slices.IndexFunc(s.Spans, func(e translate.Span) bool { return e.End > from })
		told.From, told.Spans = from, s.Spans[n:]
	}
	for i, e := range s.Events {
		if i == mostTold {
			told.LeftOut = len(s.Events) - i
			break
		}
		if len(e.Text) > longest {
			n := longest
			for !utf8.RuneStart(e.Text[n]) {
				n--
			}
			e.Text = append(e.Text[:n:n], "… (the rest is left out here)"...)
		}
		told.Events = append(told.Events, e.AppendJSON(nil))
	}
	for _, o := range s.Outcomes {
		told.Outcomes = append(told.Outcomes, outcomeOf(o))
	}
	return told
}
