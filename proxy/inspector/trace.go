package inspector

import (
	"dragoman/translate"
	"dragoman/translate/messages"
)

type trace struct{}

func newTrace(*messages.Request, *translate.Prompt) *trace { return nil }

func (*trace) Read(translate.Chunk) step { return step{} }

type step struct {
	From  int
	Spans []Span
}

func (p *prompt) readAs(s step) {}
