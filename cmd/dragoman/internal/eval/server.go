package eval

import (
	"context"
	"errors"
	"iter"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// HasTools reports whether the model can be asked over a tools API of its upstream: [Server], [Native].
func (m Model) HasTools() bool {
	_, calls := m.Upstream.(toolCaller)
	return calls || m.Upstream.Passes(m.UpstreamModel.Spec())
}

// toolCaller is a server whose own tools API can be asked.
type toolCaller interface {
	CallTools(ctx context.Context, m upstream.Model, r *messages.Request) iter.Seq2[messages.Event, error]
}

// askServer asks a question over the tools API of the upstream.
func (m Model) askServer(ctx context.Context, j job, req *messages.Request, spec upstream.Model) (*messages.Message, error) {
	var events iter.Seq2[messages.Event, error]
	if m.Upstream.Passes(spec) {
		call, err := m.Upstream.PrepareNative(spec, upstream.Native{Body: []byte(j.question.body), Version: messages.Version20230601})
		if err != nil {
			return nil, err
		}
		events = call.Events(ctx)
	} else if server, ok := m.Upstream.(toolCaller); ok {
		events = server.CallTools(ctx, spec, req)
	} else {
		return nil, errors.New("the upstream has no tools API; leave " + j.format + " out of --formats")
	}
	if j.format == Native {
		events = translate.Rescue(req, m.UpstreamModel.Target(spec), events)
	}
	message, err := messages.Collect(events)
	if err != nil {
		return nil, err
	}
	for n := callsOf(message) - len(message.Outcomes); n > 0; n-- { // that the upstream itself has read
		message.Outcomes = append(message.Outcomes, messages.Outcome{Kind: messages.OutcomeClean})
	}
	return message, nil
}

// callsOf returns how many calls a message has.
func callsOf(m *messages.Message) (n int) {
	for _, b := range m.Content {
		if b.Type == messages.BlockToolUse {
			n++
		}
	}
	return n
}
