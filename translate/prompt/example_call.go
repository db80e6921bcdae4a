package prompt

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// This file makes the example call of an offered tool. A model that does not know a format writes
// it after it has seen one call (docs/explanation/measurements.md). Two calls were no better than
// one with a sentence about several calls.

// When a prompt shows an example call after the tools, and sentences on when to call: see
// [Target.ExampleCall]. Models that were not trained on the format need both. ExampleAuto means on,
// unless the client sends input_examples.
const (
	ExampleOff  = "off"
	ExampleAuto = "auto"
	ExampleOn   = "on"
)

// ExampleCall is the example call in a prompt.
type ExampleCall struct {
	ToolUse
	// invented are the strings of the input that Dragoman made up.
	invented []string
}

// maxExample is the most bytes of input in an example call.
const maxExample = 300

// exampleDepth is the most levels of objects and lists in an example.
const exampleDepth = 2

// showsExample reports whether the prompt shows an example call. If the client gives examples of
// tools, these already show a call.
func (r *renderer) showsExample() bool {
	switch r.target.ExampleCall {
	case ExampleOn:
		return true
	case ExampleAuto:
		return !slices.ContainsFunc(firstTools(r.req.Tools), func(t messages.Tool) bool { return len(t.InputExamples) > 0 })
	}
	return false
}

// guides reports whether the prompt says how to write several calls: it does if it may show an
// example and the model may choose to call.
func (r *renderer) guides() bool {
	guided := r.target.ExampleCall == ExampleOn || r.target.ExampleCall == ExampleAuto
	return guided && r.describesTools() && r.req.MayCall() && !r.req.MustCall() && !r.req.ToolChoice.DisableParallelToolUse
}

// findExample returns the example call for the tools; nil if none is short enough. It depends only
// on the tools that were there from the beginning, so that prompt caches hold.
func (r *renderer) findExample() *ExampleCall {
	for _, t := range exampleTools(firstTools(r.req.Tools), r.prompt.Schemas) {
		if e := makeExample(t); e != nil {
			return e
		}
	}
	return nil
}

// firstTools returns the tools that were there from the beginning; all tools if there are none.
func firstTools(tools []messages.Tool) []messages.Tool {
	if n := slices.IndexFunc(tools, func(t messages.Tool) bool { return t.Late }); n > 0 {
		return tools[:n]
	}
	return tools
}

// exampleTools returns the tools that suit an example, the best first. The best tool requires a
// list or an object, and has the fewest required parameters of such tools. Then comes the first
// tool with a required parameter, and then the first tool.
func exampleTools(tools []messages.Tool, schemas *ToolSchemas) []*messages.Tool {
	var nested, first *messages.Tool
	fewest := 0
	for i := range tools {
		t := &tools[i]
		s := schemas.Of(t)
		if first == nil && len(s.Required) > 0 {
			first = t
		}
		if s.RequiresNested() && (nested == nil || len(s.Required) < fewest) {
			nested, fewest = t, len(s.Required)
		}
	}
	var best []*messages.Tool
	for _, t := range []*messages.Tool{nested, first, &tools[0]} {
		if t != nil && !slices.Contains(best, t) {
			best = append(best, t)
		}
	}
	return best
}

// makeExample returns a call of a tool, with an input from the client's examples or made from the
// schema. It returns nil if the call is too long.
func makeExample(t *messages.Tool) *ExampleCall {
	e := &ExampleCall{ToolUse: ToolUse{Name: t.Name}}
	if len(t.InputExamples) > 0 {
		e.Input = rawjson.Compact(t.InputExamples[0])
	} else {
		e.Input = e.invent(t.InputSchema)
	}
	if len(e.Input) > maxExample {
		return nil
	}
	return e
}

// invent returns an input for a tool with this schema.
func (e *ExampleCall) invent(input jsontext.Value) jsontext.Value {
	s := schema.Sampler{
		Depth: exampleDepth,
		Text: func(member, format string) string {
			text := inventText(member, format)
			e.invented = append(e.invented, text)
			return text
		},
		Number: func(_ bool, least jsontext.Value) jsontext.Value {
			if least != nil {
				return least
			}
			return jsontext.Value("1")
		},
	}
	return s.Object(input)
}

// inventedAlone returns the values that only the example call has, not the conversation. A model
// that writes one has copied it.
func (r *renderer) inventedAlone() []string {
	if r.prompt.Example == nil {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(r.prompt.Example.invented), func(text string) bool {
		said := func(p Part) bool { return strings.Contains(p.Text, text) }
		return slices.ContainsFunc(r.req.System, func(b messages.BlockParam) bool { return strings.Contains(b.Text, text) }) ||
			slices.ContainsFunc(r.prompt.Turns, func(t Turn) bool { return slices.ContainsFunc(t.Parts, said) })
	})
}

// inventText makes up a string for the named member. Nobody would write such a string by chance.
func inventText(member, format string) string {
	switch format {
	case "date":
		return "2001-02-03"
	case "time":
		return "01:02:03Z"
	case "date-time":
		return "2001-02-03T01:02:03Z"
	case "email":
		return "someone@example.com"
	case "uri", "url":
		return "https://example.com/example"
	case "uuid":
		return "11111111-1111-4111-8111-111111111111"
	}
	return "example " + strings.ReplaceAll(member, "_", " ")
}
