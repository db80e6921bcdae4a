package eval

import (
	"context"
	"errors"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// HasTools reports whether the model can be asked through its upstream's tools API: [Server], [Native].
func (m Model) HasTools() bool {
	return m.UpstreamModel.Spec().Tools != upstream.NoToolAPI
}

// askServer asks a question through the upstream's tools API. [Native] also reads calls in the text of the answer.
func (m Model) askServer(ctx context.Context, format string, body []byte, req *messages.Request, spec upstream.Model) (*messages.Message, error) {
	target := m.UpstreamModel.Target(spec)
	target.ToolAPI, target.Rescue = true, format == Native
	switch spec.Tools {
	case upstream.PassesRequest:
	case upstream.TakesTools:
		prompt, err := translate.Render(req, target)
		if err != nil {
			return nil, err
		}
		return m.askPrompt(ctx, req, prompt, spec, target)
	default:
		return nil, errors.New("the upstream has no tools API; leave " + format + " out of --formats")
	}
	call, err := m.Upstream.PrepareNative(spec, upstream.Native{Body: body, Version: messages.Version20230601})
	if err != nil {
		return nil, err
	}
	events := call.Events(ctx)
	if target.Rescue {
		events = translate.Rescue(req, target, events)
	}
	message, err := messages.Collect(events)
	if err != nil {
		return nil, err
	}
	for n := callsOf(message) - len(message.Outcomes); n > 0; n-- { // calls that the upstream itself has read
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
