package proxy

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"iter"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// answerer is a test's model.
type answerer interface {
	Invoke(ctx context.Context, m upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error]
}

// played is an upstream with a test's model. It has the further methods that the test's type has.
type played struct {
	upstream.Func
	model answerer
}

// play returns up if it is an Upstream, and otherwise an upstream with up as its model.
func play(up any) Upstream {
	switch up := up.(type) {
	case Upstream:
		return up
	case answerer:
		return played{up.Invoke, up}
	}
	return nil
}

// playAll returns upstreams, keyed by name.
func playAll(ups map[string]any) map[string]Upstream {
	all := map[string]Upstream{}
	for name, up := range ups {
		all[name] = play(up)
	}
	return all
}

func (p played) Prepare(m upstream.Model, asked *translate.Prompt) (*upstream.Call, error) {
	call, err := p.Func.Prepare(m, asked)
	if c, counts := p.model.(interface {
		Count(context.Context, upstream.Model, *translate.Prompt) (int, error)
	}); counts {
		call.Count = func(ctx context.Context) (int, error) { return c.Count(ctx, m, asked) }
	}
	return call, err
}

// nativeAnswerer is a test's model with a tools API.
type nativeAnswerer interface {
	Pass(context.Context, upstream.Model, upstream.Native) iter.Seq2[messages.Event, error]
	CountNative(context.Context, upstream.Model, upstream.Native) (int, error)
}

func (p played) PrepareNative(m upstream.Model, native upstream.Native) (*upstream.Call, error) {
	n := p.model.(nativeAnswerer)
	return &upstream.Call{
		Events: func(ctx context.Context) iter.Seq2[messages.Event, error] { return n.Pass(ctx, m, native) },
		Count:  func(ctx context.Context) (int, error) { return n.CountNative(ctx, m, native) },
		Show:   func(context.Context) (upstream.Request, error) { return upstream.Request{Body: native.Body}, nil },
	}, nil
}

func (p played) ListModels(ctx context.Context) ([]upstream.Listed, error) {
	if l, ok := p.model.(interface {
		ListModels(context.Context) ([]upstream.Listed, error)
	}); ok {
		return l.ListModels(ctx)
	}
	return nil, nil
}

// upstreamFunc is a model that runs the function.
type upstreamFunc func(ctx context.Context, yield func(translate.Chunk, error) bool)

func (f upstreamFunc) Invoke(ctx context.Context, _ upstream.Model, _ *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	return func(yield func(translate.Chunk, error) bool) { f(ctx, yield) }
}

// completing returns a model that completes every request with these pieces and this stop.
func completing(stop translate.Chunk, pieces ...string) upstreamFunc {
	return func(_ context.Context, yield func(translate.Chunk, error) bool) {
		if !yield(translate.Chunk{Usage: messages.Usage{InputTokens: 11}}, nil) {
			return
		}
		for _, piece := range pieces {
			if !yield(translate.Chunk{Text: piece}, nil) {
				return
			}
		}
		yield(stop, nil)
	}
}

var (
	endOfTurn = translate.Chunk{Stop: messages.StopEndTurn, Usage: messages.Usage{OutputTokens: 7}}
	endOfCall = translate.Chunk{Stop: messages.StopSequence, StopSequence: translate.CallsEnd, Usage: messages.Usage{OutputTokens: 7}}
)

// weather is a completion with a call, in pieces.
var weather = []string{
	"Let me ", "look.\n\n<function", "_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n",
	"<parameters>\n<city>Os", "lo</city>\n</parameters>\n</invoke>\n",
}

const (
	question = `{"model":"claude-2.1","max_tokens":100,"messages":[{"role":"user","content":"What is the weather in Oslo?"}],` +
		`"tools":[{"name":"get_weather","description":"Weather","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}]}`
)

// streamed returns the request with "stream": true.
func streamed(body string) string { return `{"stream":true,` + body[1:] }

// newServer returns a server with one upstream for all models that begin with "claude-".
func newServer(t testing.TB, up any, change ...func(*Options)) *Server {
	t.Helper()
	s, err := New(optionsFor(up, change...))
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// optionsFor returns the options of such a server.
func optionsFor(up any, change ...func(*Options)) Options {
	opt := Options{
		Routes:    []Route{{Name: "claude-*", UpstreamModel: UpstreamModel{Upstream: "east", Features: upstream.Override{With: upstream.Prefill}}}},
		Upstreams: map[string]Upstream{"east": play(up)},
		Attempts:  1,
		Log:       zerolog.Nop(),
	}
	for _, f := range change {
		f(&opt)
	}
	return opt
}

// listen serves clients on a loopback port until the test ends.
func listen(t testing.TB, s *Server) *httptest.Server {
	srv := httptest.NewServer(s.Handler())
	t.Cleanup(srv.Close)
	return srv
}

func newRequest(method, path, body string, header ...string) *http.Request {
	r := httptest.NewRequest(method, path, strings.NewReader(body))
	for i := 0; i < len(header); i += 2 {
		r.Header.Set(header[i], header[i+1])
	}
	return r
}

// post has the server answer a request without a network.
func post(s *Server, body string, header ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	answerTo(s, w, newRequest("POST", "/v1/messages", body, header...))
	return w
}

// answerTo serves r like a real server, which cuts the connection on http.ErrAbortHandler. It reports whether that
// happened.
func answerTo(s *Server, w http.ResponseWriter, r *http.Request) (cut bool) {
	defer func() {
		if v := recover(); v != nil {
			if v != http.ErrAbortHandler {
				panic(v)
			}
			cut = true
		}
	}()
	s.Handler().ServeHTTP(w, r)
	return false
}

// apiError is the body of an error.
type apiError struct {
	Type  string
	Error struct{ Type, Message string }
	ID    string `json:"request_id"`
}

// checkError checks an answer that is an error, except for its message, which it returns.
func checkError(t *testing.T, w *http.Response, status int, typ string) string {
	t.Helper()
	body, err := io.ReadAll(w.Body)
	if err != nil {
		t.Fatal(err)
	}
	var e apiError
	if err := json.Unmarshal(body, &e); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	if w.StatusCode != status || e.Type != "error" || e.Error.Type != typ || e.Error.Message == "" {
		t.Errorf("status %d, %s; want %d, %s", w.StatusCode, body, status, typ)
	}
	if id := w.Header.Get("request-id"); !isRequestID(id) || id != e.ID {
		t.Errorf("request-id %q in the header, %q in the body", id, e.ID)
	}
	if got := w.Header.Get("Content-Type"); got != "application/json" {
		t.Errorf("Content-Type %q", got)
	}
	return e.Error.Message
}

func isRequestID(s string) bool {
	id, ok := strings.CutPrefix(s, "req_")
	return ok && len(id) == 24 && strings.Trim(id, alphanumeric) == ""
}

// logged collects the log.
type logged struct {
	mu    sync.Mutex
	bytes bytes.Buffer
}

func (l *logged) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes.Write(p)
}

func (l *logged) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.bytes.String()
}

func (l *logged) option(o *Options) { o.Log = zerolog.New(l) }

// exchange returns the last log line of an exchange.
func (l *logged) exchange(t *testing.T) map[string]any {
	t.Helper()
	lines := slices.Collect(strings.Lines(l.String()))
	for _, line := range slices.Backward(lines) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		if fields["msg"] == "exchange" {
			return fields
		}
	}
	t.Fatal("no exchange was logged")
	return nil
}
