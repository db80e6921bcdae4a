package eval

import (
	"context"
	"errors"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// Can reports whether the model can be asked in this way. A client's own request passes through the Messages API
// untouched, so there no call is read from text ([Native]).
func (m Model) Can(way string) bool {
	switch tools := m.UpstreamModel.Spec().Tools; way {
	case Server:
		return tools != upstream.NoToolAPI
	case Native:
		return tools == upstream.TakesTools
	}
	return true
}

// askServer asks a question through the upstream's tools API. [Native] also reads calls in the text of the answer.
func (m Model) askServer(ctx context.Context, format string, body []byte, req *messages.Request, spec upstream.Model) (*messages.Message, error) {
	target := m.UpstreamModel.Target(spec)
	target.ToolAPI, target.Rescue = true, new(format == Native)
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
	message, err := messages.Collect(call.Events(ctx))
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
