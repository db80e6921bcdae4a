package translate

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// addSystem renders the system prompt, in the order that [Prompt.System] documents.
func (r *renderer) addSystem() error {
	if r.req.ShowsTools() {
		tools, err := r.target.Memo.describe(r)
		if err != nil {
			return err
		}
		r.prompt.System = append(r.prompt.System, Text{tools})
		if r.origins != nil {
			r.origins.endSystem("tools", tools.Len())
		}
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
	r.addInstructions()
	return nil
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
		add(r.language().thinkFirst, "thinking")
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
		return before + f.beforeTools, f.afterTools + after
	}
	l := r.language()
	example := l.callExample + "\n" + f.example
	if f.exampleNote != nil {
		example += f.exampleNote(l) + "\n"
	}
	if f.heading != "" {
		return f.heading + l.toolsOffered + " " + l.toolList + "\n\n" + f.beforeTools, f.afterTools + "\n\n" + strings.TrimSuffix(example, "\n")
	}
	return l.toolsOffered + "\n\n" + example + "\n" + l.toolList + "\n" + f.beforeTools, f.afterTools
}

// describeTools returns the preamble with the descriptions of the tools, the first text of
// the system prompt. It is quoted here, and so once where a [Memo] keeps it; a very long one is not,
// since it takes its memory again when it is read.
func (r *renderer) describeTools() (rawjson.Text, error) {
	before, after := r.preamble()
	size := len(before) + len(after)
	for i := range r.req.Tools {
		t := &r.req.Tools[i]
		size += 256 + len(t.Description) + 2*len(t.InputSchema) // a guess
	}
	r.origins.to("tools")
	w := toolWriter{format: r.format, escape: &r.escape, origins: r.origins, out: append(make([]byte, 0, size), before...)}
	for i := range r.req.Tools {
		t := &r.req.Tools[i]
		if r.ctx.Err() != nil {
			return rawjson.Text{}, context.Cause(r.ctx)
		}
		if i > 0 {
			w.write(r.format.betweenTools)
		}
		w.origins.enter(len(w.out), "", t.Index)
		if err := r.format.describe(&w, t); err != nil {
			return rawjson.Text{}, &messages.InvalidRequestError{Path: fmt.Sprintf("tools.%d.input_schema", i), Message: err.Error()}
		}
		if len(t.InputExamples) > 0 {
			w.writeExamples(t, r.prompt.schemas.of(t))
		}
		w.origins.leave(len(w.out))
	}
	const longest = 128 << 10
	if w.write(after); len(w.out) > longest {
		return rawjson.Plain(string(w.out)), nil
	}
	return rawjson.Quoted(w.out), nil
}
