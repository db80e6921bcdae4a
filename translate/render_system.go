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
	if r.req.OffersTools() {
		tools, err := r.describeTools()
		if err != nil {
			return err
		}
		r.prompt.System = append(r.prompt.System, Text{tools})
		if r.req.ToolChoice.DisableParallelToolUse {
			r.prompt.System = append(r.prompt.System, Text{r.language().oneCallAtATime})
		}
	}
	if r.req.Thinking != messages.ThinkingOff {
		r.prompt.System = append(r.prompt.System, Text{r.language().thinkFirst})
	}
	w := &r.writer
	w.parts = make([]Part, 0, len(r.req.System))
	for i := range r.req.System {
		w.addText(r.req.System[i].Text)
	}
	parts := w.takeParts()
	r.prompt.System = slices.Grow(r.prompt.System, len(parts)+1)
	for _, part := range parts {
		r.prompt.System = append(r.prompt.System, Text{part.Text})
	}
	if r.req.Format != nil {
		r.prompt.System = append(r.prompt.System, Text{r.language().answerInJSON + r.escape.Text(rawjson.CompactString(r.req.Format))})
	}
	return nil
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
	return l.toolsOffered + "\n\n" + example + "\n" + l.toolList + "\n" + f.beforeTools, f.afterTools
}

// describeTools returns the preamble with the descriptions of the tools, the first text of
// the system prompt.
func (r *renderer) describeTools() (string, error) {
	before, after := r.preamble()
	size := len(before) + len(after)
	for i := range r.req.Tools {
		t := &r.req.Tools[i]
		size += 256 + len(t.Description) + 2*len(t.InputSchema) // a guess
	}
	w := toolWriter{escape: &r.escape, out: append(make([]byte, 0, size), before...)}
	for i := range r.req.Tools {
		if r.ctx.Err() != nil {
			return "", context.Cause(r.ctx)
		}
		if err := r.format.describeTool(&w, &r.req.Tools[i]); err != nil {
			return "", &messages.InvalidRequestError{Path: fmt.Sprintf("tools.%d.input_schema", i), Message: err.Error()}
		}
	}
	return string(append(w.out, after...)), nil
}
