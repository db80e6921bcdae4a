package main

import (
	"bytes"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// child is a process that was started here, and of no others one is ended.
type child struct {
	cmd    *exec.Cmd
	output *tail
	done   chan struct{} // closed when it has ended
	ready  time.Duration // from its start until it took connections
}

// start runs a command on one processor, and waits until it takes connections. It has to be called on
// the main goroutine, which is locked to its thread: the child ends with the thread.
func start(argv, env []string, processor int, address string, patience time.Duration) (*child, error) {
	c := &child{cmd: exec.Command(argv[0], argv[1:]...), output: new(tail), done: make(chan struct{})}
	c.cmd.Env = append(os.Environ(), env...)
	c.cmd.Stdout, c.cmd.Stderr = c.output, c.output
	c.cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	var before unix.CPUSet
	if err := unix.SchedGetaffinity(0, &before); err != nil {
		return nil, err
	}
	if err := pinThread(0, processor); err != nil { // the child has the affinity of the thread
		return nil, err
	}
	begun := time.Now()
	err := c.cmd.Start()
	if err := errors.Join(err, unix.SchedSetaffinity(0, &before)); err != nil {
		return nil, err
	}
	go func() {
		_ = c.cmd.Wait() // it is ended by a signal
		close(c.done)
	}()
	for time.Since(begun) < patience {
		select {
		case <-c.done:
			return nil, fmt.Errorf("%s has ended: %s", argv[0], c.output)
		default:
		}
		if conn, err := net.DialTimeout("tcp", address, time.Second); err == nil {
			_ = conn.Close()
			c.ready = time.Since(begun)
			return c, nil
		}
		time.Sleep(time.Millisecond)
	}
	c.stop()
	return nil, fmt.Errorf("%s does not listen on %s: %s", argv[0], address, c.output)
}

func (c *child) pid() int { return c.cmd.Process.Pid }

// stop ends the child and what it has started.
func (c *child) stop() {
	pids := tree(c.pid())
	_ = c.cmd.Process.Signal(syscall.SIGTERM)
	select {
	case <-c.done:
	case <-time.After(2 * time.Second):
		_ = c.cmd.Process.Kill()
		<-c.done
	}
	for _, pid := range pids[1:] {
		if of := parent(pid); of == 1 || of == c.pid() {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// tail is the end of what a process prints.
type tail struct{ bytes.Buffer }

// Write is of [io.Writer].
func (t *tail) Write(b []byte) (int, error) {
	if t.Len() > 4<<10 {
		t.Reset()
	}
	return t.Buffer.Write(b)
}

// freeAddress returns an address of the loopback that nothing listens on.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// processors are the first and the last that this process may run on.
func processors() (first, last int, err error) {
	var set unix.CPUSet
	if err := unix.SchedGetaffinity(0, &set); err != nil {
		return 0, 0, err
	}
	first = -1
	for i := range 64 * len(set) {
		if set.IsSet(i) {
			last = i
			if first < 0 {
				first = i
			}
		}
	}
	return first, last, nil
}

// pinThread has a thread of this process run on one processor; 0 is the thread that calls.
func pinThread(id, processor int) error {
	var set unix.CPUSet
	set.Set(processor)
	return unix.SchedSetaffinity(id, &set)
}

// pinSelf has all of this process run on one processor.
func pinSelf(processor int) error {
	runtime.GOMAXPROCS(1)
	threads, err := filepath.Glob("/proc/self/task/*")
	for _, thread := range threads {
		id, _ := strconv.Atoi(filepath.Base(thread))
		err = errors.Join(err, pinThread(id, processor))
	}
	return err
}
