package answer

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"strings"
)

// event has the members of an event of the Messages API that a client reads.
type event struct {
	Type         string
	Index        int
	ContentBlock struct{ Type, Text string } `json:"content_block"`
	Delta        struct {
		Type, Text  string
		PartialJSON string `json:"partial_json"`
		StopReason  string `json:"stop_reason"`
	}
	Error struct{ Type string }
}

// readEvents reads a stream of the Messages API. Its grammar is
//
//	message_start (ping | block_start delta* block_stop)* message_delta message_stop
//
// A stream may also stop anywhere with an error. Pings may come anywhere in between. Nothing comes after
// message_stop or error.
func (a *Answer) readEvents(events iter.Seq2[event, error]) error {
	var g grammar
	var text, call strings.Builder // builders, so that long answers take linear time
	defer func() { a.Text, a.Call = text.String(), call.String() }()
	for e, err := range events {
		if err != nil {
			return err
		}
		if !g.allows(e) {
			return fmt.Errorf("%s must not come there", e.Type)
		}
		text.WriteString(e.ContentBlock.Text + e.Delta.Text)
		call.WriteString(e.Delta.PartialJSON)
		a.add(e)
	}
	if !g.over {
		return errUnended
	}
	return nil
}

// add adds an event, without its text.
func (a *Answer) add(e event) {
	switch e.Type {
	case "content_block_start":
		a.Called = a.Called || e.ContentBlock.Type == "tool_use"
	case "content_block_stop":
		a.Closed = a.Called
	case "message_delta":
		a.Stop = e.Delta.StopReason
	case "message_stop":
		a.Finished = true
	case "error":
		a.Failure = e.Error.Type
	}
}

// grammar is the state of a stream.
type grammar struct {
	begun, open, ending, over bool
	blocks                    int
}

// allows reports whether the event may come next. If so, it becomes part of the stream.
func (g *grammar) allows(e event) bool {
	ok := g.begun && !g.over
	switch e.Type {
	case "message_start":
		ok = !g.begun && !g.over
		g.begun = true
	case "content_block_start":
		ok = ok && !g.open && !g.ending && e.Index == g.blocks
		g.open = true
	case "content_block_delta":
		ok = ok && g.open && e.Index == g.blocks
	case "content_block_stop":
		ok = ok && g.open && e.Index == g.blocks
		g.open = false
		g.blocks++
	case "message_delta":
		ok = ok && !g.open && !g.ending
		g.ending = true
	case "message_stop":
		ok = ok && g.ending
		g.over = true
	case "error":
		g.over = true
	case "ping":
	default:
		return false
	}
	return ok
}

// serverSent reads server-sent events by the rules of the HTML standard, section 9.2. Lines at the end
// without an empty line after them are not an event.
func serverSent(r io.Reader) iter.Seq2[event, error] {
	return func(yield func(event, error) bool) {
		for lines := bufio.NewReader(r); ; {
			name, data, err := serverSentEvent(lines)
			if err == io.EOF {
				return
			}
			e, err := parse(data, err)
			if err == nil && e.Type != name {
				err = fmt.Errorf("the event %q says that it is %q", name, e.Type)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

func serverSentEvent(r *bufio.Reader) (name string, data []byte, err error) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return "", nil, err
		}
		field, value, _ := strings.Cut(strings.TrimRight(line, "\r\n"), ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case field == "event":
			name = value
		case field == "data":
			data = append(data, value...)
		case field == "" && value == "" && data != nil:
			return name, data, nil
		}
	}
}

// parse parses an event, if no error came before.
func parse(data []byte, err error) (e event, _ error) {
	if err != nil {
		return e, err
	}
	if err := json.Unmarshal(data, &e); err != nil {
		return e, fmt.Errorf("%w in %q", err, data)
	}
	return e, nil
}
