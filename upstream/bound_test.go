package upstream_test

import (
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"dragoman/translate"
	"dragoman/upstream"
)

// Dragoman reads only a limited part of an endless error, or of an endless token count.
func TestEndlessRefusal(t *testing.T) {
	const most = 256 << 20 // if the test reads this much, it has failed
	for _, status := range []int{200, 400, 500} {
		var written atomic.Int64
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(status)
			text := []byte(strings.Repeat(" ", 1<<20))
			for written.Load() < most {
				n, err := w.Write(text)
				written.Add(int64(n))
				if err != nil {
					return
				}
			}
		}))
		bedrock := dialBedrock(t, server)
		for name, ask := range map[string]func() error{
			"invoke":   func() error { return lastError(overWire{bedrock, upstream.WireMessages}, t) },
			"converse": func() error { return lastError(overWire{bedrock, upstream.WireConverse}, t) },
			"count": func() error {
				_, err := countOf(t, bedrock)
				return err
			},
		} {
			written.Store(0)
			if err := ask(); err == nil {
				t.Errorf("%d, %s: no error", status, name)
			}
			if got := written.Load(); got > 64<<20 {
				t.Errorf("%d, %s: %d MB were read", status, name, got>>20)
			}
		}
		server.Close()
	}
}

func lastError(up invoker, t *testing.T) (last error) {
	for _, err := range invoke(up, t.Context(), upstream.Model{ID: "anthropic.claude-v2"}, hello) {
		last = err
	}
	return last
}

// The cost of an answer of many small parts grows with its bytes.
func TestManyParts(t *testing.T) {
	const n = 50_000
	chat := `{"object":"chat.completion","choices":[{"message":{"content":[` + strings.Repeat(`{"type":"text","text":"ab"},`, n) + `{"text":""}]},"finish_reason":"stop"}]}`
	converse := `{"output":{"message":{"content":[` + strings.Repeat(`{"text":"ab"},`, n) + `{"text":""}]}},"stopReason":"end_turn"}`
	for name, answer := range map[string]string{"chat": chat, "converse": converse} {
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write([]byte(answer))
		}))
		var up invoker
		up, err := upstream.NewOpenAI(upstream.ServerOptions{BaseURL: server.URL})
		if err != nil {
			t.Fatal(err)
		}
		if name == "converse" {
			up = overWire{dialBedrock(t, server), upstream.WireConverse}
		}
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		length := 0
		for c, err := range invoke(up, t.Context(), upstream.Model{ID: "m"}, hello) {
			if err != nil {
				t.Fatal(err)
			}
			length += len(c.Text)
		}
		runtime.ReadMemStats(&after)
		if got := (after.TotalAlloc - before.TotalAlloc) >> 20; length != 2*n || got > 200 {
			t.Errorf("%s: %d bytes of text, %d MB allocated", name, length, got)
		}
		server.Close()
	}
}

var hello = &translate.Prompt{MaxTokens: 1, Turns: []translate.Turn{{Role: "user", Parts: []translate.Part{{Type: translate.PartText, Text: "Hello"}}}}}
