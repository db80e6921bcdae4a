package proxy

import (
	"bytes"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"errors"
	"iter"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// fitting is what has to hold of an answer: that it fits a schema
// (output_config.format), that the inputs of strict tools fit theirs, and, where the
// model's entry says repair, that its calls can be read. A model that only completes
// text is told so; what may not fit is held back until it is known to, and if it does
// not, the model is told why and asked once more. What comes then is the answer, behind
// what the client has been sent already.
type fitting struct {
	format *jsonschema.Schema            // of the answer, or nil
	tools  map[string]*jsonschema.Schema // of the inputs, by the name of the tool
	repair bool
	budget int                // of work that may still be done to check: see fitBudget
	forgo  func(field string) // takes down what was asked to hold and is not checked
}

// The fields whose schemas are checked.
const (
	fieldFormat = "output_config.format"
	fieldStrict = "tools.strict"
)

// newFitting returns nil if nothing has to fit. A schema that cannot be understood, or
// takes too much work, is no request's fault: the model has seen it. What the model writes
// for it then passes as it is, and the field is given to forgo.
func newFitting(req *messages.Request, repair bool, forgo func(field string)) *fitting {
	f := fitting{tools: map[string]*jsonschema.Schema{}, repair: repair && len(req.Tools) > 0, budget: fitBudget, forgo: forgo}
	if req.Format != nil {
		if f.format = f.compile(req.Format); f.format == nil {
			forgo(fieldFormat)
		}
	}
	for _, t := range req.Tools {
		if t.Strict {
			if s := f.compile(t.InputSchema); s != nil {
				f.tools[t.Name] = s
			} else {
				forgo(fieldStrict)
			}
		}
	}
	if req.Format == nil && len(f.tools) == 0 && !f.repair {
		return nil
	}
	return &f
}

// compile returns a schema that looks nowhere else, and whose patterns match everything:
// they are a stranger's. It is nil for one that makes no sense or takes too much work.
func (f *fitting) compile(schema jsontext.Value) *jsonschema.Schema {
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
	if err != nil || !f.spend(compileCost(doc)) {
		return nil
	}
	c := jsonschema.NewCompiler()
	c.UseLoader(noLoader{})
	c.UseRegexpEngine(func(pattern string) (jsonschema.Regexp, error) { return anyText(pattern), nil })
	if c.AddResource("schema.json", doc) != nil {
		return nil
	}
	compiled, err := c.Compile("schema.json")
	if err != nil {
		return nil
	}
	return compiled
}

// spend tells whether work may be done that is as much, and takes it down.
func (f *fitting) spend(work int) bool {
	if work > f.budget {
		return false
	}
	f.budget -= work
	return true
}

type noLoader struct{}

func (noLoader) Load(string) (any, error) { return nil, errors.New("no other schema is looked up") }

type anyText string

func (anyText) MatchString(string) bool { return true }
func (t anyText) String() string        { return string(t) }

// holds tells whether an event begins what may not fit, or tells that something does not.
func (f *fitting) holds(req *messages.Request, e messages.Event) bool {
	switch e.Type {
	case messages.ContentBlockStart:
		return e.Block.Type == messages.BlockToolUse && (len(f.tools) > 0 || f.repair) || e.Block.Type == messages.BlockText && req.Format != nil
	case messages.MessageDelta:
		return f.unread(e.Message.Outcomes)
	}
	return false
}

// answer asks for an answer, and passes on what fits.
func (f *fitting) answer(req *messages.Request, events iter.Seq2[messages.Event, error], again func(*messages.Request) (*messages.Message, error)) iter.Seq2[messages.Event, error] {
	return func(yield func(messages.Event, error) bool) {
		blocks, held, heard := 0, -1, true // held is the index of the first block that the client has not been sent
		m, err := messages.Collect(func(collect func(messages.Event, error) bool) {
			for e, err := range events {
				if held < 0 && err == nil && f.holds(req, e) {
					held = blocks
				}
				if e.Type == messages.ContentBlockStart {
					blocks++
				}
				if held < 0 && err == nil && !yield(e, nil) {
					heard = false
					return
				}
				if !collect(e, err) {
					return
				}
			}
		})
		switch {
		case !heard || err == nil && held < 0:
			return
		case err != nil:
			yield(messages.Event{}, err)
			return
		}
		for e, err := range messages.Replay(f.mend(req, m, held, again), held) {
			if !yield(e, err) {
				return
			}
		}
	}
}

// mend returns the message from the first block on that is held, or the one that the
// model gives when it is told what does not fit.
func (f *fitting) mend(req *messages.Request, m *messages.Message, held int, again func(*messages.Request) (*messages.Message, error)) *messages.Message {
	var next *messages.Request
	ok, unread := false, f.unread(m.Outcomes)
	if unread {
		next = rereading(req, m)
	}
	m.Content = m.Content[held:]
	if !unread {
		if next, ok = f.correction(req, m); ok {
			return m
		}
	}
	better, err := again(next)
	if err != nil {
		return m
	}
	better.Outcomes = append(retold(m.Outcomes), better.Outcomes...)
	better.Usage.InputTokens += m.Usage.InputTokens
	better.Usage.OutputTokens += m.Usage.OutputTokens
	better.Usage.CacheReadInputTokens += m.Usage.CacheReadInputTokens
	better.Usage.CacheCreationInputTokens += m.Usage.CacheCreationInputTokens
	_, _ = f.correction(req, better) // what is JSON is told as JSON
	return better
}

// correction tells whether a message fits, whose text is then the JSON alone; if not,
// it returns the request that tells the model so.
func (f *fitting) correction(req *messages.Request, m *messages.Message) (next *messages.Request, ok bool) {
	if m.StopReason != messages.StopEndTurn && m.StopReason != messages.StopToolUse {
		return nil, true // it is no whole answer
	}
	said := messages.MessageParam{Role: messages.RoleAssistant}
	reply := messages.MessageParam{Role: messages.RoleUser}
	ok = true
	for _, b := range m.Content {
		if b.Type != messages.BlockToolUse {
			continue
		}
		said.Content = append(said.Content, messages.BlockParam{Type: b.Type, ID: b.ID, Name: b.Name, Input: b.Input})
		problem := "not run, because another call was wrong"
		if s := f.tools[b.Name]; s != nil {
			if err := f.misfit(s, b.Input, fieldStrict); err != "" {
				problem, ok = "not run: the parameters do not fit the tool. "+err, false
			}
		}
		reply.Content = append(reply.Content, messages.BlockParam{Type: messages.BlockToolResult, ToolUseID: b.ID, IsError: true, Content: []messages.BlockParam{
			{Type: messages.BlockText, Text: problem + "\nMake the calls again."},
		}})
	}
	if len(said.Content) == 0 && req.Format != nil {
		problem := f.textMisfit(m)
		ok = problem == ""
		said.Content = []messages.BlockParam{{Type: messages.BlockText, Text: textOf(m)}}
		reply.Content = []messages.BlockParam{{Type: messages.BlockText, Text: "That is not the JSON that was asked for. " + problem + "\nAnswer again, with the JSON value alone."}}
	}
	if ok || said.Content[0].Type == messages.BlockText && said.Content[0].Text == "" {
		return nil, true
	}
	corrected := *req
	corrected.Messages = append(req.Messages[:len(req.Messages):len(req.Messages)], said, reply)
	return &corrected, false
}

// textMisfit says why the text of a message does not fit, "" if it does. Text that is
// JSON with something around it becomes JSON alone.
func (f *fitting) textMisfit(m *messages.Message) string {
	v, ok := rawjson.FindValue(textOf(m))
	if !ok {
		return "It is not one JSON value."
	}
	var kept []messages.ContentBlock
	for _, b := range m.Content {
		if b.Type != messages.BlockText {
			kept = append(kept, b)
		}
	}
	m.Content = append(kept, messages.ContentBlock{Type: messages.BlockText, Text: string(v)})
	if f.format == nil {
		return ""
	}
	return f.misfit(f.format, v, fieldFormat)
}

// textOf is all text of a message.
func textOf(m *messages.Message) string {
	var text strings.Builder
	for _, b := range m.Content {
		if b.Type == messages.BlockText {
			text.WriteString(b.Text)
		}
	}
	return text.String()
}

// misfit says why a value does not fit the schema of a field, "" if it does or if it would
// take too much work to tell.
func (f *fitting) misfit(s *jsonschema.Schema, v jsontext.Value, field string) string {
	const longest, mostCauses = 2000, 40
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(v))
	if err == nil {
		in := readInstance(doc, 0)
		if in == nil || !f.spend(checkCost(s, in, f.budget)) {
			f.forgo(field)
			return ""
		}
		err = s.Validate(doc)
	}
	if err == nil {
		return ""
	}
	var invalid *jsonschema.ValidationError
	if most := mostCauses; errors.As(err, &invalid) {
		err = firstCauses(invalid, &most)
	}
	said := err.Error()
	return strings.ToValidUTF8(said[:min(len(said), longest)], "")
}
