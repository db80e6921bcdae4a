package upstream_test

import (
	"context"
	"errors"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// kinds are the kinds of credentials: how a test creates them, and the grant that gets a token for them.
var kinds = []struct {
	name  string
	write func(tokens *upstreamtest.Tokens, folder, server string) (string, error)
	grant string
	quota string
}{
	{"user", (*upstreamtest.Tokens).User, "refresh_token", "test-quota"},
	{"service account", (*upstreamtest.Tokens).ServiceAccount, "jwt-bearer", ""},
	{"external account", (*upstreamtest.Tokens).ExternalAccount, "token-exchange", ""},
	{"metadata server", func(*upstreamtest.Tokens, string, string) (string, error) { return "", nil }, "metadata", ""},
}

// vertexServer is a running server, and the credentials of one kind for it.
type vertexServer struct {
	*upstreamtest.Vertex
	url    string
	folder string
	write  func() // writes the credentials file again
	up     *upstream.Vertex
	ends   []time.Time // the expiry of each token
}

// eachKind runs a test with every kind of credentials.
func eachKind(t *testing.T, test func(t *testing.T, s *vertexServer, grant, quota string)) {
	for _, kind := range kinds {
		t.Run(kind.name, func(t *testing.T) {
			f := upstreamtest.NewVertex(nil)
			server := httptest.NewServer(f)
			t.Cleanup(server.Close)
			t.Setenv("GCE_METADATA_HOST", strings.TrimPrefix(server.URL, "http://"))
			s := &vertexServer{Vertex: f, url: server.URL, folder: t.TempDir()}
			opt := upstream.VertexOptions{
				Project: "p", Location: "global", Endpoint: server.URL,
				OnToken: func(end time.Time) { s.ends = append(s.ends, end) },
			}
			s.write = func() {
				var err error
				if opt.Credentials, err = kind.write(f.Tokens, s.folder, server.URL); err != nil {
					t.Fatal(err)
				}
			}
			s.write()
			var err error
			if s.up, err = upstream.NewVertex(t.Context(), opt); err != nil {
				t.Fatal(err)
			}
			test(t, s, kind.grant, kind.quota)
		})
	}
}

func (s *vertexServer) ask(t *testing.T) error {
	t.Helper()
	_, err := collect(t, invoke(s.up, t.Context(), upstream.Model{ID: "claude-opus-4-6"}, ask("Hi")))
	return err
}

// wantOwnFault checks that an error does not blame the client's key, and contains this text.
func wantOwnFault(t *testing.T, err error, says string) {
	t.Helper()
	wantGateway(t, err)
	var e *upstream.Error
	if errors.As(err, &e) && (!strings.Contains(e.Message, says) || e.Credentials == "") {
		t.Errorf("%+v", e)
	}
}

func TestVertexCredentials(t *testing.T) {
	eachKind(t, func(t *testing.T, s *vertexServer, grant, quota string) {
		for range 3 {
			if err := s.ask(t); err != nil {
				t.Fatal(err)
			}
		}
		if got := strings.Join(s.Tokens.Grants(), " "); got != grant {
			t.Errorf("tokens had by %s", got)
		}
		if got := s.Requests()[0].Header.Get("x-goog-user-project"); got != quota {
			t.Errorf("x-goog-user-project: %q", got)
		}
		if left := time.Until(s.ends[0]); len(s.ends) != 1 || left > time.Hour || left < 50*time.Minute {
			t.Errorf("tokens end at %v", s.ends)
		}
	})
}

// TestVertexRotation changes the secrets of the credentials and ends the token. The next request fails, and
// the one after it reads the new file. The metadata server has no secret, so no request fails there.
func TestVertexRotation(t *testing.T) {
	eachKind(t, func(t *testing.T, s *vertexServer, grant, _ string) {
		for range 3 {
			if err := s.ask(t); err != nil {
				t.Fatal(err)
			}
			s.Tokens.Revoke()
			s.Tokens.Rotate()
			if err := s.ask(t); grant != "metadata" {
				wantOwnFault(t, err, "refused the proxy's own credentials")
			} else if err != nil {
				t.Error(err)
			}
			s.write()
		}
		if err := s.ask(t); err != nil {
			t.Fatal(err)
		}
		if got := len(s.Tokens.Grants()); got != 4 {
			t.Errorf("%d tokens", got)
		}
	})
}

func TestVertexSecretsOutdated(t *testing.T) {
	eachKind(t, func(t *testing.T, s *vertexServer, grant, _ string) {
		s.Tokens.Rotate()
		if err := s.ask(t); grant != "metadata" {
			wantOwnFault(t, err, "no credentials")
		}
		s.write()
		if err := s.ask(t); err != nil {
			t.Error(err)
		}
	})
}

func TestVertexTokenServerFails(t *testing.T) {
	eachKind(t, func(t *testing.T, s *vertexServer, _, _ string) {
		s.Tokens.Fail(upstreamtest.Refuse(403, "access_denied", "dragoman@test-project is disabled", ""))
		for range 2 {
			err := s.ask(t)
			wantOwnFault(t, err, "no credentials")
			var e *upstream.Error
			if errors.As(err, &e) && strings.Contains(e.Message, "dragoman@") {
				t.Errorf("message for the client: %q", e.Message)
			}
			if !strings.Contains(err.Error(), "access_denied") {
				t.Errorf("nothing for the log in: %v", err)
			}
		}
		s.Tokens.Fail(upstreamtest.Reply(200, "application/json", "{}"))
		wantOwnFault(t, s.ask(t), "no credentials")
		s.Tokens.Fail(nil)
		if err := s.ask(t); err != nil {
			t.Error(err)
		}
	})
}

func TestVertexTokenServerStalls(t *testing.T) {
	eachKind(t, func(t *testing.T, s *vertexServer, _, _ string) {
		s.Tokens.Fail(upstreamtest.Stall(0))
		cause := errors.New("the client went")
		ctx, cancel := context.WithCancelCause(t.Context())
		go func() {
			<-s.Tokens.Stalled()
			cancel(cause)
		}()
		if _, err := collect(t, invoke(s.up, ctx, upstream.Model{ID: "claude-opus-4-6"}, ask("Hi"))); err != cause {
			t.Errorf("error %v", err)
		}
		s.Tokens.Fail(nil)
		if err := s.ask(t); err != nil {
			t.Error(err)
		}
	})
}

func TestVertexCredentialsFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "credentials.json")
	up := newVertex(t, upstream.VertexOptions{Project: "p", Location: "global", Endpoint: "http://127.0.0.1:1", Credentials: path})
	for _, data := range []string{"", "{", "{}", `{"type":"none"}`, `{"type":"service_account","private_key":"x"}`, `{"type":"external_account"}`} {
		if data != "" {
			if err := os.WriteFile(path, []byte(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		_, err := collect(t, invoke(overWire{up, upstream.WireMessages}, t.Context(), upstream.Model{ID: "m"}, ask("Hi")))
		wantOwnFault(t, err, "no credentials")
		var e *upstream.Error
		if errors.As(err, &e) && strings.Contains(e.Message, path) {
			t.Errorf("message for the client: %q", e.Message)
		}
	}
}
