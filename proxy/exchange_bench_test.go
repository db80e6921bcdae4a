package proxy

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// discard is a client that accepts everything.
type discard http.Header

func (d discard) Header() http.Header              { return http.Header(d) }
func (d discard) Write(p []byte) (int, error)      { return len(p), nil }
func (d discard) WriteHeader(int)                  {}
func (d discard) Flush()                           {}
func (d discard) SetWriteDeadline(time.Time) error { return nil }

// BenchmarkExchange measures an exchange without the network.
func BenchmarkExchange(b *testing.B) {
	long := make([]string, 1000)
	for i := range long {
		long[i] = "sixteen letters "
	}
	for _, bb := range []struct {
		name, body string
		up         any
	}{
		{"message", question, completing(endOfCall, weather...)},
		{"stream", streamed(question), completing(endOfCall, weather...)},
		{"stream of 1000 chunks", streamed(question), completing(translate.Chunk{Stop: messages.StopEndTurn}, long...)},
	} {
		b.Run(bb.name, func(b *testing.B) {
			h := newServer(b, bb.up).Handler()
			b.ReportAllocs()
			for b.Loop() {
				r := newRequest("POST", "/v1/messages", "")
				r.Body = readCloser{strings.NewReader(bb.body)}
				h.ServeHTTP(discard{}, r)
			}
		})
	}
}

type readCloser struct{ *strings.Reader }

func (readCloser) Close() error { return nil }
