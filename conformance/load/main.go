// Command load compares Dragoman with the model itself and with a proxy that only passes on. It asks each for
// the same answer over and over, on this machine, and prints the results as a Markdown table:
//
//	go run -C conformance ./load -rate 100 -duration 10s
//
// It uses the dragoman in DRAGOMAN_BIN, or builds one. To compare other proxies, start them before the same
// model and name them as NAME=URL; -listen sets the address of the model, which has the Messages API. It runs
// only on Linux.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"

	"dragoman/conformance"
)

// options are the flags.
type options struct {
	listen, request   string
	stream            bool
	argument          int
	pause, duration   time.Duration
	rate, connections int
}

func main() {
	var o options
	flag.StringVar(&o.listen, "listen", "127.0.0.1:0", "the `ADDRESS` of the model")
	flag.StringVar(&o.request, "request", "71KB/code", "send the request of this `NAME`: small, 71KB/plain, 71KB/code, 71KB/hostile or 115KB/code")
	flag.BoolVar(&o.stream, "stream", false, "ask for streams")
	flag.IntVar(&o.argument, "argument", 400, "`BYTES` of the argument in the call that is answered")
	flag.DurationVar(&o.pause, "pause", 0, "of the model, before each 16 bytes of a stream, and before a whole answer")
	flag.DurationVar(&o.duration, "duration", 10*time.Second, "how long to ask each way")
	flag.IntVar(&o.rate, "rate", 100, "requests a second; 0: as many as there are answers")
	flag.IntVar(&o.connections, "connections", 64, "requests at once, at most")
	flag.Parse()
	if to := os.Getenv(passTo); to != "" {
		fmt.Fprintln(os.Stderr, "load:", pass(o.listen, to))
		os.Exit(1)
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := o.run(ctx, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// rounds is how often each way has its turn, so that other load affects all alike.
const rounds = 4

// run puts the load on all ways, including other proxies, and prints the table.
func (o options) run(ctx context.Context, others []string) error {
	if load(o.request) == "" {
		return fmt.Errorf("there is no request %q: -h has their names", o.request)
	}
	folder, err := os.MkdirTemp("", "load")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	binary, err := conformance.Build(folder)
	if err != nil {
		return err
	}
	model, err := o.serveModel()
	if err != nil {
		return err
	}
	defer model.Close()
	ways, err := o.start(ctx, binary, folder, model.URL, others)
	defer func() {
		for _, w := range ways {
			w.stop()
		}
	}()
	if err != nil {
		return err
	}
	for _, w := range ways { // a warm-up, for one-time costs
		o.attack(w, time.Second)
		w.forget()
	}
	order := slices.Clone(ways)
	for range rounds {
		for _, w := range order {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			o.attack(w, o.duration/rounds)
		}
		slices.Reverse(order)
	}
	printTable(os.Stdout, ways)
	return failures(ways)
}

// serveModel starts the model.
func (o options) serveModel() (*httptest.Server, error) {
	l, err := net.Listen("tcp", o.listen)
	if err != nil {
		return nil, err
	}
	server := httptest.NewUnstartedServer(newModel(o.argument, o.pause))
	_ = server.Listener.Close() // the listener that it chose itself
	server.Listener = l
	server.Start()
	return server, nil
}

// start starts the ways to the model. If it returns an error, it also returns the ways that already run.
func (o options) start(ctx context.Context, binary, folder, model string, others []string) (ways []*way, err error) {
	ways = append(ways, &way{name: "direct", url: model})
	self, err := os.Executable()
	if err != nil {
		return ways, err
	}
	config := filepath.Join(folder, "dragoman.yaml")
	text := fmt.Sprintf("upstreams: {model: {kind: anthropic, base_url: %q, api_key: none}}\n"+
		"models: [{name: \"*\", upstream: model, model: \"anthropic.claude-v2:1\", stream_values: flow}]\n", model)
	if err := os.WriteFile(config, []byte(text), 0o600); err != nil {
		return ways, err
	}
	for _, p := range []struct {
		name string
		env  []string
		argv []string
	}{
		{"ReverseProxy", []string{passTo + "=" + model}, []string{self}},
		{"Dragoman", nil, []string{binary, "serve", "--config", config, "--admin-listen", "127.0.0.1:0"}},
	} {
		w, err := startWay(ctx, p.name, p.env, p.argv)
		if err != nil {
			return ways, err
		}
		ways = append(ways, w)
	}
	for _, other := range others {
		name, to, found := strings.Cut(other, "=")
		if !found {
			return ways, fmt.Errorf("%q is not NAME=URL", other)
		}
		ways = append(ways, &way{name: name, url: strings.TrimSuffix(to, "/")})
	}
	return ways, nil
}

// attack puts the load on a way for a while.
func (o options) attack(w *way, lasts time.Duration) {
	body := load(o.request)
	if o.stream {
		body = streamed(body)
	}
	attacker := vegeta.NewAttacker(vegeta.Workers(1), vegeta.MaxWorkers(uint64(o.connections)), vegeta.Connections(o.connections), vegeta.MaxBody(0))
	target := vegeta.Target{Method: http.MethodPost, URL: w.url + "/v1/messages", Body: []byte(body), Header: http.Header{"Content-Type": {"application/json"}}}
	before := w.processorTime()
	for r := range attacker.Attack(vegeta.NewStaticTargeter(target), vegeta.Rate{Freq: o.rate, Per: time.Second}, lasts, "") {
		w.metrics.Add(r)
	}
	w.cpu += w.processorTime() - before
}

// failures returns an error if a way has not answered all requests.
func failures(ways []*way) (err error) {
	for _, w := range ways {
		if len(w.metrics.Errors) > 0 {
			err = errors.Join(err, fmt.Errorf("%s: %s", w.name, strings.Join(w.metrics.Errors, "; ")))
		}
	}
	return err
}

// passTo is the variable that makes this program a proxy to the URL in it.
const passTo = "DRAGOMAN_LOAD_PASS_TO"

// pass is that proxy.
func pass(listen, to string) error {
	u, err := url.Parse(to)
	if err != nil {
		return err
	}
	return http.ListenAndServe(listen, passing(u))
}
