package translate

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// addSystem renders the system prompt, in the order that [Prompt.System] documents.
func (r *renderer) addSystem() error {
	var tools rawjson.Text // they are described first wherever they stand: a Memo keeps them as they are alone
	if r.req.ShowsTools() {
		var err error
		if tools, err = r.target.Memo.describe(r); err != nil {
			return err
		}
		if r.origins != nil {
			r.origins.endSystem("tools", tools.Len())
		}
		r.prompt.System = append(r.prompt.System, Text{tools})
	}
	w := &r.writer
	w.parts = make([]Part, 0, len(r.req.System))
	for i := range r.req.System {
		w.origins.enter(0, "system", i+int(r.req.System[i].Skipped))
		w.addText(r.req.System[i].Text)
		w.origins.leave(0)
	}
	parts := w.takeParts()
	w.origins.endSystemParts()
	r.prompt.System = slices.Grow(r.prompt.System, len(parts)+1)
	for _, part := range parts {
		r.prompt.System = append(r.prompt.System, Text{part.Text})
	}
	if r.format.toolsLast && r.req.ShowsTools() {
		r.prompt.cached = len(r.prompt.System) - 1
		moveToEnd(r.prompt.System)
		r.origins.moveToolsLast()
	}
	r.addInstructions()
	return nil
}

// moveToEnd moves the first element of a list to its end.
func moveToEnd[T any](list []T) {
	if len(list) > 0 {
		first := list[0]
		list[copy(list, list[1:])] = first
	}
}

// addInstructions ends the system prompt with what configures the answer. The texts before do not
// depend on it, so that prompt caches keep them whatever a client changes here
// (docs/reference/messages-api.md §6).
func (r *renderer) addInstructions() {
	add := func(text, source string) {
		r.prompt.System = append(r.prompt.System, Text{rawjson.Plain(text)})
		r.origins.endSystem(source, len(text))
	}
	switch choice := r.req.ToolChoice; {
	case r.req.ShowsTools() && !r.req.MayCall():
		add(r.language().callNoTool, "tool_choice")
	case r.req.ShowsTools() && choice.DisableParallelToolUse:
		add(r.language().oneCallAtATime, "tool_choice")
	}
	if r.req.Thinking != messages.ThinkingOff {
		add(strings.ReplaceAll(r.language().thinkFirst, "thinking>", r.format.thinkingTag()+">"), "thinking")
	}
	if r.req.Format != nil {
		r.origins.to("output_config.format")
		add(string(r.escape.AppendText([]byte(r.language().answerInJSON), rawjson.CompactString(r.req.Format))), "output_config.format")
	}
}

// preamble returns what stands before and after the tool descriptions: the operator's
// template, or the sentences of the language around the format's example.
func (r *renderer) preamble() (before, after string) {
	f := r.format
	if before, after, ok := strings.Cut(r.target.Template, templateTools); ok {
		return before, after
	}
	l := r.language()
	example := l.callExample + "\n" + f.example
	if f.exampleNote != nil {
		example += f.exampleNote(l) + "\n"
	}
	if f.exampleLast {
		return f.heading + l.toolsOffered + " " + l.toolList + "\n\n", "\n\n" + strings.TrimSuffix(example, "\n")
	}
	list := f.listHeading
	if list == "" {
		list = l.toolList + "\n"
	}
	if f.closing != nil {
		after = "\n" + f.closing(l)
	}
	return f.heading + l.toolsOffered + "\n\n" + example + "\n" + list, after
}

// describeTools returns the preamble with the descriptions of the tools, the first text of
// the system prompt. It is quoted here, and so once where a [Memo] keeps it; a very long one is not,
// since it takes its memory again when it is read.
func (r *renderer) describeTools() (rawjson.Text, error) {
	before, after := r.preamble()
	f := r.format
	size := len(before) + len(after)
	for i := range r.req.Tools {
		t := &r.req.Tools[i]
		size += 256 + len(t.Description) + 2*len(t.InputSchema) // a guess
	}
	r.origins.to("tools")
	w := toolWriter{format: f, escape: &r.escape, origins: r.origins, out: append(make([]byte, 0, size), before...)}
	w.write(f.beforeTools)
	for i := range r.req.Tools {
		t := &r.req.Tools[i]
		if r.ctx.Err() != nil {
			return rawjson.Text{}, context.Cause(r.ctx)
		}
		if i > 0 {
			w.write(f.betweenTools)
		}
		w.origins.enter(len(w.out), "", t.Index)
		if err := f.describe(&w, t); err != nil {
			return rawjson.Text{}, &messages.InvalidRequestError{Path: fmt.Sprintf("tools.%d.input_schema", i), Message: err.Error()}
		}
		if f.betweenTools == "" {
			w.writeExamples(t, r.prompt.schemas)
		}
		w.origins.leave(len(w.out))
	}
	w.write(f.afterTools)
	if f.betweenTools != "" {
		r.writeAllExamples(&w)
	}
	const longest = 128 << 10
	if w.write(after); len(w.out) > longest {
		return rawjson.Plain(string(w.out)), nil
	}
	return rawjson.Quoted(w.out), nil
}

// writeAllExamples writes the examples of all tools behind the list that these are.
func (r *renderer) writeAllExamples(w *toolWriter) {
	for i := range r.req.Tools {
		if t := &r.req.Tools[i]; len(t.InputExamples) > 0 {
			w.origins.enter(len(w.out), "", t.Index)
			w.write("\n").writeExamples(t, r.prompt.schemas)
			w.out = bytes.TrimSuffix(w.out, []byte("\n"))
			w.origins.leave(len(w.out))
		}
	}
}
