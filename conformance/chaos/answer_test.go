package chaos

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
)

// answer is what a client makes of a response, streamed or whole.
type answer struct {
	status   int
	text     string
	call     string // the JSON of the call's input, as far as it came
	called   bool   // a call has begun
	closed   bool   // the call is whole, as its end says
	finished bool   // the message says of itself that it is whole
	stop     string // its stop_reason
	failure  string // the error's type; "" for none
	attempts string // of the header
}

// event is what the client reads of an event, or of a message.
type event struct {
	Type         string
	Index        int
	ContentBlock block `json:"content_block"`
	Delta        struct {
		Type, Text  string
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	}
	Error      struct{ Type, Message string }
	Content    []block
	StopReason string `json:"stop_reason"`
}

type block struct {
	Type, Text string
	Input      json.RawMessage
}

// readWhole reads an answer that is not streamed.
func (a *answer) readWhole(r io.Reader) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	var m event
	if err := json.Unmarshal(data, &m); err != nil {
		return fmt.Errorf("%w in %s", err, data)
	}
	if m.Type == "error" {
		a.failure = m.Error.Type
		return a.checkFailure()
	}
	if a.status != 200 {
		return fmt.Errorf("status %d with %s", a.status, data)
	}
	for _, b := range m.Content {
		a.text += b.Text
		if b.Type == "tool_use" {
			a.called, a.closed, a.call = true, true, string(b.Input)
		}
	}
	a.finished, a.stop = m.Type == "message", m.StopReason
	return nil
}

// checkFailure holds that a failure has a type.
func (a *answer) checkFailure() error {
	if a.failure == "" {
		return errors.New("an error without a type")
	}
	return nil
}

// readStream reads a stream. The error says what in it is against the rules of server-sent events or
// the grammar of the Messages API:
//
//	message_start (ping | block_start delta* block_stop)* message_delta message_stop
//
// or as much of it as came, and an error. Nothing comes after message_stop or error.
func (a *answer) readStream(r io.Reader) error {
	var g grammar
	for lines := bufio.NewReader(r); ; {
		name, data, err := readEvent(lines)
		if err == io.EOF {
			return g.ended()
		}
		if err != nil {
			return err
		}
		var e event
		if err := json.Unmarshal([]byte(data), &e); err != nil {
			return fmt.Errorf("%w in %s", err, data)
		}
		if e.Type != name {
			return fmt.Errorf("the event %s says that it is %s", name, e.Type)
		}
		if err := g.next(e); err != nil {
			return err
		}
		if err := a.add(e); err != nil {
			return err
		}
	}
}

// readEvent reads one event by the rules of the HTML standard, section 9.2. What stands at the end
// without an empty line behind it is no event.
func readEvent(r *bufio.Reader) (name, data string, err error) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return "", "", err
		}
		field, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case field == "event":
			name = value
		case field == "data":
			data += value
		case field == "" && value == "" && data != "":
			return name, data, nil
		}
	}
}

// add adds an event to what came before.
func (a *answer) add(e event) error {
	switch e.Type {
	case "content_block_start":
		a.text += e.ContentBlock.Text
		a.called = a.called || e.ContentBlock.Type == "tool_use"
	case "content_block_delta":
		a.text += e.Delta.Text
		a.call += e.Delta.PartialJSON
	case "content_block_stop":
		a.closed = a.called
	case "message_delta":
		a.stop = e.Delta.StopReason
	case "message_stop":
		a.finished = true
	case "error":
		a.failure = e.Error.Type
		return a.checkFailure()
	}
	return nil
}

// grammar is the state of a stream.
type grammar struct {
	begun, open, delta, over bool
	blocks                   int
}

// next returns an error if the event must not come here.
func (g *grammar) next(e event) error {
	ok := g.begun && !g.over
	switch e.Type {
	case "message_start":
		ok = !g.begun && !g.over
		g.begun = true
	case "content_block_start":
		ok = ok && !g.open && !g.delta && e.Index == g.blocks
		g.open = true
	case "content_block_delta":
		ok = ok && g.open && e.Index == g.blocks
	case "content_block_stop":
		ok = ok && g.open && e.Index == g.blocks
		g.open = false
		g.blocks++
	case "message_delta":
		ok = ok && !g.open && !g.delta
		g.delta = true
	case "message_stop":
		ok = ok && g.delta
		g.over = true
	case "error":
		g.over = true
	case "ping":
	default:
		ok = false
	}
	if !ok {
		return fmt.Errorf("%s in block %d must not come here", e.Type, e.Index)
	}
	return nil
}

// ended returns an error if the stream must not end here.
func (g *grammar) ended() error {
	if !g.over {
		return errors.New("the stream ends without message_stop and without error")
	}
	return nil
}
