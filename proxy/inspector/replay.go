package inspector

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"

	"dragoman/proxy/internal/replay"
	"dragoman/translate"
)

const (
	longestReplay = time.Hour // limit of a replayed exchange
	mostAsking    = 4 << 10   // bytes of a replay request in addition to a body
)

// choices answers with the models and formats for a replay.
func (in *Inspector) choices(w http.ResponseWriter, _ *http.Request) error {
	c := struct {
		Models  []string `json:"models"`
		Formats []string `json:"formats"`
		Paid    bool     `json:"paid"`
	}{Models: []string{}, Formats: translate.Formats()}
	if s := in.current(); s != nil {
		c.Models, c.Paid = append(c.Models, s.Models...), s.Paid
	}
	respond(w, http.StatusOK, c)
	return nil
}

// replay sends the request of an exchange again, with the given model, format and body, and answers with the id of the
// new exchange.
func (in *Inspector) replay(w http.ResponseWriter, r *http.Request) error {
	x, err := in.opened(r)
	if err != nil {
		return err
	}
	var how struct {
		Model  string `json:"model"`
		Format string `json:"format"`
		Body   string `json:"body"` // replaces the body of the exchange
	}
	if err := json.UnmarshalRead(http.MaxBytesReader(w, r.Body, 2*mostBody+mostAsking), &how, json.RejectUnknownMembers(true)); err != nil {
		return &problem{http.StatusBadRequest, `the body is not {"model": "…", "format": "…", "body": "…"}`}
	}
	if how.Format != "" && !slices.Contains(translate.Formats(), how.Format) {
		return &problem{http.StatusBadRequest, "format: unknown name"}
	}
	id, err := in.sendAgain(x, replay.Replay{Model: how.Model, Format: how.Format}, how.Body)
	if err != nil {
		return err
	}
	respond(w, http.StatusAccepted, struct {
		ID string `json:"id"`
	}{id})
	return nil
}

// sendAgain lets the server answer the request of an exchange again, without a client: the new exchange, whose id it
// returns, records everything.
func (in *Inspector) sendAgain(x *keptExchange, how replay.Replay, body string) (string, error) {
	s := in.current()
	if s == nil || s.Draining() {
		return "", &problem{http.StatusServiceUnavailable, "the server is shutting down, and replays nothing"}
	}
	select {
	case in.replays <- struct{}{}:
	default:
		return "", &problem{http.StatusTooManyRequests, "too many replays are running: wait until one has ended"}
	}
	again := &replaying{of: x.line.ID, began: make(chan string, 1)}
	ctx, cancel := context.WithTimeout(context.WithValue(s.Base(), replayKey{}, again), longestReplay)
	r, err := x.request(ctx, body)
	if err != nil {
		cancel()
		<-in.replays
		return "", err
	}
	ended := make(chan struct{})
	go func() {
		defer func() {
			_ = recover() // http.ErrAbortHandler ends an exchange whose client is gone
			cancel()
			<-in.replays
			close(ended)
		}()
		s.ReplayHandler(how).ServeHTTP(&nobody{header: http.Header{}}, r)
	}()
	select {
	case id := <-again.began:
		return id, nil
	case <-ended:
		select {
		case id := <-again.began:
			return id, nil
		default:
			return "", &problem{http.StatusConflict, "the request cannot be sent again"}
		}
	}
}

// request returns the request of the exchange for a replay. body replaces the exchange's own, unless it is "".
func (x *keptExchange) request(ctx context.Context, body string) (*http.Request, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if body == "" {
		if x.body.size == mostBody {
			return nil, errTooLong
		}
		body = string(x.body.all())
	}
	r, err := http.NewRequestWithContext(ctx, cmp.Or(x.line.Method, http.MethodPost), x.line.Path, strings.NewReader(body))
	if err != nil {
		return nil, &problem{http.StatusConflict, "the request cannot be sent again"}
	}
	for _, h := range x.header {
		r.Header.Add(h.Name, h.Value)
	}
	r.RemoteAddr = "127.0.0.1:0"
	return r, nil
}

// nobody is a response writer that discards the answer.
type nobody struct{ header http.Header }

func (n *nobody) Header() http.Header         { return n.header }
func (n *nobody) Write(p []byte) (int, error) { return len(p), nil }
func (n *nobody) WriteHeader(int)             {}
func (n *nobody) Flush()                      {}
