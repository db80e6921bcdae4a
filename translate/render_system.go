package translate

import (
	"bytes"
	"context"
	"slices"
	"strings"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// addSystem renders the system prompt, in the order that [Prompt.System] documents.
func (r *renderer) addSystem() error {
	var tools string // they are described first wherever they stand: a Memo keeps them as they are alone
	if r.describesTools() {
		var err error
		if tools, err = r.target.Memo.describe(r); err != nil {
			return err
		}
		if r.origins != nil {
			r.origins.endSystem("tools", len(tools))
		}
		r.prompt.System = append(r.prompt.System, Text{tools})
	}
	w := &r.writer
	w.parts = make([]Part, 0, len(r.req.System))
	for i := range r.req.System {
		r.origins.enter(0, "system", i+int(r.req.System[i].Skipped))
		w.addText(r.req.System[i].Text)
		r.origins.leave(0)
	}
	parts := w.takeParts()
	r.origins.endSystemParts()
	r.prompt.System = slices.Grow(r.prompt.System, len(parts)+2)
	if own := r.format.systemText; own != "" && len(parts) == 0 && r.describesTools() {
		r.prompt.System = append(r.prompt.System, Text{own})
		r.origins.endSystem("", len(own))
	}
	for _, part := range parts {
		r.prompt.System = append(r.prompt.System, Text{part.Text})
	}
	if r.format.toolsLast && r.describesTools() {
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
		r.prompt.System = append(r.prompt.System, Text{text})
		r.origins.endSystem(source, len(text))
	}
	switch choice := r.req.ToolChoice; {
	case r.describesTools() && !r.req.MayCall():
		add(r.language().callNoTool, "tool_choice")
	case r.describesTools() && choice.DisableParallelToolUse:
		add(r.language().oneCallAtATime, "tool_choice")
	}
	if r.guides() {
		add(r.language().severalCalls, "tool_choice")
	}
	if r.req.Thinking != messages.ThinkingOff {
		add(strings.ReplaceAll(r.language().thinkFirst, "thinking>", r.format.thinkingTag()+">"), "thinking")
	}
	if r.req.Format != nil {
		r.origins.to("output_config.format")
		add(string(r.escape.AppendText([]byte(r.language().answerInJSON), rawjson.CompactString(r.req.Format))), "output_config.format")
	}
}

// preamble returns what stands before and after the tool descriptions: the operator's template, the words of
// the family's, or the sentences of the language around the format's example. call is the example call, ""
// for none. A text that is documented shows placeholders, and the call follows it; elsewhere it stands in
// place of the placeholders, which models copy.
func (r *renderer) preamble(call string) (before, after string) {
	f := r.format
	l := r.language()
	behind := ""
	if call != "" {
		behind = l.exampleCall + "\n" + call
	}
	if before, after, ok := strings.Cut(r.target.Template, templateTools); ok {
		return before, join(after, behind)
	}
	if f.words[0] != "" {
		return f.words[0], join(f.words[1], behind)
	}
	example := l.callExample + "\n" + f.example
	if call != "" && !f.documented() {
		example, behind = l.exampleCall+"\n"+call+"\n", ""
	}
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
	return f.heading + l.toolsOffered + "\n\n" + example + "\n" + list, join("", behind)
}

// join returns two texts with an empty line between them; the second may be "".
func join(first, second string) string {
	if second == "" {
		return first
	}
	return strings.TrimRight(first, "\n") + "\n\n" + second
}

// describeTools returns the preamble with the descriptions of the tools, the first text of
// the system prompt.
func (r *renderer) describeTools() (string, error) {
	f := r.format
	w := toolWriter{format: f, escape: &r.escape, note: r.origins.note}
	var call string
	if r.showsExample() {
		if r.prompt.example = r.findExample(); r.prompt.example != nil {
			shown := turnWriter{escape: &r.escape, format: f}
			call = strings.TrimRight(shown.callsText([]Call{r.prompt.example.Call}, 0, r.prompt.schemas), "\n")
		}
	}
	before, after := r.preamble(call)
	size := len(before) + len(after)
	for i := range r.req.Tools {
		t := &r.req.Tools[i]
		size += 256 + len(t.Description) + 2*len(t.InputSchema) // a guess
	}
	r.origins.to("tools")
	w.out = make([]byte, 0, size)
	r.writePreamble(&w, before, call)
	w.write(f.beforeTools)
	for i := range r.req.Tools {
		t := &r.req.Tools[i]
		if r.ctx.Err() != nil {
			return "", context.Cause(r.ctx)
		}
		if i > 0 {
			w.write(f.betweenTools)
		}
		r.origins.enterTool(len(w.out), t)
		if err := f.describe(&w, t); err != nil {
			return "", &messages.InvalidRequestError{Fault: messages.FaultSchema, Path: t.Path() + ".input_schema", Message: err.Error()}
		}
		if f.betweenTools == "" {
			r.writeExamples(&w, t)
		}
		r.origins.leave(len(w.out))
	}
	w.write(f.afterTools)
	if f.betweenTools != "" {
		r.writeAllExamples(&w)
	}
	r.writePreamble(&w, after, call)
	return string(w.out), nil
}

// writePreamble writes a part of the preamble, in which the example call may stand.
func (r *renderer) writePreamble(w *toolWriter, text, call string) {
	at := strings.Index(text, call)
	if r.origins == nil || call == "" || at < 0 {
		w.write(text)
		return
	}
	w.write(text[:at])
	r.origins.fill(len(w.out))
	r.origins.to("example_call")
	w.write(call)
	r.origins.fill(len(w.out))
	r.origins.to("tools")
	w.write(text[at+len(call):])
}

// writeAllExamples writes the examples of all tools behind the list that these are.
func (r *renderer) writeAllExamples(w *toolWriter) {
	for i := range r.req.Tools {
		if t := &r.req.Tools[i]; len(t.InputExamples) > 0 {
			r.origins.enterTool(len(w.out), t)
			r.writeExamples(w, t)
			w.out = bytes.TrimSuffix(w.out, []byte("\n"))
			r.origins.leave(len(w.out))
		}
	}
}

// languageOf returns the language of that name, or the default if there is none. For
// LanguageAuto it is the language of the first text in the messages: a later text must not
// change the preamble, which prompt caches keep. memo may be nil.
func languageOf(name string, req *messages.Request, memo *Memo) *language {
	if name == LanguageAuto {
		name = memo.identify(firstText(req))
	}
	if i := slices.IndexFunc(languages, func(l language) bool { return l.name == name }); i >= 0 {
		return &languages[i]
	}
	return &languages[0]
}

// firstText returns the first text in the messages, "" if there is none.
func firstText(req *messages.Request) string {
	for i := range req.Messages {
		for _, b := range req.Messages[i].Content {
			if b.Type == messages.BlockText && !(b.Text == "") {
				return b.Text
			}
		}
	}
	return ""
}

// tokens returns the special tokens that texts for the target must not spell.
func (t *Target) tokens() tokenSet {
	if !t.SpecialTokens {
		return 0
	}
	return tokensOf(t.Model)
}
