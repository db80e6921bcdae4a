package translate

// What an upstream has to know of a language: some upstreams introduce documents themselves.

// Labels stand before what is said of a document, in one language: each before one line.
type Labels struct{ Name, Title, Context string }

// EnglishLabels are the labels in the default language.
var EnglishLabels = english.labels()

// labels returns the labels of the language.
func (l *language) labels() *Labels { return &Labels{l.nameLabel, l.titleLabel, l.contextLabel} }
