package translate

import (
	"cmp"
	"context"
	"dragoman/translate/messages"
	"fmt"
	"slices"
)

// answer is a tool_result and the call that it answers.
type callResult struct {
	call   pastCall
	result *messages.BlockParam
}

// results writes the results of the calls before this turn: all in one element,
// at its start, in the order of the calls, since nothing else tells which is
// whose (reference/legacy-format.md §7).
func (r *renderer) addResults(first, end int) error {
	var answers []callResult
	for i := first; i < end; i++ {
		content := r.req.Messages[i].Content
		for j := range content {
			b := &content[j]
			if b.Type != messages.BlockToolResult {
				continue
			}
			call, ok := r.pastCalls[b.ToolUseID]
			if !ok && b.ToolUseID == "" { // of a call that could not be read
				call, ok = pastCall{order: len(r.pastCalls)}, true
			}
			if !ok {
				return &messages.InvalidRequestError{
					Path: fmt.Sprintf("messages.%d.content.%d", i, j),
					Message: fmt.Sprintf("unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block "+
						"must have a corresponding `tool_use` block in the previous message.", b.ToolUseID),
				}
			}
			answers = append(answers, callResult{call, b})
		}
	}
	if len(answers) == 0 {
		return nil
	}
	slices.SortStableFunc(answers, func(a, b callResult) int { return cmp.Compare(a.call.order, b.call.order) })
	w := &r.writer
	w.write(r.format.beforeResults)
	for _, a := range answers {
		if r.ctx.Err() != nil {
			return context.Cause(r.ctx)
		}
		r.format.writeResult(w, a.call.name, a.result)
	}
	w.endList(r.format.afterResults)
	w.endPart()
	return nil
}
