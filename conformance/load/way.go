package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"

	vegeta "github.com/tsenart/vegeta/v12/lib"
	"golang.org/x/sys/unix"
)

// way is a way to the model, and the results of the load on it.
type way struct {
	name, url string
	cmd       *exec.Cmd // nil for a program that was not started here

	metrics vegeta.Metrics
	cpu     time.Duration // the processor time of the program
}

// startWay runs a program, which takes -listen, and waits until it listens. The program ends with ctx at the
// latest.
func startWay(ctx context.Context, name string, env, argv []string) (*way, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	address := l.Addr().String()
	_ = l.Close() // so that the program can use the address
	var output bytes.Buffer
	cmd := exec.CommandContext(ctx, argv[0], append(argv[1:], "--listen", address)...)
	cmd.Env, cmd.Stdout, cmd.Stderr = append(os.Environ(), env...), io.Discard, &output
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	w := &way{name: name, url: "http://" + address, cmd: cmd}
	for range 1000 {
		if conn, err := net.Dial("tcp", address); err == nil {
			return w, conn.Close()
		}
		time.Sleep(10 * time.Millisecond)
	}
	w.stop()
	return nil, fmt.Errorf("%s does not listen on %s: %s", name, address, &output)
}

// stop ends the program, if it was started here.
func (w *way) stop() {
	if w.cmd != nil {
		_ = w.cmd.Process.Signal(syscall.SIGTERM) // an error means that it has already ended
		_ = w.cmd.Wait()
	}
}

// forget drops the results so far.
func (w *way) forget() { w.metrics, w.cpu = vegeta.Metrics{}, 0 }

// processorTime is the processor time of the program so far. It is exact, unlike /proc, which counts in ticks
// of 10 ms.
func (w *way) processorTime() time.Duration {
	const scheduled = 2 // CPUCLOCK_SCHED: the clock of a process is its id, inverted, and the kind
	var t unix.Timespec
	if w.cmd == nil || unix.ClockGettime(int32(^w.cmd.Process.Pid<<3|scheduled), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// peak is the most memory that the program has used, in bytes, according to the kernel.
func (w *way) peak() int64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.cmd.Process.Pid)) // empty if the program has ended
	_, after, _ := strings.Cut(string(text), "\nVmHWM:")
	value, _, _ := strings.Cut(after, " kB")
	n, _ := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
	return n << 10
}

// printTable prints the table.
func printTable(out io.Writer, ways []*way) {
	fmt.Fprint(out, "| | requests | answered, % | p50, µs | p95 | p99 | CPU of a request, µs | peak memory, MiB |\n"+
		"| --- | --: | --: | --: | --: | --: | --: | --: |\n")
	for _, w := range ways {
		w.metrics.Close()
		m := &w.metrics
		fmt.Fprintf(out, "| %s | %d | %.1f | %d | %d | %d |", w.name, m.Requests, 100*m.Success,
			m.Latencies.P50.Microseconds(), m.Latencies.P95.Microseconds(), m.Latencies.P99.Microseconds())
		if w.cmd == nil {
			fmt.Fprintln(out, "  |  |")
			continue
		}
		fmt.Fprintf(out, " %d | %.1f |\n", w.cpu.Microseconds()/int64(max(1, m.Requests)), float64(w.peak())/(1<<20))
	}
}
