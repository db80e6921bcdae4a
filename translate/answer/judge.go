package answer

import (
	"iter"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/emit"
	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
	"dragoman/translate/rawjson"
)

// Judge passes on the events of a model with its own tool API. It adds the outcome of each call to message_delta
// ([messages.Message.Outcomes]), by the same rules as for calls in text: incomplete, unknown_tool, invalid,
// type_fallback or clean. It adds a [messages.Pause] after each event without More. It changes nothing else. memo may be nil.
func Judge(req *messages.Request, memo *prompt.Memo, events iter.Seq2[messages.Event, error]) iter.Seq2[messages.Event, error] {
	tools := prompt.Outliving(req.Tools)
	j := judge{tools: format.ToolNames{List: tools}, schemas: &prompt.ToolSchemas{Tools: tools, Memo: memo}, knowsAll: !req.OtherTools}
	return func(yield func(messages.Event, error) bool) {
		for e, err := range events {
			if err == nil {
				e = j.read(e)
			}
			waits := err == nil && !e.More && e.Type != messages.MessageStop
			if !yield(e, err) || waits && !yield(messages.Event{Type: messages.Pause}, nil) {
				return
			}
		}
	}
}

// judge is the state of [Judge] within one stream of events.
type judge struct {
	tools    format.ToolNames
	schemas  *prompt.ToolSchemas
	knowsAll bool // tools has every tool that the request offers
	open     bool // the block of a call is open
	name     string
	input    []byte // the input so far, at most MaxHeld bytes
	outcomes []messages.Outcome
}

// read returns the event. It adds the outcomes to message_delta.
func (j *judge) read(e messages.Event) messages.Event {
	switch {
	case e.Type == messages.ContentBlockStart && isCall(*e.Block):
		j.open, j.name = true, e.Block.Name
		j.input = append(j.input[:0], e.Block.Input...)
	case e.Type == messages.ContentBlockDelta && e.Delta == messages.InputJSONDelta && j.open:
		if string(j.input) == "{}" { // the placeholder of a block that opens
			j.input = j.input[:0]
		}
		if len(j.input)+len(e.Text) <= emit.MaxHeld {
			j.input = append(j.input, e.Text...)
		}
	case e.Type == messages.ContentBlockStop && j.open:
		j.open = false
		if len(j.outcomes) < maxOutcomes {
			j.outcomes = append(j.outcomes, j.outcome())
		}
	case e.Type == messages.MessageDelta && len(j.outcomes) > 0:
		own := *e.Message
		own.Outcomes, j.outcomes = append(j.outcomes, own.Outcomes...), nil
		e.Message = &own
	}
	return e
}

// outcome returns the outcome of the call that has just ended.
func (j *judge) outcome() messages.Outcome {
	o := messages.Outcome{Kind: messages.OutcomeClean, Tool: j.name, FromServer: true}
	input, tool := jsontext.Value(rawjson.ReplaceLoneSurrogates(j.input)), j.tools.Named(j.name)
	switch {
	case len(input) > 0 && !input.IsValid():
		o.Kind, o.Reason = messages.OutcomeIncomplete, messages.ReasonCutValue
	case tool == nil && j.knowsAll:
		o.Kind = messages.OutcomeUnknownTool
	case tool == nil:
	default:
		s, typed := j.schemas.Of(tool), messages.ReasonNone
		if s.Misfits(input) {
			typed = messages.ReasonType
		}
		o.Kind, o.Reason = judgeCall(s, tool.Strict, rawjson.MemberNames(input), typed)
	}
	return o
}
