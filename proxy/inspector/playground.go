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

// The playground renders requests and parses completions on trial. It calls no model, and keeps nothing.

// Limits of the playground. A completion of 10 MB may be twice as long in JSON.
const (
	mostTried  = 48 << 20 // bytes of a body
	mostTrials = 2
)

// Playground returns the handler of POST /render and POST /parse. With try, it can render for the models of a server.
func Playground(try Try) http.Handler {
	p := &playground{try: try, trials: make(chan struct{}, mostTrials)}
	mux := http.NewServeMux()
	mux.HandleFunc("POST /render", answering(p, p.render))
	mux.HandleFunc("POST /parse", answering(p, p.parse))
	mux.HandleFunc("/", func(w http.ResponseWriter, _ *http.Request) { refuse(w, errNothing) })
	return mux
}

// answering returns the handler that reads a JSON body, and answers with the result of f.
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

// unreadable returns the error for a body that cannot be read.
func unreadable(err error) error {
	if tooLong := (*http.MaxBytesError)(nil); errors.As(err, &tooLong) {
		return &problem{http.StatusRequestEntityTooLarge, "the body is too long for the playground: shorten the request or the completion"}
	}
	return &problem{http.StatusBadRequest, "the body cannot be read: " + err.Error()}
}

// refuseTrial tells the page what is wrong with the tried request, and where. This is a normal answer, not a failure:
// while somebody types a request, it is wrong most of the time.
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
	Tokens  int                `json:"tokens"` // the approximate number of tokens in the prompt
}

// render renders a request for a model, or for any model with a given format.
func (p *playground) render(ctx context.Context, a *asked) (any, error) {
	_, trial, err := p.trial(ctx, a)
	if err != nil {
		return nil, err
	}
	return renderedTrial{trial.Prompt, trial.Origins, trial.Dropped, trial.Prompt.EstimateTokens()}, nil
}

// try renders a request for a model of the watched server.
func (in *Inspector) try(ctx context.Context, req *messages.Request) (*proxy.Trial, error) {
	s := in.current()
	if s == nil {
		return nil, &problem{http.StatusServiceUnavailable, "there is no server here, so its models cannot be tried"}
	}
	return s.Try(ctx, req)
}
