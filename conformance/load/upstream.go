package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"io"
	"net/http"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"time"
)

// upstream answers every request with a completion, in the API that the path asks for: the Messages
// API, Bedrock's two invoke operations, and chat completions. It takes any credentials and signature.
type upstream struct {
	mu       sync.Mutex
	settings settings
	answers  map[string]*completion // by the stop sequences
}

// upstreamCommand runs the fake upstream.
func upstreamCommand(args []string) error {
	flags := flag.NewFlagSet("upstream", flag.ExitOnError)
	listen := flags.String("listen", "127.0.0.1:0", "`address`; loopback only")
	_ = flags.Parse(args) // it exits
	u := new(upstream)
	u.set(settings{Args: 400, Content: "mixed"})
	debug.SetGCPercent(400) // its own memory is not measured, and its time is the load's
	return serve(*listen, u)
}

func (u *upstream) set(s settings) {
	u.mu.Lock()
	defer u.mu.Unlock()
	u.settings, u.answers = s, map[string]*completion{}
}

// completion returns the answer to a request with these stop sequences.
func (u *upstream) completion(stops []string) (settings, *completion) {
	key := strings.Join(stops, "\x00")
	u.mu.Lock()
	defer u.mu.Unlock()
	c := u.answers[key]
	if c == nil {
		c = u.settings.build(stops)
		u.answers[key] = c
	}
	return u.settings, c
}

var buffers = sync.Pool{New: func() any { return new(bytes.Buffer) }}

// ServeHTTP is of [http.Handler].
func (u *upstream) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	buffer := buffers.Get().(*bytes.Buffer)
	defer buffers.Put(buffer)
	buffer.Reset()
	if _, err := buffer.ReadFrom(r.Body); err != nil {
		return
	}
	path := r.URL.Path
	switch {
	case path == "/_load/settings":
		var s settings
		if err := json.Unmarshal(buffer.Bytes(), &s); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		u.set(s)
		return
	case strings.HasSuffix(path, "/models"): // which some peers ask for when they start
		w.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"bench","object":"model","created":1,"owned_by":"bench"}]}`)
		return
	}
	asked, err := readAsked(buffer.Bytes())
	if err != nil {
		http.Error(w, `{"type":"error","error":{"type":"invalid_request_error","message":"`+err.Error()+`"}}`, http.StatusBadRequest)
		return
	}
	s, c := u.completion(asked.stops)
	switch {
	case strings.HasSuffix(path, "/chat/completions"):
		answer(w, s, c, chat{}, asked.stream)
	case strings.HasSuffix(path, "/invoke-with-response-stream"):
		answer(w, s, c, messages{frames: true}, true)
	case strings.HasSuffix(path, "/invoke"):
		answer(w, s, c, messages{}, false)
	case strings.HasSuffix(path, "/messages"):
		answer(w, s, c, messages{}, asked.stream)
	default:
		http.NotFound(w, r)
	}
}

// answer sends a completion: each delta in a write of its own, with its time of sending.
func answer(w http.ResponseWriter, s settings, c *completion, api wire, stream bool) {
	h := w.Header()
	h.Set("Content-Type", api.contentType(stream))
	h.Set("Request-Id", "req_bench")
	time.Sleep(time.Duration(s.TTFTUS) * time.Microsecond)
	if !stream {
		body := api.whole(make([]byte, 0, 2*c.bytes+1024), c)
		h.Set("Content-Length", strconv.Itoa(len(body)))
		_, _ = w.Write(body) // whoever has left is not counted
		return
	}
	flush := w.(http.Flusher).Flush
	b := api.begin(make([]byte, 0, 1024), c)
	if _, err := w.Write(b); err != nil {
		return
	}
	flush()
	delay, next := time.Duration(s.DelayUS)*time.Microsecond, time.Now()
	for i := range c.deltas {
		if delay > 0 {
			next = next.Add(delay)
			time.Sleep(time.Until(next))
		}
		b = api.delta(b[:0], &c.deltas[i], time.Now())
		if _, err := w.Write(b); err != nil {
			return
		}
		flush()
	}
	_, _ = w.Write(api.end(b[:0], c))
}

// asked is what the upstream reads of a request.
type asked struct {
	stream bool
	stops  []string
}

func readAsked(body []byte) (a asked, err error) {
	err = members(body, func(key string, value []byte) {
		switch key {
		case "stream":
			a.stream = string(value) == "true"
		case "stop_sequences", "stop":
			if json.Unmarshal(value, &a.stops) != nil {
				a.stops = []string{strings.Trim(string(value), `"`)}
			}
		}
	})
	return a, err
}
