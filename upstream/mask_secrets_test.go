package upstream

import (
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
)

// The upstream's own key is masked in each error, whatever it looks like, in both kinds of upstream, and in the middle
// of an answer.
func TestOwnKeyIsHidden(t *testing.T) {
	for _, key := range []string{"local-team-token-7", "abc:def/ghi=", "swordfish", "x1"} {
		texts := []string{"no quota for key=" + key + " today", "Authorization: Bearer " + key, "'" + key + "' is not known", strings.Repeat("a ", 248) + key + " and more"}
		for _, text := range texts {
			quoted, err := json.Marshal(text)
			if err != nil {
				t.Fatal(err)
			}
			for name, reply := range map[string]struct {
				status     int
				kind, body string
			}{
				"status":      {400, "application/json", `{"error":{"message":` + string(quoted) + `,"type":"invalid_request_error"}}`},
				"credentials": {401, "application/json", `{"error":{"message":` + string(quoted) + `}}`},
				"text":        {500, "text/plain", text},
				"stream":      {200, "text/event-stream", `data: {"type":"error","error":{"type":"api_error","message":` + string(quoted) + `}}` + "\n\n"},
			} {
				server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					w.Header().Set("Content-Type", reply.kind)
					w.WriteHeader(reply.status)
					_, _ = io.WriteString(w, reply.body)
				}))
				opt := ServerOptions{BaseURL: server.URL + "/v1", APIKey: key, HTTPClient: server.Client()}
				for _, open := range []func(ServerOptions) (*Server, error){NewOpenAI, NewAnthropic} {
					up, err := open(opt)
					if err != nil {
						t.Fatal(err)
					}
					var failed error
					for _, err := range chunksOf(up, t.Context(), Model{ID: "m", Can: Streaming}, &translate.Prompt{Turns: partsTurn(translate.Part{Type: translate.PartText, Text: "Hi"})}) {
						failed = err
					}
					_, listed := up.ListModels(t.Context())
					for _, err := range []error{failed, listed} {
						if err == nil || strings.Contains(err.Error(), key[:min(len(key), 5)]) {
							t.Errorf("%s, %s: %v", name, key, err)
						}
					}
					up.Close()
				}
				server.Close()
			}
		}
	}
}
