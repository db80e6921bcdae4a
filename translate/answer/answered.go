package answer

import (
	"slices"
	"strings"

	"dragoman/translate/messages"
)

// What of a request its answer is read by. An answer may take minutes, and a request is long: so this
// shares no memory with it, and little is kept for each answer.

// answered returns what of a request the parser reads the answer by. tools are those of outliving.
func answered(req *messages.Request, tools []messages.Tool) *messages.Request {
	own := &messages.Request{
		ID: strings.Clone(req.ID), Model: strings.Clone(req.Model), Thinking: req.Thinking,
		Tools: tools, ToolChoice: req.ToolChoice, StopSequences: slices.Clone(req.StopSequences),
	}
	own.ToolChoice.Type, own.ToolChoice.Name = strings.Clone(own.ToolChoice.Type), strings.Clone(own.ToolChoice.Name)
	for i, s := range own.StopSequences {
		own.StopSequences[i] = strings.Clone(s)
	}
	return own
}
