package answer

import (
	"bytes"
	"reflect"
	"slices"

	"dragoman/translate/messages"
	"dragoman/translate/prompt"
)

// resultTurn is the end of a conversation that asks a model to answer the results of its calls.
type resultTurn struct {
	before  []messages.MessageParam // the conversation before the calls
	calls   []*messages.BlockParam
	results map[string]*messages.BlockParam // by the id of the call
}

// lastResults returns the end of a conversation whose last turn has results.
func lastResults(req *messages.Request) *resultTurn {
	at := len(req.Messages)
	for at > 0 && req.Messages[at-1].Role != messages.RoleAssistant {
		at--
	}
	t := &resultTurn{results: resultsIn(req.Messages[at:])}
	end := at
	for at > 0 && req.Messages[at-1].Role == messages.RoleAssistant {
		at--
	}
	t.before, t.calls = req.Messages[:at], callsIn(req.Messages[at:end])
	return t
}

// callsIn returns the calls in messages.
func callsIn(list []messages.MessageParam) (calls []*messages.BlockParam) {
	for i := range list {
		for j := range list[i].Content {
			if b := &list[i].Content[j]; b.Type == messages.BlockToolUse {
				calls = append(calls, b)
			}
		}
	}
	return calls
}

// resultsIn returns the results in messages, by the ids of their calls.
func resultsIn(list []messages.MessageParam) map[string]*messages.BlockParam {
	results := map[string]*messages.BlockParam{}
	for i := range list {
		for j := range list[i].Content {
			if b := &list[i].Content[j]; b.Type == messages.BlockToolResult {
				results[b.ToolUseID] = b
			}
		}
	}
	return results
}

// excuses reports whether the model may have a reason to make all calls of the turn again. It may if one of them
// failed, and had not failed in the same way before. It may also if the same call had another result before, because
// models call again to see whether something has changed.
func (t *resultTurn) excuses() bool {
	earlier := resultsIn(t.before)
	before := map[string][]*messages.BlockParam{} // results by calls
	for _, call := range callsIn(t.before) {
		if result := earlier[call.ID]; result != nil {
			before[callKey(call)] = append(before[callKey(call)], result)
		}
	}
	for _, call := range t.calls {
		now := t.results[call.ID]
		if now == nil {
			continue
		}
		failedAlike, changed := false, false
		for _, then := range before[callKey(call)] {
			same := then.IsError == now.IsError && reflect.DeepEqual(then.Content, now.Content)
			failedAlike = failedAlike || same
			changed = changed || !same && !then.IsError
		}
		if now.IsError && !failedAlike || !now.IsError && changed {
			return true
		}
	}
	return false
}

// callKey returns a text that equal calls share.
func callKey(b *messages.BlockParam) string { return b.Name + "\x00" + string(canonical(b.Input)) }

// watch tells whether an answer to results shows that its model is stuck.
type watch struct {
	turn    *resultTurn // nil once it is known that the model is not stuck
	calls   int         // the number of calls so far
	repeats repeats
}

func newWatch(turn *resultTurn) watch { return watch{turn: turn, repeats: newRepeats(turn.calls)} }

// read reads the next event. It sets turn to nil as soon as the model cannot be stuck.
func (w *watch) read(e messages.Event) {
	stuck := true
	switch {
	case w.turn == nil:
		return
	case e.Type == messages.ContentBlockStart && isCall(*e.Block):
		w.calls++
		stuck = w.repeats.begin(e.Block.Name)
	case e.Delta == messages.InputJSONDelta:
		stuck = w.repeats.add(e.Text)
	case e.Delta == messages.TextDelta:
		stuck = len(bytes.TrimSpace(e.Text)) == 0
	case e.Type == messages.ContentBlockStop && w.repeats.open:
		stuck = w.repeats.end() && e.Cut == 0
	}
	if !stuck {
		w.turn, w.repeats = nil, repeats{}
	}
}

// judge returns why the model is stuck, if the answer ends with e; otherwise "". If the calls are repeats, the
// outcomes in the returned event say so.
func (w *watch) judge(e messages.Event) (prompt.Reason, messages.Event) {
	switch {
	case w.turn == nil || !isComplete(e.Message):
		return "", e
	case slices.ContainsFunc(e.Message.Outcomes, isForbidden): // tellUnmet says that better
		return "", e
	case w.calls == 0:
		return prompt.ReasonEmpty, e
	case len(w.repeats.past) > 0 || w.turn.excuses():
		return "", e
	}
	m := *e.Message
	m.Outcomes = slices.Clone(m.Outcomes)
	for i := range m.Outcomes {
		if o := &m.Outcomes[i]; !o.InText {
			o.Reason = messages.ReasonRepeated
		}
	}
	e.Message = &m
	return prompt.ReasonRepeated, e
}
