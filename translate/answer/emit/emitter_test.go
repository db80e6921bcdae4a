package emit_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"go.uber.org/goleak"

	"dragoman/translate/answer/emit"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// write makes the calls of a test, and returns the events that they cause, one after the other.
func write(calls func(e *emit.Emitter)) string {
	var said []string
	e := emit.New(func(e messages.Event, _ error) bool {
		switch e.Type {
		case messages.ContentBlockStart:
			said = append(said, fmt.Sprintf("start %d %s", e.Index, e.Block.Type+strings.TrimSuffix(" "+e.Block.Name, " ")))
		case messages.ContentBlockDelta:
			said = append(said, fmt.Sprintf("%d:%s", e.Index, e.Text))
		case messages.ContentBlockStop:
			said = append(said, strings.TrimSuffix(fmt.Sprintf("stop %d cut %d", e.Index, e.Cut), " cut 0"))
		case messages.MessageDelta:
			said = append(said, string(e.Message.StopReason))
		default:
			said = append(said, e.Type.String())
		}
		return len(said) < 20
	}, "msg_seed")
	calls(&e)
	return strings.Join(said, " | ")
}

// say writes text in a block, as one delta.
func say(e *emit.Emitter, kind, text string) {
	e.EnsureBlock(kind)
	e.Write([]byte(text))
	e.Flush()
}

// begin opens a call, with its first parameter.
func begin(e *emit.Emitter) {
	e.HoldInput()
	e.WriteName("a")
	e.WriteInput([]byte("1"))
	e.MarkWhole()
	e.OpenToolUse("f")
	e.Flush()
}

func TestEvents(t *testing.T) {
	for _, tt := range []struct {
		name  string
		calls func(e *emit.Emitter)
		want  string
	}{
		{"a message", func(e *emit.Emitter) {
			e.StartMessage("m", messages.Usage{}, false)
			say(e, messages.BlockThinking, "Hm.")
			say(e, messages.BlockText, "Hi")
			say(e, messages.BlockText, " you.")
			e.StopMessage(&messages.Message{StopReason: messages.StopEndTurn})
		}, "message_start | ping | start 0 thinking | 0:Hm. | 0: | stop 0 | start 1 text | 1:Hi | 1: you. | stop 1 | end_turn | message_stop"},
		{"one delta a piece", func(e *emit.Emitter) {
			e.OpenBlock(messages.BlockText, false)
			e.Write([]byte("a"))
			e.Write([]byte("b"))
			e.Truncate(1)
			e.Flush()
			e.Flush()
		}, "start 0 text | 0:a"},
		{"a call behind text", func(e *emit.Emitter) {
			say(e, messages.BlockText, "So:")
			begin(e)
			e.CloseToolUse()
		}, `start 0 text | 0:So: | stop 0 | start 1 tool_use f | 1:{"a":1 | 1:} | stop 1`},
		{"a call without parameters", func(e *emit.Emitter) {
			e.HoldInput()
			e.OpenToolUse("f")
			e.CloseToolUse()
		}, "start 0 tool_use f | 0:{} | stop 0"},
		{"no call", func(e *emit.Emitter) {
			say(e, messages.BlockText, "So:")
			e.HoldInput()
			e.WriteName("a")
			e.SendText([]byte(" well"))
			e.DropInput()
			say(e, messages.BlockText, "!")
		}, "start 0 text | 0:So: | 0: well | 0:!"},
		{"values that are whole", func(e *emit.Emitter) {
			begin(e)
			e.WriteName("b")
			e.Quote()
			e.WriteEscaped([]byte("x\n"))
			e.Flush()
			e.Quote()
			e.MarkWhole()
			e.Flush()
			e.CloseToolUse()
		}, `start 0 tool_use f | 0:{"a":1 | 0:,"b":"x\n" | 0:} | stop 0`},
		{"values that flow", func(e *emit.Emitter) {
			e.HoldInput()
			e.OpenToolUse("f")
			e.StreamValues = true
			e.WriteName("b")
			e.Quote()
			e.WriteEscaped([]byte("x"))
			e.Flush()
			e.WriteEscaped([]byte("y"))
			e.CutToolUse()
		}, `start 0 tool_use f | 0:{"b":"x | 0:y | stop 0 cut 1`},
		{"cut in a value", func(e *emit.Emitter) {
			begin(e)
			e.WriteName("b")
			e.Quote()
			e.CutToolUse()
			say(e, messages.BlockText, "x")
		}, `start 0 tool_use f | 0:{"a":1 | stop 0 cut 6 | start 1 text | 1:x`},
		{"cut before a value", func(e *emit.Emitter) {
			e.HoldInput()
			e.OpenToolUse("f")
			e.CutToolUse()
		}, `start 0 tool_use f | 0:{ | stop 0 cut 1`},
		{"an end that is held", func(e *emit.Emitter) {
			e.HeldEnd = "END"
			say(e, messages.BlockText, "Hi END")
			e.DropHeldEnd()
		}, "start 0 text | 0:Hi "},
		{"an end that is text", func(e *emit.Emitter) {
			e.HeldEnd = "END"
			say(e, messages.BlockText, "Hi END!")
			e.StopBlock()
		}, "start 0 text | 0:Hi E | 0:ND! | stop 0"},
		{"the end before a call", func(e *emit.Emitter) {
			e.StartMessage("m", messages.Usage{}, false)
			e.HoldInput()
			e.Cut()
			e.OpenToolUse("f")
			e.CloseToolUse()
			e.StopMessage(&messages.Message{StopReason: messages.StopToolUse})
			e.Pause()
		}, "message_start | ping | tool_use | message_stop"},
		{"an object", func(e *emit.Emitter) {
			e.HoldInput()
			e.WriteObject(`{"a": 1,}`)
			e.OpenToolUse("f")
			e.CloseToolUse()
		}, `start 0 tool_use f | 0:{"a":1} | stop 0`},
		{"an object that is cut", func(e *emit.Emitter) {
			e.HoldInput()
			e.WriteCutObject(`{"a":1,"b":"x`)
			e.OpenToolUse("f")
			e.CutToolUse()
		}, `start 0 tool_use f | 0:{"a":1 | stop 0 cut 6`},
		{"values of types", func(e *emit.Emitter) {
			begin(e)
			s := schema.Compile(jsontext.Value(`{"properties":{"n":{"type":"integer"},"l":{"type":"array","items":{"type":"integer"}}}}`))
			e.WriteName("n")
			e.WriteTyped(s.Properties[0].Schema(), "x", false)
			e.WriteName("l")
			e.WriteTypedItems(s.Properties[1].Schema(), []markup.Element{{Text: "1"}, {Text: "2"}})
			e.CloseToolUse()
		}, `start 0 tool_use f | 0:{"a":1 | 0:,"n":"x","l":[1,2]} | stop 0`},
	} {
		if got := write(tt.calls); got != tt.want {
			t.Errorf("%s: %s\nwant %s", tt.name, got, tt.want)
		}
	}
}

// TestMembers checks which parameters of a pending call are known, and how much of a call is kept.
func TestMembers(t *testing.T) {
	wrote := 0
	write(func(e *emit.Emitter) {
		e.Keeps, e.Wrote = 4, func() { wrote++ }
		e.HoldInput()
		e.WriteName("a")
		e.WriteInput([]byte("1"))
		if !e.HasMembers([]string{"a"}) || e.HasMembers([]string{"a", "b"}) || !e.HasMembers(nil) {
			t.Error("the members are not those that were written")
		}
		e.OpenToolUse("f")
		e.CloseToolUse()
		if string(e.Kept) != `{"a"` {
			t.Errorf("kept %q", e.Kept)
		}
	})
	if wrote != 2 {
		t.Errorf("told of %d writes; want 2", wrote)
	}
}

// TestGone checks that nothing is sent to a receiver that has left.
func TestGone(t *testing.T) {
	if got := write(func(e *emit.Emitter) {
		for range 30 {
			say(e, messages.BlockText, "x")
		}
		e.StopMessage(&messages.Message{})
	}); strings.Count(got, "|") != 19 {
		t.Errorf("sent %s", got)
	}
}
