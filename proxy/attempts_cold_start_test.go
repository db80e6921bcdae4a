package proxy

import (
	"context"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// loading is a model that becomes ready some time after its first call. Other models answer, or fail with others.
type loading struct {
	takes  time.Duration
	others error // error of the other models; nil for an answer

	asked []string
	since time.Time
}

var errNotReady = &upstream.Error{Status: 529, Type: messages.ErrorOverloaded, Message: "Model is not ready for inference.", NotReady: true}

func (l *loading) Invoke(ctx context.Context, m upstream.Model, _ *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) {
		l.asked = append(l.asked, m.ID)
		if l.since.IsZero() {
			l.since = time.Now()
		}
		switch {
		case m.ID == "other" && l.others != nil:
			yield(translate.Chunk{}, l.others)
		case m.ID != "other" && time.Since(l.since) < l.takes:
			yield(translate.Chunk{}, errNotReady)
		default:
			completing(endOfTurn, "It is cold.")(ctx, yield)
		}
	}
}

// Dragoman asks a model that is not ready until it is ready, for timeouts.model_ready at most. Fallbacks come first.
func TestColdStart(t *testing.T) {
	for name, tt := range map[string]struct {
		model     loading
		fallback  bool
		status    int
		first     string // the models of the first calls
		least     int    // the minimal number of calls
		after     time.Duration
		retry     string
		exception string
	}{
		"ready soon":                {loading{takes: 90 * time.Second}, false, 200, "claude-2.1 claude-2.1", 4, 150 * time.Second, "", ""},
		"never ready":               {loading{takes: time.Hour}, false, 529, "claude-2.1 claude-2.1", 6, 5 * time.Minute, "30", "ModelNotReadyException"},
		"a fallback":                {loading{takes: time.Hour}, true, 200, "claude-2.1 other", 2, 0, "", ""},
		"a fallback that fails":     {loading{takes: 90 * time.Second, others: failed(500, "api_error")}, true, 200, "claude-2.1 other", 5, 150 * time.Second, "", ""},
		"nobody ready in the end":   {loading{takes: time.Hour, others: errNotReady}, true, 529, "claude-2.1 other claude-2.1", 6, 5 * time.Minute, "30", "ModelNotReadyException"},
		"a fallback, a bad request": {loading{takes: 90 * time.Second, others: failed(400, "invalid_request_error")}, true, 200, "claude-2.1 other", 5, 150 * time.Second, "", ""},
	} {
		for _, path := range []string{"/v1/messages", "/model/claude-2.1/invoke"} {
			t.Run(name+" "+path, func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					model := tt.model
					s := newServer(t, &model, func(o *Options) {
						if tt.fallback {
							o.Routes[0].Fallbacks = []UpstreamModel{{Upstream: "east", Model: "other"}}
						}
						o.Attempts = 1
					})
					begun := time.Now()
					w := askAt(s, path)
					if took := time.Since(begun); w.Code != tt.status && tt.exception == "" || took > tt.after+time.Second {
						t.Errorf("%d after %v: %s", w.Code, took, w.Body)
					}
					asked := strings.Join(model.asked, " ")
					if !strings.HasPrefix(asked, tt.first) || len(model.asked) < tt.least {
						t.Errorf("asked %s", asked)
					}
					header := w.Result().Header
					if header.Get("Retry-After") != tt.retry || header.Get("X-Should-Retry") != "" {
						t.Errorf("header %v", header)
					}
					if path != "/v1/messages" && tt.exception != "" {
						checkException(t, w.Result(), http.StatusTooManyRequests, tt.exception)
					}
					if got := scrape(t, s); !strings.Contains(got, `dragoman_upstream_errors_total{error_type="model_not_ready",upstream="east"}`) {
						t.Error("it is not counted")
					}
					if open := s.breakers["east"].open(); open != 0 {
						t.Errorf("%d circuits are open", open)
					}
				})
			})
		}
	}
}

// askAt sends a question to a path of the Messages API or of Bedrock.
func askAt(s *Server, path string) *httptest.ResponseRecorder {
	body := question
	if path != "/v1/messages" {
		body = bedrockQuestion
	}
	w := httptest.NewRecorder()
	answerTo(s, w, newRequest(http.MethodPost, path, body))
	return w
}
