package proxy

import (
	"bufio"
	"encoding/json"
	"io"
	"maps"
	"strings"
	"testing"
)

// frame is a server-sent event.
type frame struct{ event, data string }

// readFrame reads an event by the rules of the HTML standard, section 9.2. Like clients, it skips events without data,
// and drops a last event that no empty line ends.
func readFrame(r *bufio.Reader) (f frame, err error) {
	for {
		line, err := r.ReadString('\n')
		if err != nil {
			return frame{}, err
		}
		line = strings.TrimSuffix(strings.TrimSuffix(line, "\n"), "\r")
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimPrefix(value, " ")
		switch {
		case line == "" && f.data != "":
			f.data = strings.TrimSuffix(f.data, "\n")
			return f, nil
		case line == "":
			f = frame{}
		case name == "event":
			f.event = value
		case name == "data":
			f.data += value + "\n"
		}
	}
}

func readFrames(t *testing.T, r io.Reader) []frame {
	t.Helper()
	var frames []frame
	for br := bufio.NewReader(r); ; {
		f, err := readFrame(br)
		if err == io.EOF {
			return frames
		}
		if err != nil {
			t.Fatal(err)
		}
		frames = append(frames, f)
	}
}

func names(frames []frame) string {
	var list []string
	for _, f := range frames {
		list = append(list, f.event)
	}
	return strings.Join(list, " ")
}

// message is what clients see of a message.
type message struct {
	ID, Model  string
	StopReason string `json:"stop_reason"`
	Content    []block
	Usage      map[string]any
}

type block struct {
	Type, Text, Name, ID string
	Thinking             string
	Input                json.RawMessage
}

// closeCut closes the JSON of inputs that a stream left open after a parameter. These belong to cut calls, whose
// parameters are sent when they are complete.
func (m *message) closeCut() {
	for i := range m.Content {
		if b := &m.Content[i]; b.Type == "tool_use" && !json.Valid(b.Input) {
			b.Input = append(b.Input, '}')
		}
	}
}

// accumulate returns the message of a stream, which must be complete and in the order of docs/reference/streaming.md
// §2.
func accumulate(t *testing.T, frames []frame) message {
	t.Helper()
	var (
		m    message
		open = -1
		last string
	)
	for i, f := range frames {
		var e struct {
			Type         string
			Message      message
			Index        int
			ContentBlock block `json:"content_block"`
			Delta        struct {
				Type, Text  string
				Thinking    string
				PartialJSON string `json:"partial_json"`
				StopReason  string `json:"stop_reason"`
			}
			Usage map[string]any
		}
		if err := json.Unmarshal([]byte(f.data), &e); err != nil {
			t.Fatalf("%s: %v", f.data, err)
		}
		if e.Type != f.event {
			t.Fatalf("event %q has data of type %q", f.event, e.Type)
		}
		if (i == 0) != (e.Type == "message_start") {
			t.Fatalf("event %d is %s", i, e.Type)
		}
		switch e.Type {
		case "message_start":
			m = e.Message
		case "content_block_start":
			if open >= 0 || e.Index != len(m.Content) {
				t.Fatalf("block %d starts after %d blocks, %d open", e.Index, len(m.Content), open)
			}
			open = e.Index
			if string(e.ContentBlock.Input) == "{}" {
				e.ContentBlock.Input = nil
			}
			m.Content = append(m.Content, e.ContentBlock)
		case "content_block_delta":
			if e.Index != open {
				t.Fatalf("delta for block %d while %d is open", e.Index, open)
			}
			m.Content[open].Text += e.Delta.Text
			m.Content[open].Thinking += e.Delta.Thinking
			m.Content[open].Input = append(m.Content[open].Input, e.Delta.PartialJSON...)
		case "content_block_stop":
			if e.Index != open {
				t.Fatalf("block %d stops while %d is open", e.Index, open)
			}
			open = -1
		case "message_delta":
			if open >= 0 {
				t.Fatalf("message_delta while block %d is open", open)
			}
			m.StopReason = e.Delta.StopReason
			maps.Copy(m.Usage, e.Usage)
		}
		last = e.Type
	}
	if last != "message_stop" {
		t.Fatalf("the stream ends with %q", last)
	}
	return m
}
