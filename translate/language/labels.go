package language

// What an upstream has to know of a language: some upstreams introduce documents themselves.

// Labels stand before what is said of a document, in one language: each before one line.
type Labels struct{ Name, Title, Context string }

// EnglishLabels are the labels in the default language.
var EnglishLabels = English.Labels()

// Labels returns the labels of the language.
func (l *Language) Labels() *Labels { return &Labels{l.nameLabel, l.TitleLabel, l.ContextLabel} }
