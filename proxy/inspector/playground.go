package inspector

import (
	"context"
	"errors"
	"net/http"

	"github.com/go-json-experiment/json"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// The playground renders requests and parses completions, for people who try them out. It asks no
// model, and keeps nothing.

// Bounds on what the playground does at once. A completion of 10 MB may be twice as long in JSON.
const (
	mostTried  = 48 << 20 // bytes of a body
	mostTrials = 2
)

// Playground returns the handler of POST /render and POST /parse. Of the models of a server it knows
// what try makes of a request.
func Playground(try Try) http.Handler {
	p := &playground{try: try, trials: make(chan struct{}, mostTrials)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /render", answering(p, p.render))
	mux.HandleFunc("POST /parse", answering(p, p.parse))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, errNothing) })
	return mux
}

// answering returns the handler that reads a body in JSON, and answers with what f makes of it.
func answering[T any](p *playground, f func(context.Context, *T) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		select {
		case p.trials <- struct{}{}:
			defer func() { <-p.trials }()
		case <-r.Context().Done():
			return
		}
		var body T
		if err := json.UnmarshalRead(http.MaxBytesReader(w, r.Body, mostTried), &body, json.RejectUnknownMembers(true)); err != nil {
			refuse(w, unreadable(err))
			return
		}
		answer, err := f(r.Context(), &body)
		if err != nil {
			refuseTrial(w, err)
			return
		}
		respond(w, http.StatusOK, answer)
	}
}

// unreadable returns what is told of a body that cannot be read.
func unreadable(err error) error {
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return &problem{http.StatusRequestEntityTooLarge, "this is more than the playground takes"}
	}
	return &problem{http.StatusBadRequest, "the body cannot be read: " + err.Error()}
}

// refuseTrial tells the page what is wrong with the request that is tried, and where. That is what was asked
// for, and no failure: while a request is typed it is wrong most of the time.
func refuseTrial(w http.ResponseWriter, err error) {
	told := struct {
		Error string `json:"error"`
		Path  string `json:"path,omitzero"` // "messages.3.content.0"
	}{Error: err.Error()}
	if invalid := (*messages.InvalidRequestError)(nil); errors.As(err, &invalid) {
		told.Path = invalid.Path
	}
	respond(w, http.StatusOK, told)
}

// renderedTrial is the answer to POST /render.
type renderedTrial struct {
	Prompt  *translate.Prompt  `json:"prompt"`
	Origins *translate.Origins `json:"origins"`
	Dropped []string           `json:"dropped"`
	Tokens  int                `json:"tokens"` // about how many the prompt has
}

// render renders a request for a model, or for any model that is asked in a format.
func (p *playground) render(ctx context.Context, a *asked) (any, error) {
	_, trial, err := p.trial(ctx, a)
	if err != nil {
		return nil, err
	}
	return renderedTrial{trial.Prompt, trial.Origins, trial.Dropped, trial.Prompt.EstimateTokens()}, nil
}

// try is what the playground knows of the models of the server that is watched.
func (in *Inspector) try(ctx context.Context, req *messages.Request) (*proxy.Trial, error) {
	s := in.current()
	if s == nil {
		return nil, &problem{http.StatusServiceUnavailable, "there is no server whose models could be tried"}
	}
	return s.Try(ctx, req)
}
