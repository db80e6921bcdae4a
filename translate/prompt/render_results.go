package prompt

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"dragoman/translate/messages"
)

// callResult is a tool_result block and the call that it answers.
type callResult struct {
	call           pastCall
	result         *messages.BlockParam
	message, block int // where the result is
}

// addResults writes the results in the messages from first until end, which form one user turn, as
// the first part of that turn. It reports whether there are any. They are in the order of the calls, because nothing else shows the
// model which result belongs to which call (docs/reference/legacy-format.md §7). The notes follow the
// last result. A tools API gets them within that result: some servers reject a user message that
// follows results.
func (r *renderer) addResults(first, end int, notes []note) (answers bool, err error) {
	results, err := r.findResults(first, end)
	if err != nil || len(results) == 0 {
		return false, err
	}
	slices.SortStableFunc(results, func(a, b callResult) int { return cmp.Compare(a.call.order, b.call.order) })
	w := &r.writer
	w.results = true
	if !r.target.ToolAPI {
		w.Write(r.format.BeforeResults)
	}
	for i, found := range results {
		if r.ctx.Err() != nil {
			return false, context.Cause(r.ctx)
		}
		outer := w.Enter("messages", found.message)
		w.Enter("content", found.block)
		switch {
		case !r.target.ToolAPI:
			r.format.AddResult(w, found.call.name, found.call.number, found.result)
		case i == len(results)-1:
			r.addResultPart(&found, notes)
		default:
			r.addResultPart(&found, nil)
		}
		w.At(outer)
	}
	if !r.target.ToolAPI {
		w.endList(r.format.AfterResults)
	}
	w.endPart()
	w.results = false
	if !r.target.ToolAPI {
		for _, n := range notes {
			w.addNote(n)
		}
	}
	return true, nil
}

// note is a sentence of Dragoman's in a user turn, and its source in [Origins].
type note struct{ text, source string }

// addNote adds a note as a part of its own.
func (w *turnWriter) addNote(n note) {
	outer := w.At(n.source)
	w.addText(n.text)
	w.At(outer)
}

// resultNotes returns the sentences after the results of the turn with the messages from first until
// end. [Target.ResultNote] does not follow the results of a correction, which say themselves what to do.
func (r *renderer) resultNotes(first, end int) (notes []note) {
	switch text := r.target.ResultNote; {
	case text == "", r.req.Messages[first].Correction:
	case text == NoteOn:
		notes = append(notes, note{r.language().ResultNote, "result_note"})
	default:
		notes = append(notes, note{text, "result_note"})
	}
	if r.target.Remind && end == len(r.req.Messages) {
		reminder := r.language().ResultNote
		if !r.req.MayCall() {
			reminder = r.language().CallNoTool
		}
		notes = append(notes, note{reminder, "reminder"})
	}
	return notes
}

// findResults returns the results in the messages from first until end. A result without an id
// comes last: only tellUnread writes one (correction.go), for calls that could not be read. Any
// other result has to name a call of the previous turn (docs/reference/messages-api.md §9).
func (r *renderer) findResults(first, end int) ([]callResult, error) {
	var results []callResult
	for i := first; i < end; i++ {
		content := r.req.Messages[i].Content
		for j := range content {
			b := &content[j]
			if b.Type != messages.BlockToolResult {
				continue
			}
			call, ok := r.pastCalls[b.ToolUseID]
			if !ok && b.ToolUseID == "" {
				call, ok = pastCall{order: len(r.pastCalls)}, true
			}
			if !ok {
				return nil, &messages.InvalidRequestError{
					Fault: messages.FaultConversation,
					Path:  fmt.Sprintf("messages.%d.content.%d", i, j),
					Message: fmt.Sprintf("unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block "+
						"must have a corresponding `tool_use` block in the previous message.", b.ToolUseID),
				}
			}
			results = append(results, callResult{call, b, i + r.req.Messages[i].Skipped, j + int(b.Skipped)})
		}
	}
	return results, nil
}
