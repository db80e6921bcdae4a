package answer

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
)

// frames reads the frames of an event stream with the decoder of the AWS SDK. If its field exception is set,
// the frame is an exception.
func frames(r io.Reader) iter.Seq2[frame, error] {
	return func(yield func(frame, error) bool) {
		for decoder := eventstream.NewDecoder(); ; {
			m, err := decoder.Decode(r, nil)
			if err == io.EOF {
				return
			}
			f := frame{payload: m.Payload}
			if err == nil {
				f.exception = header(m, ":message-type") == "exception"
				f.name = header(m, map[bool]string{true: ":exception-type", false: ":event-type"}[f.exception])
			}
			if !yield(f, err) || err != nil {
				return
			}
		}
	}
}

// frame is one frame of an event stream.
type frame struct {
	exception bool
	name      string // the name of the event or the exception
	payload   []byte
}

func header(m eventstream.Message, name string) string {
	v := m.Headers.Get(name)
	if v == nil {
		return ""
	}
	return v.String()
}

// chunks reads the events of the Messages API in the frames of InvokeModel. An exception becomes the event
// error.
func chunks(r io.Reader) iter.Seq2[event, error] {
	return func(yield func(event, error) bool) {
		for f, err := range frames(r) {
			var chunk struct{ Bytes []byte }
			if err == nil && !f.exception {
				err = json.Unmarshal(f.payload, &chunk)
			}
			var e event
			if f.exception {
				e.Type, e.Error.Type = "error", f.name
			} else {
				e, err = parse(chunk.Bytes, err)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// readConverse reads a stream of Converse: messageStart, blocks, messageStop and metadata. The stream may
// also stop anywhere with an exception.
func (a *Answer) readConverse(r io.Reader) error {
	var events []string
	for f, err := range frames(r) {
		if err != nil {
			return err
		}
		if a.Finished || a.Failure != "" {
			return fmt.Errorf("%s must not come there", f.name)
		}
		if f.exception {
			a.Failure = f.name
			continue
		}
		events = append(events, f.name)
		if err := a.addConverse(f); err != nil {
			return err
		}
	}
	switch n := len(events); {
	case a.Failure != "":
	case n < 2 || events[0] != "messageStart" || events[n-2] != "messageStop" || events[n-1] != "metadata":
		return fmt.Errorf("%w: %v", errUnended, events)
	}
	return nil
}

// addConverse adds an event of Converse.
func (a *Answer) addConverse(f frame) error {
	var e struct {
		Start struct{ ToolUse *struct{ Name string } }
		Delta struct {
			Text    string
			ToolUse struct{ Input string }
		}
		StopReason string
	}
	if err := json.Unmarshal(f.payload, &e); err != nil {
		return fmt.Errorf("%w in %q", err, f.payload)
	}
	a.Text += e.Delta.Text
	a.Call += e.Delta.ToolUse.Input
	a.Called = a.Called || e.Start.ToolUse != nil
	switch f.name {
	case "contentBlockStop":
		a.Closed = a.Called
	case "messageStop":
		a.Stop = e.StopReason
	case "metadata":
		a.Finished = a.Stop != ""
	}
	return nil
}
