package proxy

import (
	"context"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Trial is what a server would ask a model for a request, and where it is from.
type Trial struct {
	Prompt  *translate.Prompt
	Origins *translate.Origins
	Dropped []string // the fields that the model does not get, by their names in the Messages API
}

// Try renders a request of the Messages API as the server would for the first model of its name. Nothing
// is asked. The error is what a client would be told.
func (s *Server) Try(ctx context.Context, req *messages.Request) (*Trial, error) {
	route, err := s.routes.find(req.Model)
	if err != nil {
		return nil, err
	}
	trial := &Trial{Origins: &translate.Origins{}, Dropped: req.Dropped}
	m := route.UpstreamModel
	trial.Prompt, _, err = m.Render(ctx, req, m.Spec(), RenderRules{
		Strict: s.strict, Origins: trial.Origins, kept: s.kept,
		Drop: func(field string) { trial.Dropped = append(trial.Dropped, field) },
	})
	if err != nil {
		return nil, err
	}
	return trial, nil
}
