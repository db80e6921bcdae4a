package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"dragoman/conformance/answer"
)

// crowd is the URL of a process with the model and its clients. So the processor time of this process belongs
// to the proxy alone.
var crowd string

// crowdEnv makes this program the crowd.
const crowdEnv = "DRAGOMAN_LOAD_CROWD"

func TestMain(m *testing.M) {
	if os.Getenv(crowdEnv) != "" {
		runCrowd()
		return
	}
	os.Exit(withCrowd(m.Run))
}

// withCrowd runs the tests beside the crowd.
func withCrowd(run func() int) int {
	cmd := exec.Command(os.Args[0])
	cmd.Env, cmd.Stderr = append(os.Environ(), crowdEnv+"=1"), os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		panic(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		panic(err)
	}
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		panic(err)
	}
	crowd = strings.TrimSpace(line)
	code := run()
	_ = in.Close() // this ends the crowd
	if err := cmd.Wait(); err != nil {
		panic(err)
	}
	return code
}

// runCrowd is the crowd, until its input ends. It prints its URL.
func runCrowd() {
	var mux http.ServeMux
	var now atomic.Pointer[model]
	mux.HandleFunc("/v1/messages", func(w http.ResponseWriter, r *http.Request) { now.Load().ServeHTTP(w, r) })
	mux.HandleFunc("/ask", func(w http.ResponseWriter, r *http.Request) {
		var o order
		err := json.NewDecoder(r.Body).Decode(&o)
		if err == nil {
			now.Store(newModel(o.Argument, o.Pause))
			err = o.ask()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusBadGateway)
		}
	})
	server := httptest.NewServer(&mux)
	fmt.Println(server.URL)
	_, _ = io.Copy(io.Discard, os.Stdin)
	server.Close()
}

// order is an order to the crowd: ask a proxy this often, over this many connections. Each connection sends
// one question after another.
type order struct {
	To, Body                     string
	Argument, Times, Connections int
	Pause                        time.Duration // the model's pause before each piece of a stream
}

// place sends the order to the crowd, and waits until it is done.
func (o order) place() error {
	body, err := json.Marshal(o)
	if err != nil {
		return err
	}
	res, err := http.Post(crowd+"/ask", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer res.Body.Close()
	text, err := io.ReadAll(res.Body)
	if res.StatusCode != http.StatusOK {
		return fmt.Errorf("%s", text)
	}
	return err
}

// ask carries out an order. It verifies every answer.
func (o order) ask() error {
	transport := &http.Transport{DisableCompression: true, MaxIdleConnsPerHost: o.Connections}
	defer transport.CloseIdleConnections()
	var asking errgroup.Group
	asking.SetLimit(o.Connections)
	for range o.Times {
		asking.Go(func() error {
			r, err := http.NewRequest(http.MethodPost, o.To+"/v1/messages", strings.NewReader(o.Body))
			if err != nil {
				return err
			}
			res, err := transport.RoundTrip(r)
			if err != nil {
				return err
			}
			return errors.Join(o.verify(res), res.Body.Close())
		})
	}
	return asking.Wait()
}

// verify checks that the argument has arrived: in a call of Dragoman, or in the text of a proxy that only
// passes on.
func (o order) verify(res *http.Response) error {
	a, err := answer.Read(res, answer.Messages, strings.Contains(o.Body, `"stream":true`))
	if err == nil && len(a.Text)+len(a.Call) < o.Argument {
		err = fmt.Errorf("the argument of %d bytes is not in the answer %.300v", o.Argument, *a)
	}
	return err
}
