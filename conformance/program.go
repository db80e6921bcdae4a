package conformance

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"sync"
	"testing"
	"time"
)

// request is a line that a program reads. Its kind depends on the field that is set. Setup begins a new
// conversation. Content is a turn of it. Abort aborts the running turn. Only a turn is answered, with a
// [verdict].
type request struct {
	BaseURL string `json:"base_url,omitempty"`
	Key     string `json:"key,omitempty"`
	Setup   *Setup `json:"setup,omitempty"`

	Content Turn `json:"content,omitempty"`
	Stream  bool `json:"stream,omitempty"`
	Leave   bool `json:"leave,omitempty"` // see [Conversation]
	Run     bool `json:"run,omitempty"`   // see [Runner]: the content of the message is then the calls

	Abort bool `json:"abort,omitempty"`
}

// verdict is the line that a program writes at the end of a turn: with the message, with a failure of the
// server, or with any other error of the library.
type verdict struct {
	Message *Answer  `json:"message,omitempty"`
	Events  []string `json:"events,omitempty"` // only if it was streamed
	Failure *Failure `json:"failure,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// complaint is an error of the library, as text.
type complaint string

func (c complaint) Error() string { return string(c) }

// answerTime limits one turn of a program.
const answerTime = time.Minute

// program is a client in its own process, which runs all cases: loading a library takes longer than running a
// case.
type program struct {
	mu       sync.Mutex
	in       *json.Encoder
	verdicts <-chan []byte // closed when the program has ended
}

// Program starts a client and returns an Opener for it. The client reads requests and writes verdicts, each a
// line of JSON, until its input ends at the end of the test. If the client does not exit with 0 then, the
// test fails.
func Program(t *testing.T, cmd *exec.Cmd) Opener {
	t.Helper()
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	verdicts := make(chan []byte, 1)
	go func() {
		defer close(verdicts)
		for lines := bufio.NewReader(out); ; {
			line, err := lines.ReadBytes('\n')
			if err != nil {
				return
			}
			verdicts <- line
		}
	}()
	t.Cleanup(func() {
		_ = in.Close()
		kill := time.AfterFunc(answerTime, func() { _ = cmd.Process.Kill() })
		defer kill.Stop()
		for range verdicts { // verdicts of turns that were given up
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", cmd, err, &stderr)
		}
	})
	p := &program{in: json.NewEncoder(in), verdicts: verdicts}
	return p.open
}

// open begins a conversation. The program itself is the [Conversation] and the [Runner].
func (p *program) open(baseURL, key string, setup Setup) Conversation {
	// If the program has ended, the first turn returns an error.
	_ = p.send(request{BaseURL: baseURL, Key: key, Setup: &setup})
	return p
}

// send writes one line. Aborts are sent while a turn waits.
func (p *program) send(r request) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.in.Encode(r)
}

// Ask implements [Conversation].
func (p *program) Ask(ctx context.Context, turn Turn) (Answer, error) {
	return p.turn(ctx, request{Content: turn})
}

// Stream implements [Conversation].
func (p *program) Stream(ctx context.Context, turn Turn, leave bool) (Answer, error) {
	return p.turn(ctx, request{Content: turn, Stream: true, Leave: leave})
}

// Run implements [Runner].
func (p *program) Run(ctx context.Context, turn Turn) ([]Block, error) {
	answer, err := p.turn(ctx, request{Content: turn, Run: true})
	return answer.Content, err
}

// turn sends a turn and waits for its verdict. When ctx ends, it asks the program to abort the turn, and
// keeps waiting: the library must end the turn.
func (p *program) turn(ctx context.Context, r request) (Answer, error) {
	if err := p.send(r); err != nil {
		return Answer{}, err
	}
	limit := time.NewTimer(answerTime)
	defer limit.Stop()
	abort := ctx.Done()
	for {
		select {
		case line, ok := <-p.verdicts:
			if !ok {
				return Answer{}, io.ErrUnexpectedEOF
			}
			return read(line)
		case <-abort:
			abort = nil
			if err := p.send(request{Abort: true}); err != nil {
				return Answer{}, err
			}
		case <-limit.C:
			return Answer{}, fmt.Errorf("no verdict after %v", answerTime)
		}
	}
}

// read decodes a verdict.
func read(line []byte) (Answer, error) {
	var v verdict
	if err := json.Unmarshal(line, &v); err != nil {
		return Answer{}, fmt.Errorf("%w in the verdict %s", err, line)
	}
	var answer Answer
	if v.Message != nil {
		answer = *v.Message
	}
	answer.Events = v.Events
	switch {
	case v.Failure != nil:
		return answer, v.Failure
	case v.Error != "":
		return answer, complaint(v.Error)
	case v.Message == nil:
		return answer, fmt.Errorf("nothing in the verdict %s", line)
	}
	return answer, nil
}

// RunProgram is the other side of [Program], for clients in Go: it reads requests until in ends, and writes
// verdicts.
func RunProgram(in io.Reader, out io.Writer, open Opener) error {
	requests, verdicts := json.NewDecoder(in), json.NewEncoder(out)
	var conversation Conversation
	abort := func() {}
	var turns sync.WaitGroup
	defer turns.Wait()
	for {
		var r request
		if err := requests.Decode(&r); err == io.EOF {
			return nil
		} else if err != nil {
			return err
		}
		switch {
		case r.Setup != nil:
			turns.Wait() // the verdict is written, and the turn is about to end
			conversation = open(r.BaseURL, r.Key, *r.Setup)
		case r.Abort:
			abort()
		default:
			turns.Wait()
			ctx, cancel := context.WithCancel(context.Background())
			abort = cancel
			turns.Go(func() {
				defer cancel()
				_ = verdicts.Encode(judge(ctx, conversation, r)) // an error means that nobody reads it
			})
		}
	}
}

// judge runs the turn of a request through the library, and returns the verdict.
func judge(ctx context.Context, c Conversation, r request) verdict {
	var answer Answer
	var err error
	switch {
	case r.Run:
		answer.Content, err = c.(Runner).Run(ctx, r.Content)
	case r.Stream:
		answer, err = c.Stream(ctx, r.Content, r.Leave)
	default:
		answer, err = c.Ask(ctx, r.Content)
	}
	v := verdict{Message: &answer, Events: answer.Events}
	if failure, ok := errors.AsType[*Failure](err); ok {
		v.Failure = failure
	} else if err != nil {
		v.Error = err.Error()
	}
	return v
}
