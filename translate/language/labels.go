package language

// This file has the labels that an upstream needs if it introduces documents itself.

// Labels are the words before the name, the title and the context of a document, each before one
// line.
type Labels struct{ Name, Title, Context string }

// EnglishLabels are the labels in the default language.
var EnglishLabels = English.Labels()

// Labels returns the labels of the language.
func (l *Language) Labels() *Labels { return &Labels{l.nameLabel, l.TitleLabel, l.ContextLabel} }
