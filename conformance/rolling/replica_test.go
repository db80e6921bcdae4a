package rolling

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"dragoman/conformance"
)

// replica is a dragoman that is stopped and started again at the same addresses.
type replica struct {
	listen, admin string
	config        string
	process       *os.Process
	exit          chan error // gets the result of the process
}

// newReplica starts a replica with the model behind it. drainDelay is its timeouts.drain_delay.
func newReplica(t testing.TB, model string, drainDelay time.Duration) *replica {
	t.Helper()
	r := &replica{listen: freeAddress(t), admin: freeAddress(t), config: filepath.Join(t.TempDir(), "dragoman.yaml")}
	yaml := fmt.Sprintf(`
listen: %s
admin_listen: %s
upstreams: {model: {kind: anthropic, base_url: %q}}
models: [{name: "*", upstream: model, model: m}]
timeouts: {drain: 1m, drain_delay: %v}
`, r.listen, r.admin, model, drainDelay)
	if err := os.WriteFile(r.config, []byte(yaml), 0o600); err != nil {
		t.Fatal(err)
	}
	r.start(t)
	return r
}

// start starts the process, which ends with the test at the latest. The test's log gets its log, without
// successful exchanges.
func (r *replica) start(t testing.TB) {
	t.Helper()
	cmd := exec.Command(conformance.Binary(), "serve", "--config", r.config)
	// Otherwise the race detector makes it wait for a second at its end.
	cmd.Env = []string{"GORACE=atexit_sleep_ms=0"}
	log, w := io.Pipe()
	cmd.Stdout, cmd.Stderr = w, w
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	logged := make(chan struct{})
	go func() {
		defer close(logged)
		for lines := bufio.NewScanner(log); lines.Scan(); {
			if line := lines.Text(); !strings.Contains(line, `"status":200`) || strings.Contains(line, `"error_type"`) {
				t.Log(r.listen, line)
			}
		}
	}()
	exit := make(chan error, 1)
	go func() {
		err := cmd.Wait()
		_ = w.Close()
		<-logged
		exit <- err
		close(exit)
	}()
	t.Cleanup(func() { _ = cmd.Process.Kill(); <-exit })
	r.process, r.exit = cmd.Process, exit
	await(t, r.admin+" is ready", func() bool { return r.probe("/readyz") == http.StatusOK })
}

// terminate asks the replica to stop.
func (r *replica) terminate(t testing.TB) {
	t.Helper()
	if err := r.process.Signal(syscall.SIGTERM); err != nil {
		t.Error(err)
	}
}

// awaitExit waits until the replica has ended, which must be without an error.
func (r *replica) awaitExit(t testing.TB) {
	t.Helper()
	select {
	case err := <-r.exit:
		if err != nil {
			t.Errorf("%s ended with %v", r.listen, err)
		}
	case <-time.After(patience):
		t.Fatalf("%s does not end", r.listen)
	}
}

// operators is a client for the admin listener, with a new connection for each request.
var operators = &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: 5 * time.Second}

// probe asks the admin listener, and returns the status; 0 for no answer.
func (r *replica) probe(path string) int {
	response, err := operators.Get("http://" + r.admin + path)
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	return response.StatusCode
}

// streams returns how many streams are open at the replica.
func (r *replica) streams() int { return int(r.metric("dragoman_open_streams")) }

// metric returns a metric without labels; 0 for no answer.
func (r *replica) metric(name string) float64 {
	response, err := operators.Get("http://" + r.admin + "/metrics")
	if err != nil {
		return 0
	}
	defer response.Body.Close()
	for lines := bufio.NewScanner(response.Body); lines.Scan(); {
		if value, found := strings.CutPrefix(lines.Text(), name+" "); found {
			n, _ := strconv.ParseFloat(value, 64) // cannot fail: the page's format has numbers
			return n
		}
	}
	return 0
}

// ports are the ports that freeAddress has not returned yet. They lie below the system's range for outgoing
// connections, so no connection can take the port of a stopped replica.
var ports = struct {
	sync.Mutex
	next int
}{next: 20000 + os.Getpid()%5000}

// freeAddress returns an address on loopback where nobody listens.
func freeAddress(t testing.TB) string {
	t.Helper()
	ports.Lock()
	defer ports.Unlock()
	for range 1000 {
		ports.next++
		address := fmt.Sprintf("127.0.0.1:%d", ports.next)
		if l, err := net.Listen("tcp", address); err == nil {
			l.Close()
			return address
		}
	}
	t.Fatal("no port is free")
	return ""
}
