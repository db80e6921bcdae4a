package translate

import "strings"

// What others than the renderer have to know of the sentences of a language: an upstream
// that introduces documents itself, and a program that plays a model.

// Labels stand before what is said of a document, in one language: each before one line.
type Labels struct{ Name, Title, Context string }

// EnglishLabels are the labels in the default language.
var EnglishLabels = english.labels()

// labels returns the labels of the language.
func (l *language) labels() *Labels { return &Labels{l.nameLabel, l.titleLabel, l.contextLabel} }

// Instructions are the words by which a prompt asks the model for something, in one
// language: what a program that plays a model looks for. Each stands in the prompt as it
// is here.
type Instructions struct {
	CallTool     string // asks for a call to one tool: the words before its name
	CallAnyTool  string // asks for a call to any tool
	CallNoTool   string // forbids calls
	OneCall      string // forbids a second call beside one
	AnswerInJSON string // asks for JSON; the JSON Schema stands behind it
	ErrorLabel   string // stands before what a failed tool said, in formats without an element for it
}

// AllInstructions returns the instructions in each language.
func AllInstructions() []Instructions {
	all := make([]Instructions, len(languages))
	for i := range languages {
		l := &languages[i]
		beforeName, _, _ := strings.Cut(l.callTool, "%s")
		all[i] = Instructions{
			CallTool: beforeName, CallAnyTool: l.callAnyTool, CallNoTool: l.callNoTool, OneCall: l.oneCallAtATime,
			AnswerInJSON: l.answerInJSON, ErrorLabel: l.errorLabel,
		}
	}
	return all
}
