package proxy

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"dragoman/translate"
)

// A connection above its age serves one more request and then closes. A stream that is open at that time runs to its
// end.
func TestConnectionAge(t *testing.T) {
	const age = 10 * time.Minute
	for _, version := range versions {
		for _, limit := range []time.Duration{age, 0} {
			t.Run(fmt.Sprintf("HTTP/%d, age %v", version, limit), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					up := slow(pause{0, translate.Chunk{Text: "It is "}}, pause{2 * age, translate.Chunk{Text: "cold."}}, pause{0, endOfTurn})
					srv := servePipes(newServer(t, up, func(o *Options) {
						o.MaxConnectionAge = limit
						o.Timeouts = Timeouts{Idle: time.Hour, Total: time.Hour}
					}).Handler())
					srv.http.ConnContext = WithConnection
					client := srv.client(version)
					ask := func(method, path, body string) (res *http.Response, reused bool) {
						trace := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{GotConn: func(info httptrace.GotConnInfo) { reused = info.Reused }})
						r, err := http.NewRequestWithContext(trace, method, "http://dragoman"+path, strings.NewReader(body))
						if err != nil {
							t.Fatal(err)
						}
						if res, err = client.Do(r); err != nil {
							t.Fatal(err)
						}
						return res, reused
					}
					greet := func(after time.Duration, reuses bool) {
						t.Helper()
						time.Sleep(after)
						res, reused := ask("GET", "/", "")
						_, err := io.Copy(io.Discard, res.Body)
						if res.Body.Close(); err != nil || res.StatusCode != http.StatusOK || reused != reuses {
							t.Errorf("status %d over a connection that was there: %t, %v", res.StatusCode, reused, err)
						}
						synctest.Wait() // until a GOAWAY has come
					}
					greet(0, false)
					greet(age*8/10, true)
					greet(age*4/10, true) // now it is too old
					greet(0, limit == 0)
					// Now a connection that grows too old while a stream is open on it and other requests can share it.
					stream, _ := ask("POST", "/v1/messages", streamed(question))
					text := make(chan string)
					go func() {
						all, err := io.ReadAll(stream.Body)
						stream.Body.Close()
						text <- fmt.Sprint(string(all), err)
					}()
					greet(age*12/10, version == 2)
					greet(0, version == 1 || limit == 0)
					if got := <-text; !strings.Contains(got, "message_stop") || !strings.HasSuffix(got, "<nil>") {
						t.Errorf("the stream is %s", got)
					}
					client.CloseIdleConnections()
					srv.close(t)
				})
			})
		}
	}
}
