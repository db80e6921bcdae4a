package prompt

import (
	"context"

	"dragoman/translate/format"
	"dragoman/translate/language"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// renderer is the state that the steps of one [Render] share. Each step has a file of its own:
// render_system.go, render_turns.go with render_results.go, and render_choice.go.
type renderer struct {
	ctx    context.Context // checked between tools, messages, blocks and results
	req    *messages.Request
	target Target
	format *format.Format
	escape markup.Escaper // for the whole prompt
	writer turnWriter     // of the current turn
	prompt *Prompt        // the prompt so far

	origins *Origins // nil unless somebody asks for them

	// promptLanguage is the language of the prompt; nil until language is called.
	promptLanguage *language.Language
	// pastCalls are the calls of the previous assistant turn, by id. The results in the next turn
	// refer to them.
	pastCalls map[string]pastCall
	calls     int // number of calls written so far
}

// newWriter returns a writer of parts of the prompt.
func (r *renderer) newWriter() turnWriter {
	return turnWriter{Buffer: markup.Buffer{Escape: &r.escape}, language: r.language, format: r.format, framed: r.prompt.chat.framesOwn()}
}

// pastCall is a call in the history.
type pastCall struct {
	order  int // index among the calls of its turn
	number int // index among the calls of the conversation
	name   string
}

// language returns the language of the prompt. It is only determined when needed, because that
// takes longer than rendering a short request without tools.
func (r *renderer) language() *language.Language {
	if r.promptLanguage == nil {
		r.promptLanguage = LanguageOf(r.target.Language, r.req, r.target.Memo)
	}
	return r.promptLanguage
}
