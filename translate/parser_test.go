package translate

import (
	"errors"
	"iter"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/golden"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// when returns a value of an option if it is on, and otherwise the default.
func when(on bool, value string) string {
	if on {
		return value
	}
	return ""
}

// completion is an upstream's whole answer.
type completion struct {
	text     string
	stop     messages.Stop
	sequence string
}

// chunks yields the answer to any prompt in pieces of n bytes (0: whole), with the stop in a chunk
// of its own.
func (c completion) chunks(n int) Ask {
	return whatever(func(yield func(Chunk, error) bool) {
		for text := c.text; text != ""; {
			piece := text
			if n > 0 {
				piece = text[:min(n, len(text))]
			}
			text = text[len(piece):]
			if !yield(Chunk{Text: piece}, nil) {
				return
			}
		}
		yield(Chunk{Stop: c.stop, StopSequence: c.sequence}, nil)
	})
}

// whatever answers any prompt with the same chunks.
func whatever(chunks iter.Seq2[Chunk, error]) Ask {
	return func(*Prompt) iter.Seq2[Chunk, error] { return chunks }
}

// parse reads a completion as the answer to a request that offers tools.
func parse(t testing.TB, req *messages.Request, c completion, n int) *messages.Message {
	t.Helper()
	return parseIn(t, &Prompt{}, req, c, n)
}

// parseIn does what parse does, for the answer to a prompt.
func parseIn(t testing.TB, prompt *Prompt, req *messages.Request, c completion, n int) *messages.Message {
	t.Helper()
	m, err := messages.Collect(checked(t, Events(req, prompt, c.chunks(n))))
	if err != nil {
		t.Fatalf("Collect: %v", err)
	}
	return m
}

// checked passes events on, and checks the grammar of G4. It drops pauses.
func checked(t testing.TB, events iter.Seq2[messages.Event, error]) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		t.Helper()
		var g grammar
		for e, err := range events {
			if e.Type == messages.Pause {
				continue
			}
			if err == nil {
				err = g.next(e)
			}
			if !yield(e, err) || err != nil {
				return
			}
		}
	}
}

// grammar is the automaton message_start (start delta* stop)* message_delta message_stop.
type grammar struct {
	started, inBlock, ending, stopped bool
	kind                              string
	blocks                            int
	input                             []byte
	deltas                            int
}

func (g *grammar) next(e messages.Event) error {
	switch {
	case g.stopped:
		return errors.New("event after message_stop")
	case e.Type == messages.MessageStart:
		if g.started {
			return errors.New("second message_start")
		}
		g.started = true
	case !g.started:
		return errors.New("no message_start")
	case e.Type == messages.Ping:
	case e.Type == messages.ContentBlockStart:
		if g.inBlock || g.ending || e.Index != g.blocks {
			return errors.New("misplaced content_block_start")
		}
		g.inBlock, g.kind, g.input, g.deltas = true, e.Block.Type, nil, 0
	case e.Type == messages.ContentBlockDelta:
		if !g.inBlock || e.Index != g.blocks {
			return errors.New("misplaced content_block_delta")
		}
		g.deltas++
		if g.kind == messages.BlockToolUse {
			if e.Delta != messages.InputJSONDelta {
				return errors.New("wrong delta in tool_use")
			}
			g.input = append(g.input, e.Text...)
		}
	case e.Type == messages.ContentBlockStop:
		if !g.inBlock || e.Index != g.blocks {
			return errors.New("misplaced content_block_stop")
		}
		if g.kind == messages.BlockToolUse {
			if err := checkInput(g.input, e.Cut); err != nil {
				return err
			}
		}
		if g.deltas == 0 {
			return errors.New("empty block")
		}
		g.inBlock = false
		g.blocks++
	case e.Type == messages.MessageDelta:
		if g.inBlock || g.ending {
			return errors.New("misplaced message_delta")
		}
		g.ending = true
	case e.Type == messages.MessageStop:
		if !g.ending {
			return errors.New("misplaced message_stop")
		}
		g.stopped = true
	}
	return nil
}

// checkInput checks that the input of a call is a JSON object. If the call was cut, the input is
// the start of one, and its complete part is an object.
func checkInput(input []byte, cut int) error {
	whole := jsontext.Value(input)
	if cut > 0 {
		if whole.IsValid() || cut > len(input) {
			return errors.New("the input of a call that was cut is closed: " + string(input))
		}
		whole = append(whole[:cut:cut], '}')
	}
	if whole.Kind() != '{' || !whole.IsValid() {
		return errors.New("tool input is not a JSON object: " + string(whole))
	}
	return nil
}

// show writes a message as in the golden files.
func show(m *messages.Message) string { return golden.Message(m) }

// asking is the part of a hand-made prompt that says how it was made.
type asking = prompt.Asking
