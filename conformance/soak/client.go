package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"time"

	"dragoman/conformance/answer"
)

// way is how a client asks.
type way struct {
	route   string // a name for the API
	dialect answer.Dialect
	stream  bool
	http2   bool
}

// String names the way in the table.
func (w way) String() string {
	return fmt.Sprintf("%s, %s, HTTP/%s", w.route, map[bool]string{true: "streamed", false: "whole"}[w.stream], map[bool]string{true: "2", false: "1.1"}[w.http2])
}

// ways are all ways.
var ways = func() (list []way) {
	for _, w := range []way{{route: "messages", dialect: answer.Messages}, {route: "vertex", dialect: answer.Messages}, {route: "invoke", dialect: answer.Invoke}, {route: "converse", dialect: answer.Converse}} {
		for n := range 4 {
			w.stream, w.http2 = n%2 == 0, n/2 == 0
			list = append(list, w)
		}
	}
	return list
}()

// request returns the path and the body of a question to a model.
func (w way) request(model, words string) (path, body string) {
	switch w.route {
	case "converse":
		return "/model/" + model + map[bool]string{true: "/converse-stream", false: "/converse"}[w.stream],
			fmt.Sprintf(`{"messages":[{"role":"user","content":[{"text":%q}]}],"toolConfig":{"tools":[{"toolSpec":{"name":"note","inputSchema":{"json":%s}}}]}}`, words, schema)
	case "invoke":
		return "/model/" + model + map[bool]string{true: "/invoke-with-response-stream", false: "/invoke"}[w.stream],
			fmt.Sprintf(`{"anthropic_version":"bedrock-2023-05-31",%s`, asked(words))
	case "vertex":
		return "/v1/projects/p/locations/l/publishers/anthropic/models/" + model + map[bool]string{true: ":streamRawPredict", false: ":rawPredict"}[w.stream],
			fmt.Sprintf(`{"anthropic_version":"vertex-2023-10-16","stream":%t,%s`, w.stream, asked(words))
	}
	return "/v1/messages", fmt.Sprintf(`{"model":%q,"stream":%t,%s`, model, w.stream, asked(words))
}

const schema = `{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}`

// asked returns the rest of a body of the Messages API.
func asked(words string) string {
	return fmt.Sprintf(`"max_tokens":1000,"messages":[{"role":"user","content":%q}],"tools":[{"name":"note","input_schema":%s}]}`, words, schema)
}

// crowd are the clients.
type crowd struct {
	opt    options
	url    string
	report *report
	http1  *http.Client
	http2  *http.Client
	random *rand.Rand
	asked  int
}

func newCrowd(opt options, url string, r *report) *crowd {
	h2 := new(http.Protocols)
	h2.SetUnencryptedHTTP2(true)
	return &crowd{
		opt: opt, url: url, report: r,
		http1:  &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: opt.clients}, Timeout: patience},
		http2:  &http.Client{Transport: &http.Transport{Protocols: h2}, Timeout: patience},
		random: rand.New(rand.NewPCG(opt.seed, 0)),
	}
}

// patience is how long a client waits for the end of an answer.
const patience = time.Minute

// warmUp asks for a part of the time, so that the program has its caches and pools.
func (c *crowd) warmUp(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, min(30*time.Second, c.opt.duration/5))
	defer cancel()
	c.ask(ctx, func() {})
}

// ask asks until ctx ends, and returns after the last answer. It calls everySecond.
func (c *crowd) ask(ctx context.Context, everySecond func()) {
	var asking sync.WaitGroup
	defer asking.Wait()
	free := make(chan struct{}, c.opt.clients)
	tick := time.NewTicker(time.Duration(float64(time.Second) / c.opt.rate))
	defer tick.Stop()
	second := time.NewTicker(time.Second)
	defer second.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-second.C:
			everySecond()
		case <-tick.C:
			select {
			case free <- struct{}{}:
				q := c.draw()
				asking.Go(func() {
					defer func() { <-free }()
					kind, err := c.put(q)
					c.report.count(q, kind, err)
				})
			default:
				c.report.skip() // all clients are waiting
			}
		}
	}
}

// hangUp closes the idle connections.
func (c *crowd) hangUp() {
	c.http1.CloseIdleConnections()
	c.http2.CloseIdleConnections()
}

// question is an order, with the random choices of how a client sends it.
type question struct {
	order
	way
	model       string
	leaves      int64 // after this many bytes; 0: never
	readsSlowly bool
}

func (c *crowd) draw() question {
	c.asked++
	q := question{order: newOrder(c.random, c.asked), way: ways[c.random.IntN(len(ways))], model: models[c.random.IntN(len(models))]}
	q.readsSlowly = c.random.IntN(30) == 0
	if c.random.IntN(20) == 0 {
		q.leaves = 1 + c.random.Int64N(3000)
	}
	return q
}

// put sends a question, and returns the result: "whole", "failed" or "left". The error says what was wrong.
func (c *crowd) put(q question) (kind string, err error) {
	ctx, leave := context.WithCancel(context.Background())
	defer leave()
	path, body := q.request(q.model, q.words())
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+path, strings.NewReader(body))
	if err != nil {
		return "", err
	}
	r.GetBody = nil // otherwise the transport would retry
	r.Header.Set("x-api-key", clientKey)
	r.Header.Set("content-type", "application/json")
	client := c.http1
	if q.http2 {
		client = c.http2
	}
	res, err := client.Do(r)
	if err != nil {
		return "", err
	}
	defer res.Body.Close()
	if q.leaves > 0 {
		_, _ = io.CopyN(io.Discard, res.Body, q.leaves)
		return "left", nil
	}
	if q.readsSlowly {
		res.Body = struct {
			io.Reader
			io.Closer
		}{&slowly{res.Body}, res.Body}
	}
	a, err := answer.Read(res, q.dialect, q.stream)
	if err != nil {
		return "", err
	}
	return q.checkAnswer(a)
}

// slowly reads 2 KB every 20 ms.
type slowly struct{ r io.Reader }

// Read implements [io.Reader].
func (s *slowly) Read(p []byte) (int, error) {
	time.Sleep(20 * time.Millisecond)
	return s.r.Read(p[:min(len(p), 2<<10)])
}
