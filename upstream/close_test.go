package upstream_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// closer is an upstream with connections to close.
type closer interface {
	invoker
	Close()
}

// A closed upstream keeps no connections, but still answers requests.
func TestClose(t *testing.T) {
	google := upstreamtest.NewVertex(nil)
	for name, tt := range map[string]struct {
		server http.Handler
		begin  func(url string) (closer, error)
	}{
		"anthropic": {upstreamtest.NewMessages(nil), func(url string) (closer, error) {
			return upstream.NewAnthropic(upstream.ServerOptions{BaseURL: url})
		}},
		"openai": {upstreamtest.NewChat(nil), func(url string) (closer, error) {
			return upstream.NewOpenAI(upstream.ServerOptions{BaseURL: url + "/v1"})
		}},
		"bedrock": {upstreamtest.NewBedrock(nil), func(url string) (closer, error) {
			return upstream.NewBedrock(t.Context(), upstream.BedrockOptions{Region: "us-east-1", Endpoint: url})
		}},
		"vertex": {google, func(url string) (closer, error) {
			file, err := google.Tokens.ServiceAccount(t.TempDir(), url)
			if err != nil {
				return nil, err
			}
			return upstream.NewVertex(t.Context(), upstream.VertexOptions{Project: "p", Location: "global", Endpoint: url, Credentials: file})
		}},
	} {
		t.Run(name, func(t *testing.T) {
			server, open := countingConnections(tt.server)
			defer server.Close()
			up, err := tt.begin(server.URL)
			if err != nil {
				t.Fatal(err)
			}
			prompt := &translate.Prompt{MaxTokens: 9, Turns: []translate.Turn{{Role: messages.RoleUser, Parts: []translate.Part{{Type: translate.PartText, Text: "Hi"}}}}}
			for range 2 {
				for _, err := range invoke(up, t.Context(), upstream.Model{ID: "claude-2.1"}, prompt) {
					if err != nil {
						t.Fatal(err)
					}
				}
				open.await(func(n int) bool { return n > 0 })
				up.Close()
				open.await(func(n int) bool { return n == 0 })
			}
		})
	}
}

// connections are the open connections of a server.
type connections struct {
	mu      sync.Mutex
	changed *sync.Cond
	open    map[net.Conn]bool
}

func countingConnections(h http.Handler) (*httptest.Server, *connections) {
	c := &connections{open: map[net.Conn]bool{}}
	c.changed = sync.NewCond(&c.mu)
	server := httptest.NewUnstartedServer(h)
	server.Config.ConnState = func(conn net.Conn, s http.ConnState) {
		c.mu.Lock()
		defer c.mu.Unlock()
		if s == http.StateClosed {
			delete(c.open, conn)
		} else {
			c.open[conn] = true
		}
		c.changed.Broadcast()
	}
	server.Start()
	return server, c
}

// await waits until enough returns true for the number of connections.
func (c *connections) await(enough func(n int) bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for !enough(len(c.open)) {
		c.changed.Wait()
	}
}
