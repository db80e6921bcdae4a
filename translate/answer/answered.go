package answer

import (
	"slices"
	"strings"

	"dragoman/translate/messages"
)

// The part of a request that the parser needs to read its answer. An answer may take minutes, and a request is
// long. So this part is a small copy that shares no memory with the request.

// answered returns a copy of what the parser needs from the request. tools must come from prompt.Outliving.
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
