package proxy

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate"
	"dragoman/upstream"
)

// Whatever an exchange waits for, it ends as soon as its client has left, and nobody is
// asked any more.
func TestNothingIsDoneForNobody(t *testing.T) {
	const strict = `"tools":[{"name":"get_weather","strict":true,`
	held := strings.Replace(question, `"tools":[{"name":"get_weather",`, strict, 1)
	chunks := func(pieces ...string) []pause {
		var list []pause
		for _, piece := range pieces {
			list = append(list, pause{0, translate.Chunk{Text: piece}})
		}
		return append(list, pause{time.Hour, endOfTurn})
	}
	overloaded := &upstream.Error{Status: 529, Type: "overloaded_error", Message: "busy", RetryAfter: 8 * time.Second}
	for _, tt := range []struct {
		name, path, body string
		up               upstreamFunc
	}{
		{"whole, before the first chunk", "/v1/messages", question, slow(pause{time.Hour, endOfTurn})},
		{"whole", "/v1/messages", question, slow(chunks("It is ")...)},
		{"held", "/v1/messages", streamed(held), slow(chunks(weather[:4]...)...)},
		{"whole, retry", "/v1/messages", question, failing(overloaded)},
		{"streamed, retry", "/v1/messages", streamed(question), failing(overloaded)},
		{"deaf", "/v1/messages", question, func(_ context.Context, yield func(translate.Chunk, error) bool) {
			for yield(translate.Chunk{Text: "word "}, nil) {
				time.Sleep(10 * time.Millisecond)
			}
		}},
	} {
		for _, version := range versions {
			t.Run(fmt.Sprintf("HTTP/%d %s", version, tt.name), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var log logged
					asked := 0
					up := upstreamFunc(func(ctx context.Context, yield func(translate.Chunk, error) bool) {
						asked++
						tt.up(ctx, yield)
					})
					srv := servePipes(newServer(t, up, log.option, func(o *Options) { o.Attempts = 2 }).Handler())
					client := srv.client(version)
					ctx, leave := context.WithTimeout(t.Context(), time.Second)
					defer leave()
					r, err := http.NewRequestWithContext(ctx, "POST", "http://dragoman"+tt.path, strings.NewReader(tt.body))
					if err != nil {
						t.Fatal(err)
					}
					if res, err := client.Do(r); err == nil {
						<-ctx.Done()
						res.Body.Close()
					}
					time.Sleep(100 * time.Millisecond)
					synctest.Wait()
					if got := log.exchange(t); got["terminal"] != "client_gone" || got["duration_ms"].(float64) > 1100 {
						t.Errorf("logged %v", got)
					}
					if asked != 1 {
						t.Errorf("asked %d times", asked)
					}
					client.CloseIdleConnections()
					srv.close(t)
				})
			})
		}
	}
}
