package proxy

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// corrector holds a model that only completes text to what the request asks for: that
// the answer is valid by a schema (output_config.format), that the inputs of strict
// tools are valid by theirs, and, where the model's entry says repair, that its calls can
// be read. A block that may turn out wrong is held back until the answer is complete. If
// it is wrong, the model is told why and asked once more, and its second answer follows
// what the client has been sent already, right or wrong.
type corrector struct {
	req       *messages.Request
	validator validator
	format    *jsonschema.Schema            // of the text; nil for none
	inputs    map[string]*jsonschema.Schema // of calls, by the name of the tool
	repair    bool                          // ask again for calls that cannot be read
	unchecked func(field string)            // is called for a field whose schema is not checked
}

// The fields whose schemas are checked.
const (
	fieldFormat = "output_config.format"
	fieldStrict = "tools.strict"
)

// newCorrector returns nil if the request asks for nothing that could be checked. A
// schema that makes no sense, or takes too much work, does not fail the request, because
// the model has seen it: what the model writes passes as it is, and unchecked is called.
func newCorrector(req *messages.Request, repair bool, unchecked func(field string)) *corrector {
	c := corrector{
		req: req, validator: validator{validationBudget}, inputs: map[string]*jsonschema.Schema{},
		repair: repair && len(req.Tools) > 0, unchecked: unchecked,
	}
	if req.Format != nil {
		if c.format = c.validator.compile(req.Format); c.format == nil {
			unchecked(fieldFormat)
		}
	}
	for _, t := range req.Tools {
		if t.Strict {
			if s := c.validator.compile(t.InputSchema); s != nil {
				c.inputs[t.Name] = s
			} else {
				unchecked(fieldStrict)
			}
		}
	}
	if req.Format == nil && len(c.inputs) == 0 && !c.repair {
		return nil
	}
	return &c
}

// correctEvents yields the events of an answer, corrected where they have to be. ask sends
// the request for a correction and returns the second answer; it is called once at most.
func (c *corrector) correctEvents(events iter.Seq2[messages.Event, error], ask func(*messages.Request) (*messages.Message, error)) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		blocks, left := 0, false
		held := -1 // the index of the first block that is held back
		m, err := messages.Collect(func(collect func(messages.Event, error) bool) {
			for e, err := range events {
				if held < 0 && err == nil && c.mayBeWrong(e) {
					held = blocks
				}
				if e.Type == messages.ContentBlockStart {
					blocks++
				}
				if held < 0 && err == nil && !yield(e, nil) {
					left = true
					return
				}
				if !collect(e, err) {
					return
				}
			}
		})
		switch {
		case left || err == nil && held < 0:
			return
		case err != nil:
			yield(messages.Event{}, err)
			return
		}
		for e, err := range messages.Replay(c.correct(m, held, ask), held) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// mayBeWrong reports whether an event begins a block that may turn out wrong, or says of
// a call that it could not be read.
func (c *corrector) mayBeWrong(e messages.Event) bool {
	switch e.Type {
	case messages.ContentBlockStart:
		return e.Block.Type == messages.BlockToolUse && (len(c.inputs) > 0 || c.repair) || e.Block.Type == messages.BlockText && c.req.Format != nil
	case messages.MessageDelta:
		return c.hasUnread(e.Message.Outcomes)
	}
	return false
}

// correct returns the message from its first held block on if it is as it should be, and
// else the one that the model gives when it is asked once more.
func (c *corrector) correct(m *messages.Message, held int, ask func(*messages.Request) (*messages.Message, error)) *messages.Message {
	var corrected *messages.Request
	if c.hasUnread(m.Outcomes) {
		corrected = c.correctUnread(m)
		m.Content = m.Content[held:]
	} else {
		m.Content = m.Content[held:]
		if corrected = c.correctInvalid(m); corrected == nil {
			return m
		}
	}
	second, err := ask(corrected)
	if err != nil {
		return m
	}
	second.Outcomes = append(repairedOutcomes(m.Outcomes), second.Outcomes...)
	second.Usage.InputTokens += m.Usage.InputTokens
	second.Usage.OutputTokens += m.Usage.OutputTokens
	second.Usage.CacheReadInputTokens += m.Usage.CacheReadInputTokens
	second.Usage.CacheCreationInputTokens += m.Usage.CacheCreationInputTokens
	_ = c.correctInvalid(second) // takes away the text around JSON; the model is not asked a third time
	return second
}

// correctInvalid returns nil if a message is valid by the schemas, and for one that was cut,
// which no second answer would make better. Else it returns the request that shows the
// model its answer and says what is wrong with it. It takes away the text around JSON that
// was asked for.
func (c *corrector) correctInvalid(m *messages.Message) *messages.Request {
	if m.StopReason != messages.StopEndTurn && m.StopReason != messages.StopToolUse {
		return nil
	}
	said := messages.MessageParam{Role: messages.RoleAssistant}
	reply := messages.MessageParam{Role: messages.RoleUser}
	valid := true
	for _, b := range m.Content {
		if b.Type != messages.BlockToolUse {
			continue
		}
		said.Content = append(said.Content, messages.BlockParam{Type: b.Type, ID: b.ID, Name: b.Name, Input: b.Input})
		problem := "not run, because another call was wrong"
		if s := c.inputs[b.Name]; s != nil {
			if text := c.problemWith(s, b.Input, fieldStrict); text != "" {
				problem, valid = "not run: the parameters do not fit the tool. "+text, false
			}
		}
		reply.Content = append(reply.Content, messages.BlockParam{Type: messages.BlockToolResult, ToolUseID: b.ID, IsError: true, Content: []messages.BlockParam{
			{Type: messages.BlockText, Text: problem + "\nMake the calls again."},
		}})
	}
	if len(said.Content) == 0 && c.req.Format != nil {
		problem := c.checkText(m)
		valid = problem == ""
		said.Content = []messages.BlockParam{{Type: messages.BlockText, Text: allText(m)}}
		reply.Content = []messages.BlockParam{{Type: messages.BlockText, Text: "That is not the JSON that was asked for. " + problem + "\nAnswer again, with the JSON value alone."}}
	}
	if valid || said.Content[0].Type == messages.BlockText && said.Content[0].Text == "" {
		return nil
	}
	return c.withTurns(said, reply)
}

// withTurns returns the request with two more turns.
func (c *corrector) withTurns(said, reply messages.MessageParam) *messages.Request {
	next := *c.req
	next.Messages = append(slices.Clip(next.Messages), said, reply)
	return &next
}

// checkText returns what is wrong with the text of a message, "" if nothing is. Text
// that is one JSON value with something around it becomes the value alone.
func (c *corrector) checkText(m *messages.Message) (problem string) {
	v, ok := rawjson.FindValue(allText(m))
	if !ok {
		return "It is not one JSON value."
	}
	var blocks []messages.ContentBlock
	for _, b := range m.Content {
		if b.Type != messages.BlockText {
			blocks = append(blocks, b)
		}
	}
	m.Content = append(blocks, messages.ContentBlock{Type: messages.BlockText, Text: string(v)})
	if c.format == nil {
		return ""
	}
	return c.problemWith(c.format, v, fieldFormat)
}

// allText returns the text of all blocks of a message.
func allText(m *messages.Message) string {
	var text strings.Builder
	for _, b := range m.Content {
		if b.Type == messages.BlockText {
			text.WriteString(b.Text)
		}
	}
	return text.String()
}

// problemWith returns what is wrong with a value by the schema of a field, "" if nothing is
// or if it takes too much work to check.
func (c *corrector) problemWith(s *jsonschema.Schema, v jsontext.Value, field string) string {
	problem, checked := c.validator.check(s, v)
	if !checked {
		c.unchecked(field)
	}
	return problem
}

// hasUnread reports whether a call could not be read that the model is to make again.
func (c *corrector) hasUnread(outcomes []messages.Outcome) bool {
	return c.repair && slices.ContainsFunc(outcomes, func(o messages.Outcome) bool { return o.Unread })
}

// repairedOutcomes returns the outcomes of a first answer as they count after the second
// one: a call that could not be read is repaired, and all others were not run.
func repairedOutcomes(outcomes []messages.Outcome) []messages.Outcome {
	var repaired []messages.Outcome
	for _, o := range outcomes {
		if o.Unread {
			repaired = append(repaired, messages.Outcome{Kind: messages.OutcomeRepaired, Tool: o.Tool, Reason: "asked_again"})
		}
	}
	return repaired
}

// unreadReasons say what is wrong with a call, by the reason of its outcome.
var unreadReasons = map[string]string{
	"doubtful_value": "It is not certain where a value in it ends.",
	"invalid_json":   "Its parameters are not valid JSON.",
	"stray_text":     "There is text where only tags belong.",
	"stray_closer":   "There is a closing tag that closes nothing.",
	"tool_name":      "The name of the tool is not one of a tool.",
}

// unreadProblem is what the model is told of a call that could not be read.
func unreadProblem(o messages.Outcome) string {
	return "The call could not be read, and was not run. " + cmp.Or(unreadReasons[o.Reason], "It does not come to its end.")
}

// inputAsWritten returns the input of a call with the parameter that was cut, which
// Input leaves out: the model is to see what it wrote.
func inputAsWritten(b *messages.ContentBlock) jsontext.Value {
	for _, end := range []string{"}", `"}`} {
		if v := jsontext.Value(string(b.Cut) + end); v.IsValid() {
			return v
		}
	}
	return b.Input
}

// correctUnread returns the request that shows the model its answer and says which calls
// could not be read. No call of the answer has been run.
func (c *corrector) correctUnread(m *messages.Message) *messages.Request {
	said := messages.MessageParam{Role: messages.RoleAssistant}
	reply := messages.MessageParam{Role: messages.RoleUser}
	refuse := func(id, problem string) {
		reply.Content = append(reply.Content, messages.BlockParam{
			Type: messages.BlockToolResult, ToolUseID: id, IsError: true,
			Content: []messages.BlockParam{{Type: messages.BlockText, Text: problem + "\nMake the calls again, exactly in the form that was shown."}},
		})
	}
	// Each call has an outcome, in order; one that was given back as text has no block.
	var outcomes []messages.Outcome
	var problems []string
	for _, o := range m.Outcomes {
		switch {
		case o.Kind != messages.OutcomeLeaked:
			outcomes = append(outcomes, o)
		case o.Unread:
			problems = append(problems, unreadProblem(o))
		}
	}
	for _, b := range m.Content {
		switch {
		case b.Type == messages.BlockText:
			said.Content = append(said.Content, messages.BlockParam{Type: b.Type, Text: b.Text})
			continue
		case b.Type != messages.BlockToolUse || len(outcomes) == 0:
			continue
		}
		o := outcomes[0]
		outcomes = outcomes[1:]
		problem := "not run, because another call could not be read"
		if o.Unread {
			problem = unreadProblem(o)
		}
		input := inputAsWritten(&b)
		if o.Unread && string(input) == "{}" { // what the call held follows as text
			problems = append(problems, problem)
			continue
		}
		said.Content = append(said.Content, messages.BlockParam{Type: b.Type, ID: b.ID, Name: b.Name, Input: input})
		refuse(b.ID, problem)
	}
	if len(problems) > 0 {
		refuse("", strings.Join(problems, "\n"))
	}
	return c.withTurns(said, reply)
}
