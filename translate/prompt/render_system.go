package prompt

import (
	"context"
	"slices"
	"strings"

	"dragoman/translate/format"
	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// addSystem renders the system prompt, in the order that [Prompt.System] documents.
func (r *renderer) addSystem() error {
	var tools markup.Sourced // described first even if they come last, because a Memo keeps the description
	if r.describesTools() {
		var err error
		if tools, err = r.target.Memo.describe(r); err != nil {
			return err
		}
	}
	w := &r.writer
	w.parts = make([]Part, 0, len(r.req.System))
	for i := range r.req.System {
		outer := w.Enter("system", i+int(r.req.System[i].Skipped))
		w.addText(r.req.System[i].Text)
		w.At(outer)
	}
	parts, origins := w.takeParts()
	r.prompt.System = make([]Text, 0, len(parts)+3)
	if r.describesTools() && !r.format.ToolsLast {
		r.addSystemText(tools)
	}
	if own := r.format.SystemText; own != "" && len(parts) == 0 && r.describesTools() {
		r.addSystemText(r.escape.Markup(own, ""))
	}
	for i, part := range parts {
		text := markup.Sourced{Text: part.Text}
		if r.origins != nil {
			text.Origins = origins[i].Text
		}
		r.addSystemText(text)
	}
	if r.describesTools() && r.format.ToolsLast {
		r.prompt.cached = len(r.prompt.System)
		r.addSystemText(tools)
	}
	r.addInstructions()
	return nil
}

// addInstructions adds the instructions at the end of the system prompt. The texts before do not
// depend on them, so that prompt caches hold whatever a client changes here
// (docs/reference/messages-api.md §6).
func (r *renderer) addInstructions() {
	add := func(text, source string) { r.addSystemText(r.escape.Markup(text, source)) }
	switch choice := r.req.ToolChoice; {
	case r.describesTools() && !r.req.MayCall():
		add(r.language().CallNoTool, "tool_choice")
	case r.describesTools() && choice.DisableParallelToolUse:
		add(r.language().OneCallAtATime, "tool_choice")
	}
	if e := r.prompt.Example; e != nil && r.format.ToolsAlone && r.target.Template == "" {
		add(r.language().ExampleCall+"\n"+r.exampleText(e), "example_call")
	}
	if r.guides() {
		add(r.language().SeveralCalls, "tool_choice")
	}
	if r.req.Thinking != messages.ThinkingOff && !r.prompt.chat.marksThinking() {
		add(strings.ReplaceAll(r.language().ThinkFirst, "thinking>", r.format.ThinkingTag()+">"), "thinking")
	}
	if r.req.OutputSchema != nil {
		b := markup.Buffer{Escape: &r.escape, Source: "output_config.format"}
		r.addSystemText(b.Write(r.language().AnswerInJSON).WriteText(rawjson.CompactString(r.req.OutputSchema)).Take())
	}
}

// preamble returns the texts before and after the tool descriptions: the operator's template, the
// family's words, or Dragoman's sentences around the format's example. call is the example call, or
// "". A documented preamble shows placeholders, and the call comes after it. In other preambles,
// the call replaces the placeholders, because models copy them.
func (r *renderer) preamble(call string) (before, after string) {
	f := r.format
	l := r.language()
	behind := ""
	if call != "" {
		behind = l.ExampleCall + "\n" + call
	}
	if before, after, ok := strings.Cut(r.target.Template, templateTools); ok {
		return before, join(after, behind)
	}
	if f.ToolsAlone {
		return "", "" // addInstructions shows the call
	}
	if f.Words[0] != "" {
		return f.Words[0], join(f.Words[1], behind)
	}
	example := l.CallExample + "\n" + f.Example
	if call != "" && !f.Documented() {
		example, behind = l.ExampleCall+"\n"+call+"\n", ""
	}
	if f.ExampleNote != nil {
		example += f.ExampleNote(l) + "\n"
	}
	if f.ExampleLast {
		return f.Heading + l.ToolsOffered + " " + l.ToolList + "\n\n", "\n\n" + strings.TrimSuffix(example, "\n")
	}
	list := f.ListHeading
	if list == "" {
		list = l.ToolList + "\n"
	}
	return f.Heading + l.ToolsOffered + "\n\n" + example + "\n" + list, join("", behind)
}

// join joins two texts with an empty line. The second may be "".
func join(first, second string) string {
	if second == "" {
		return first
	}
	return strings.TrimRight(first, "\n") + "\n\n" + second
}

// describeTools returns the preamble with the tool descriptions.
func (r *renderer) describeTools() (markup.Sourced, error) {
	f := r.format
	w := format.ToolWriter{Format: f, Buffer: markup.Buffer{Escape: &r.escape, Source: "tools"}}
	var call string
	if r.showsExample() {
		if r.prompt.Example = r.findExample(); r.prompt.Example != nil {
			call = r.exampleText(r.prompt.Example)
		}
	}
	before, after := r.preamble(call)
	size := len(before) + len(after)
	for i := range r.req.Tools {
		t := &r.req.Tools[i]
		size += 256 + len(t.Description) + 2*len(t.InputSchema) // an estimate
	}
	w.Out = make([]byte, 0, size)
	r.writePreamble(&w, before, call)
	w.Write(f.BeforeTools)
	for i := range r.req.Tools {
		t := &r.req.Tools[i]
		if r.ctx.Err() != nil {
			return markup.Sourced{}, context.Cause(r.ctx)
		}
		if i > 0 {
			w.Write(f.BetweenTools)
		}
		outer := r.enterTool(&w, t)
		if err := f.Describe(&w, t); err != nil {
			return markup.Sourced{}, &messages.InvalidRequestError{Fault: messages.FaultSchema, Path: t.Path() + ".input_schema", Message: err.Error()}
		}
		if f.BetweenTools == "" {
			r.writeExamples(&w, t)
		}
		w.At(outer)
	}
	w.Write(f.AfterTools)
	if f.BetweenTools != "" {
		r.writeAllExamples(&w)
	}
	r.writePreamble(&w, after, call)
	return w.Take(), nil
}

// enterTool sets the path of w to the tool. It returns the previous path: see [markup.Buffer.At].
func (r *renderer) enterTool(w *format.ToolWriter, t *messages.Tool) (before string) {
	if r.origins == nil {
		return ""
	}
	return w.At(t.Path())
}

// exampleText returns an example call as a model writes it.
func (r *renderer) exampleText(e *ExampleCall) string {
	shown := r.newWriter()
	return strings.TrimRight(shown.callsText([]ToolUse{e.ToolUse}, 0, r.prompt.Schemas), "\n")
}

// writePreamble writes a part of the preamble. It may contain the example call.
func (r *renderer) writePreamble(w *format.ToolWriter, text, call string) {
	before, after, shown := strings.Cut(text, call)
	if call == "" || !shown {
		w.Write(text)
		return
	}
	w.Write(before)
	tools := w.At("example_call")
	w.Write(call).At(tools)
	w.Write(after)
}

// writeAllExamples writes the examples of all tools after the list of tools.
func (r *renderer) writeAllExamples(w *format.ToolWriter) {
	for i := range r.req.Tools {
		if t := &r.req.Tools[i]; len(t.InputExamples) > 0 {
			outer := r.enterTool(w, t)
			r.writeExamples(w, t)
			w.TrimSuffix("\n")
			w.At(outer)
		}
	}
}

// LanguageOf returns the named language, or the default if there is none. For [language.Auto] it is
// the language of the first text in the messages. Later texts must not change the preamble, or
// prompt caches would miss. memo may be nil.
func LanguageOf(name string, req *messages.Request, memo *Memo) *language.Language {
	if name == language.Auto {
		name = memo.identify(firstText(req))
	}
	if i := slices.IndexFunc(language.All, func(l language.Language) bool { return l.Name == name }); i >= 0 {
		return &language.All[i]
	}
	return &language.All[0]
}

// firstText returns the first text in the messages, or "".
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

// tokens returns the special tokens that texts for the target must not spell. Both the model and the
// chat template have some: a tuned model may use another family's template.
func (t *Target) tokens() (set format.TokenSet) {
	if isOn(t.EscapeSpecialTokens) || t.ChatTemplate != "" {
		set = format.TokensOf(t.Family)
	}
	if t.ChatTemplate != "" {
		set |= format.TokensOf(t.ChatTemplate)
	}
	return set
}
