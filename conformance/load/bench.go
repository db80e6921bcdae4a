package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"
)

// bench is the fake upstream, and what the ways are started with. The target of a measurement has the
// last processor to itself; all else has the first.
type bench struct {
	folder   string // for files, removed at the end
	program  string // Dragoman's file
	alone    int    // the processor of the target
	upstream *child
	url      string        // of the upstream
	patience time.Duration // for moments in which other programs leave the machine alone, in all
}

// workload is what is asked, how often and by how many.
type workload struct {
	name    string
	shape   shape
	args    int    // bytes in the call's large argument
	content string // of it
	conns   int
	rate    float64       // arrivals a second; 0: each connection asks as fast as it can
	delay   time.Duration // between two deltas
	ttft    time.Duration // before the first
	lasts   time.Duration
	most    int // requests in a leg; 0: as many as there is time for
	rounds  int
}

// newBench starts the upstream, and builds Dragoman as it is released unless there is a program
// already. It locks the goroutine to its thread, as [start] wants.
func newBench(program string) (_ *bench, err error) {
	runtime.LockOSThread()
	b := &bench{program: program, patience: 30 * time.Second}
	defer func() {
		if err != nil {
			b.close()
		}
	}()
	if b.folder, err = os.MkdirTemp("", "load"); err != nil {
		return nil, err
	}
	if program == "" {
		if b.program, err = build(b.folder); err != nil {
			return nil, err
		}
	}
	first, last, err := processors()
	if err != nil {
		return nil, err
	}
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err != nil {
		return nil, err
	}
	if b.upstream, err = start([]string{self, "upstream", "-listen", address}, nil, first, address, 10*time.Second); err != nil {
		return nil, err
	}
	b.alone, b.url = last, "http://"+address
	return b, pinSelf(first)
}

func (b *bench) close() {
	if b.upstream != nil {
		b.upstream.stop()
	}
	_ = os.RemoveAll(b.folder) // of the system's temporary ones
}

// build builds Dragoman into a folder, and returns the program's file.
func build(folder string) (string, error) {
	program := filepath.Join(folder, "dragoman")
	cmd := exec.Command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", program, "./cmd/dragoman")
	cmd.Dir, cmd.Env = filepath.Join("..", ".."), append(os.Environ(), "CGO_ENABLED=0")
	if output, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w: %s", err, output)
	}
	return program, nil
}

// settings tell the upstream what to answer.
func (b *bench) settings(s settings) error {
	body, err := json.Marshal(s)
	if err != nil {
		return err
	}
	res, err := http.Post(b.url+"/_load/settings", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	return res.Body.Close()
}

// target is a way whose program runs.
type target struct {
	way
	run   run
	child *child
	idle  int64 // bytes of memory before the first request
	legs  []*result
	err   error // why it could not be measured
}

// target starts a way.
func (b *bench) target(w way, load workload) *target {
	t := &target{way: w}
	address := strings.TrimPrefix(b.url, "http://")
	if w.program != nil {
		var argv, env []string
		if address, t.err = freeAddress(); t.err == nil {
			argv, env, t.err = w.program(b.folder, address, b.url)
		}
		if t.err == nil {
			patience := max(w.patience, 10*time.Second)
			t.child, t.err = start(argv, env, b.alone, address, patience)
		}
		if t.err != nil {
			return t
		}
	}
	s := load.shape
	s.API, s.Stops = w.api, w.raw
	var headers []string
	for _, h := range w.headers {
		headers = append(headers, strings.ReplaceAll(h, "{upstream}", b.url))
	}
	t.run = run{host: address, path: w.requestPath(s.Stream), headers: headers, shape: s, raw: w.raw, args: load.args,
		conns: load.conns, rate: load.rate, most: load.most, lasts: load.lasts, timeout: 30 * time.Second,
		others: []int{os.Getpid(), b.upstream.pid()}}
	if t.child != nil {
		t.run.pids = tree(t.child.pid())
		t.idle = used(t.run.pids).rss
	}
	warm := t.run
	warm.conns, warm.rate, warm.most, warm.lasts = min(load.conns, 8), 0, 100, time.Second
	if r := warm.do(); r.errors > 0 {
		t.err = fmt.Errorf("%d errors before the measurement: %w", r.errors, r.first)
	}
	return t
}

// measure puts a load on each way, in rounds forward and back, so that what else the machine does falls
// on all alike. Each way's program is started for it, and stopped.
func (b *bench) measure(load workload, ways []way) ([]*target, error) {
	var targets []*target
	defer func() {
		for _, t := range targets {
			if t.child != nil {
				t.child.stop()
			}
		}
	}()
	s := settings{Args: load.args, Content: load.content}
	if err := b.settings(s); err != nil { // without the delays, for warming up
		return nil, err
	}
	for _, w := range ways {
		targets = append(targets, b.target(w, load))
	}
	s.DelayUS, s.TTFTUS = int(load.delay.Microseconds()), int(load.ttft.Microseconds())
	if err := b.settings(s); err != nil {
		return nil, err
	}
	order := slices.Clone(targets)
	for range load.rounds {
		for _, t := range order {
			if t.err == nil {
				t.legs = append(t.legs, b.leg(t))
			}
		}
		slices.Reverse(order)
	}
	var err error
	for _, t := range targets {
		for _, r := range t.legs {
			if r.errors > r.requests/500 && t.err == nil {
				t.err = fmt.Errorf("%d of %d requests: %w", r.errors, r.errors+r.requests, r.first)
			}
		}
		if t.err != nil {
			err = errors.Join(err, fmt.Errorf("%s, %s: %w", load.name, t.name, t.err))
		}
	}
	return targets, err
}

// maxForeign is how many processors other programs may use during a leg, or it is run once more.
const maxForeign = 0.3

// leg is one run, in a quiet moment if there is one.
func (b *bench) leg(t *target) *result {
	for b.patience > 0 {
		before, begun := busy(), time.Now()
		time.Sleep(200 * time.Millisecond)
		if (busy()-before).Seconds()/time.Since(begun).Seconds() < maxForeign {
			break
		}
		b.patience -= time.Since(begun)
	}
	r := t.run.do()
	if r.foreign > maxForeign && b.patience > 0 {
		again := t.run.do()
		b.patience -= time.Duration(again.seconds * 1e9)
		if again.foreign < r.foreign {
			return again
		}
	}
	return r
}

// median is the median of a figure over a target's legs.
func (t *target) median(of func(*result) float64) float64 {
	var list []float64
	for _, r := range t.legs {
		list = append(list, of(r))
	}
	if len(list) == 0 {
		return 0
	}
	slices.Sort(list)
	return (list[len(list)/2] + list[(len(list)-1)/2]) / 2
}
