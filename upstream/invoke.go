package upstream

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net"
	"net/http"
	"net/url"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
)

const (
	defaultConnect = 5 * time.Second
	idleConns      = 256 // kept for each upstream
	idleTimeout    = 90 * time.Second
	// A connection over which nothing came for this long is asked for a sign of
	// life (HTTP/2).
	pingAfter = 15 * time.Second

	// What may follow the end of an answer, and how long to wait for it, so that
	// its connection can serve again.
	trailerBytes = 64 << 10
	trailerWait  = 50 * time.Millisecond
)

// Connect is how long it may take to reach an upstream: to connect, and then to agree
// on TLS. 0 is 5 seconds. All else of a connection is the same whatever it is.
type Connect time.Duration

func (c Connect) timeout() time.Duration { return cmp.Or(time.Duration(c), defaultConnect) }

// dialer sets the time-out of a dialer.
func (c Connect) dialer(d *net.Dialer) { d.Timeout = c.timeout() }

// transport gives a transport the settings for an upstream. How long an answer may
// take is for the context to say.
func (c Connect) transport(t *http.Transport) {
	t.TLSHandshakeTimeout = c.timeout()
	t.MaxIdleConns = 0
	t.MaxIdleConnsPerHost = idleConns
	t.IdleConnTimeout = idleTimeout
	t.ResponseHeaderTimeout = 0
	t.DisableCompression = true // a compressed stream comes in lumps
	t.HTTP2 = &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter}
}

// withoutRedirects returns a client that takes a redirect for the answer.
func withoutRedirects(c *http.Client) *http.Client {
	own := *c
	own.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	return &own
}

// replayable tells the transport that it may send a request again when an idle
// connection turns out to be dead. The header has no value and is not sent.
func replayable(h http.Header) { h["Idempotency-Key"] = nil }

// invoke makes a sequence of run, which talks to one upstream. The context that
// run gets ends with the range. An error that came after the end of the caller's
// context is replaced by the context's cause.
func invoke[P portion](
	ctx context.Context,
	run func(ctx context.Context, cancel context.CancelFunc, yield func(P, error) bool),
) iter.Seq2[P, error] {
	return func(yield func(P, error) bool) {
		inner, cancel := context.WithCancel(ctx)
		defer cancel()
		run(inner, cancel, func(p P, err error) bool {
			if err != nil && ctx.Err() != nil {
				err = context.Cause(ctx)
			}
			return yield(p, err)
		})
	}
}

// portion is what an answer comes in: the chunks of a text, or the events of a model
// with tools of its own.
type portion interface {
	translate.Chunk | messages.Event
}

// withRequestID adds the upstream's id of the request to the first portion that can have
// it, or to an error: to a copy, for one error may be the cause that many calls ended with.
func withRequestID[P portion](id string, yield func(P, error) bool) func(P, error) bool {
	told := false
	return func(p P, err error) bool {
		var known *Error
		if errors.As(err, &known) && known.RequestID == "" {
			own := *known
			own.RequestID = id
			err = &own
		}
		if !told && err == nil {
			switch p := any(&p).(type) {
			case *translate.Chunk:
				p.RequestID, told = id, true
			case *messages.Event:
				if p.Message != nil {
					p.Message.RequestID, told = id, true
				}
			}
		}
		return yield(p, err)
	}
}

// isLast tells whether the answer is whole with this portion.
func isLast[P portion](p P) bool {
	switch p := any(p).(type) {
	case translate.Chunk:
		return p.Stop != ""
	case messages.Event:
		return p.Type == messages.MessageStop
	}
	return false
}

// drain reads what follows the end of an answer, which lets its connection serve
// the next one. An upstream that has not finished by then is cut off.
func drain(body io.Reader, cancel context.CancelFunc) {
	timer := time.AfterFunc(trailerWait, cancel)
	defer timer.Stop()
	_, _ = io.CopyN(io.Discard, body, trailerBytes)
}

// parseBase reads the base URL of an upstream. Its errors repeat no credentials.
func parseBase(s string) (*url.URL, error) {
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, errors.New("is not a URL")
	case u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return nil, errors.New("may not hold credentials, a query or a fragment")
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, fmt.Errorf("%q is not an http or https URL", s)
	case u.Host == "":
		return nil, fmt.Errorf("%q names no host", s)
	}
	return u, nil
}
