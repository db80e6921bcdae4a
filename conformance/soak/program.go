package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// program is the dragoman under test.
type program struct {
	url, admin string
	config     string // the path of its configuration
	reloads    int
	failed     error // the error of changing its configuration
	cmd        *exec.Cmd
	log        *leaking
	logged     chan struct{} // closed at the end of the log
}

// canary is in every text and every key, and must not be in the log.
const canary = "canary"

// clientKey is the key of the clients.
const clientKey = "canary-key-of-the-clients"

// The URLs in the first line of the log.
var (
	clientURL = regexp.MustCompile(`"url":"(http://[^"]+)"`)
	adminURL  = regexp.MustCompile(`"admin_url":"(http://[^"]+)"`)
)

// start runs the program with these upstreams. Its environment has nothing from this machine.
func start(binary, folder string, u *upstreams) (*program, error) {
	config, err := u.config(folder)
	if err != nil {
		return nil, err
	}
	p := &program{config: config, log: new(leaking), logged: make(chan struct{})}
	p.cmd = exec.Command(binary, "serve", "--config", config, "--listen", "127.0.0.1:0", "--admin-listen", "127.0.0.1:0")
	p.cmd.Env = []string{
		"AWS_CONTAINER_CREDENTIALS_FULL_URI=" + u.credentials, "GOOGLE_APPLICATION_CREDENTIALS=" + u.tokenFile, "AWS_CONFIG_FILE=" + os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE=" + os.DevNull, "AWS_EC2_METADATA_DISABLED=true",
	}
	stderr, err := p.cmd.StderrPipe()
	if err != nil {
		return nil, err
	}
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	lines := bufio.NewReader(stderr)
	first, _ := lines.ReadString('\n') // at the end of the log, there is no URL
	client, admin := clientURL.FindStringSubmatch(first), adminURL.FindStringSubmatch(first)
	if client == nil || admin == nil {
		_ = p.cmd.Process.Kill()
		more, _ := io.ReadAll(lines)
		return nil, errors.Join(fmt.Errorf("%s%s", first, more), p.cmd.Wait())
	}
	go func() {
		defer close(p.logged)
		_, _ = io.Copy(p.log, lines) // ends with the program
	}()
	p.url, p.admin = client[1], admin[1]
	return p, nil
}

// reload changes the configuration, and makes the program reload it. stop returns a failure.
func (p *program) reload() {
	before, err := os.ReadFile(p.config)
	p.reloads++
	kept, _, _ := bytes.Cut(before, []byte("\nhosts:"))
	next := fmt.Appendf(kept, "\nhosts: [reload-%d.example]\n", p.reloads)
	p.failed = errors.Join(p.failed, err, os.WriteFile(p.config+".new", next, 0o600), os.Rename(p.config+".new", p.config))
	_ = p.cmd.Process.Signal(syscall.SIGHUP) // if it has ended, every answer shows it
}

// stop lets it drain, and returns an error if it does not end without one.
func (p *program) stop() error {
	if err := p.cmd.Process.Signal(syscall.SIGTERM); err != nil {
		return err
	}
	kill := time.AfterFunc(30*time.Second, func() { _ = p.cmd.Process.Kill() })
	defer kill.Stop()
	<-p.logged
	return errors.Join(p.failed, p.cmd.Wait())
}

// leaks reports whether the log contained the canary.
func (p *program) leaks() bool { return p.log.found }

// leaking looks for the canary in the written text, line by line.
type leaking struct {
	found bool
	tail  []byte
}

// Write implements [io.Writer].
func (l *leaking) Write(text []byte) (int, error) {
	seen := append(l.tail, bytes.ToLower(text)...)
	l.found = l.found || bytes.Contains(seen, []byte(canary))
	l.tail = bytes.Clone(seen[max(0, len(seen)-len(canary)):])
	return len(text), nil
}

// sample is a measurement from the program's own metrics.
type sample struct {
	at                                 time.Time
	rss, heap, goroutines, descriptors float64
}

// metrics are the names of the figures in a sample, as in Prometheus.
func (s *sample) metrics() map[string]*float64 {
	return map[string]*float64{
		"process_resident_memory_bytes": &s.rss, "go_memstats_heap_inuse_bytes": &s.heap,
		"go_goroutines": &s.goroutines, "process_open_fds": &s.descriptors,
	}
}

// measure takes a sample of the program.
func (p *program) measure() (s sample, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodGet, p.admin+"/metrics", nil)
	if err != nil {
		return s, err
	}
	res, err := http.DefaultClient.Do(r)
	if err != nil {
		return s, err
	}
	defer res.Body.Close()
	s.at = time.Now()
	wanted := s.metrics()
	for lines := bufio.NewScanner(res.Body); lines.Scan(); {
		name, value, _ := strings.Cut(lines.Text(), " ")
		if at, ok := wanted[name]; ok {
			if *at, err = strconv.ParseFloat(value, 64); err != nil {
				return s, err
			}
			delete(wanted, name)
		}
	}
	if len(wanted) > 0 {
		return s, fmt.Errorf("/metrics lacks %v", wanted)
	}
	return s, nil
}

// atRest waits until the idle program has no more goroutines and descriptors than before, and returns the
// last sample. Without a sample before, it waits until the numbers do not change. hangUp makes the clients
// close their connections.
func (p *program) atRest(before sample, hangUp func()) (last sample, err error) {
	for range 60 {
		hangUp()
		s, err := p.measure()
		if err != nil {
			return s, err
		}
		if before.at.IsZero() && s.goroutines == last.goroutines && s.descriptors == last.descriptors ||
			!before.at.IsZero() && s.goroutines <= before.goroutines && s.descriptors <= before.descriptors {
			return s, nil
		}
		last = s
		time.Sleep(500 * time.Millisecond)
	}
	return last, nil
}

func write(path, text string) error { return os.WriteFile(path, []byte(text), 0o600) }
