// Command soak runs the program for a while under the load of many users, and checks that it stays stable:
//
//	go run -C conformance ./soak -duration 60m -rate 50
//
// Clients of several APIs send requests over HTTP/1.1 and HTTP/2, streamed and not. Some read slowly, and
// some leave. The upstreams are working servers; one in ten of their answers fails. Their credentials are
// rotated, and the configuration is reloaded. Each answer must be the one that its question orders, or the
// error of the ordered fault. At the end, soak prints a table, and the slopes of memory, goroutines and
// descriptors. The exit code is 1 if anything was wrong.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"syscall"
	"time"

	"dragoman/conformance"
)

// options are the flags.
type options struct {
	duration time.Duration
	rate     float64
	clients  int
	seed     uint64
	reload   bool
	outages  bool
	json     bool
}

func main() {
	var opt options
	flag.DurationVar(&opt.duration, "duration", time.Minute, "how long to ask")
	flag.Float64Var(&opt.rate, "rate", 50, "questions a second")
	flag.IntVar(&opt.clients, "clients", 48, "questions at once, at most")
	flag.Uint64Var(&opt.seed, "seed", 1, "of the questions")
	flag.BoolVar(&opt.reload, "reload", true, "change the configuration and send SIGHUP every 5 s")
	flag.BoolVar(&opt.outages, "outages", true, "have the servers of credentials fail for 5 s of every 15 s")
	flag.BoolVar(&opt.json, "json", false, "print the report as JSON")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	report, err := soak(ctx, opt)
	if err != nil {
		fmt.Fprintln(os.Stderr, "soak:", err)
		os.Exit(1)
	}
	if opt.json {
		_ = json.NewEncoder(os.Stdout).Encode(report) // cannot fail: numbers and strings
	} else {
		report.print(os.Stdout)
	}
	if len(report.Problems) > 0 {
		os.Exit(1)
	}
}

// soak asks for the given time, or until ctx ends.
func soak(ctx context.Context, opt options) (*report, error) {
	folder, err := os.MkdirTemp("", "soak")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	binary, err := conformance.Build(folder)
	if err != nil {
		return nil, err
	}
	ups, err := startUpstreams(folder)
	if err != nil {
		return nil, err
	}
	defer ups.close()
	p, err := start(binary, folder, ups)
	if err != nil {
		return nil, err
	}
	r := newReport(opt)
	crowd := newCrowd(opt, p.url, r)
	crowd.warmUp(ctx)
	before, err := p.atRest(sample{}, crowd.hangUp)
	if err != nil {
		return nil, errors.Join(err, p.stop())
	}
	disturb(ctx, opt, p, ups, func(ctx context.Context) { crowd.ask(ctx, func() { r.sample(p) }) })
	after, err := p.atRest(before, crowd.hangUp)
	r.rest(before, after, err)
	r.judge()
	r.Issued = fmt.Sprintf("%d of AWS, %d of Google", ups.rotating.issued(), len(ups.tokens.Grants()))
	if err := p.stop(); err != nil {
		r.problem("at the end: %v", err)
	}
	if p.leaks() {
		r.problem("the log has words of a question or an answer, or a key")
	}
	return r, nil
}

// disturb runs work while credentials are rotated. If the options say so, it also reloads the configuration
// and makes the credentials servers fail.
func disturb(ctx context.Context, opt options, p *program, ups *upstreams, work func(context.Context)) {
	ctx, cancel := context.WithTimeout(ctx, opt.duration)
	defer cancel()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for second := 1; ; second++ {
			select {
			case <-ctx.Done():
				ups.fail(false)
				return
			case <-time.After(time.Second):
			}
			if opt.reload && second%5 == 0 {
				p.reload()
			}
			if opt.outages {
				ups.fail(second%15 >= 10)
			}
		}
	}()
	work(ctx)
	cancel()
	<-done
}
