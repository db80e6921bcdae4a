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

// request is a line that a program reads. It is one of three: the beginning of a conversation (Setup is
// set), which takes the place of the one before; a turn of it (Content); or the wish to abort the turn
// that is under way (Abort). Only a turn is answered, with a [verdict].
type request struct {
	BaseURL string `json:"base_url,omitempty"`
	Key     string `json:"key,omitempty"`
	Setup   *Setup `json:"setup,omitempty"`

	Content Turn `json:"content,omitempty"`
	Stream  bool `json:"stream,omitempty"`
	Leave   bool `json:"leave,omitempty"` // as in [Conversation]
	Run     bool `json:"run,omitempty"`   // as in [Runner]: the content of the message is then the calls

	Abort bool `json:"abort,omitempty"`
}

// verdict is the line that a program writes when a turn has come to its end: with the message, with the
// failure that the server answered with, or with any other error in the library's words.
type verdict struct {
	Message *Answer  `json:"message,omitempty"`
	Events  []string `json:"events,omitempty"` // if it was streamed
	Failure *Failure `json:"failure,omitempty"`
	Error   string   `json:"error,omitempty"`
}

// complaint is an error in the library's words.
type complaint string

func (c complaint) Error() string { return string(c) }

// answerTime is what a program has for one turn.
const answerTime = time.Minute

// program is a client in a process of its own, which runs through all cases: to load a library takes
// longer than to run one of them.
type program struct {
	mu       sync.Mutex
	in       *json.Encoder
	verdicts <-chan []byte // closed when the program has ended
}

// Program starts a client and returns what opens conversations through it. The client reads requests and
// writes verdicts, each a line of JSON, until its input ends. That is at the end of the test, which fails
// if the client does not exit with 0 then.
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
		for range verdicts { // of a turn that was given up
		}
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", cmd, err, &stderr)
		}
	})
	p := &program{in: json.NewEncoder(in), verdicts: verdicts}
	return p.open
}

// open begins a conversation. The program itself is the [Conversation], and the [Runner].
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

// Ask is of [Conversation].
func (p *program) Ask(ctx context.Context, turn Turn) (Answer, error) {
	return p.turn(ctx, request{Content: turn})
}

// Stream is of [Conversation].
func (p *program) Stream(ctx context.Context, turn Turn, leave bool) (Answer, error) {
	return p.turn(ctx, request{Content: turn, Stream: true, Leave: leave})
}

// Run is of [Runner].
func (p *program) Run(ctx context.Context, turn Turn) ([]Block, error) {
	answer, err := p.turn(ctx, request{Content: turn, Run: true})
	return answer.Content, err
}

// turn sends a turn and waits for its verdict. When ctx ends it asks the program to abort the turn, and
// waits on: the library must make an end of it.
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

// read returns what a verdict says.
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

// RunProgram is the other side of [Program], for clients in Go: it reads requests until in ends, and
// writes verdicts.
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
			turns.Wait() // the verdict is out, and the turn about to end
			conversation = open(r.BaseURL, r.Key, *r.Setup)
		case r.Abort:
			abort()
		default:
			turns.Wait()
			ctx, cancel := context.WithCancel(context.Background())
			abort = cancel
			turns.Go(func() {
				defer cancel()
				_ = verdicts.Encode(judge(ctx, conversation, r)) // nobody is left to tell
			})
		}
	}
}

// judge takes the turn of a request through the library, and returns what came of it.
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
