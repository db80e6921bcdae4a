// Package langid tells in which language a short text is: a question of a few words, such
// as people put to an assistant.
//
// Each language is known by a text in it: the files in text, named by their ISO 639-1 codes
// and written for this package, have everyday words, questions and instructions. Beside the
// languages that a prompt can be in there are, with shorter texts, those that could be taken
// for one of them: Spanish for Portuguese, Ukrainian for Russian. Malay and Galician have
// none: too little tells them from Indonesian and Portuguese, which they are taken for. A
// file may hold languages that need not be told apart: da has Norwegian too, cs Slovak, hr
// Slovene, sr Macedonian, tl Swahili, and kk Mongolian.
//
// What tells languages apart is which letters follow each other in words, and how often: see
// profiles.
package langid

// Limits of what is looked at, so that a long text costs no more than one that is long
// enough.
const (
	MaxBytes = 4 << 10
	maxWords = 100
)

// headStart is how much more likely, as a logarithm, English is than any other language
// before the text has been looked at. Names, abbreviations and the like tell little.
const headStart = 10

// Identify returns the code of the language that the words at the beginning of a text are
// in: that of a file in text. It is "en" where nothing speaks for another language. Code,
// addresses and identifiers are passed over.
//
// The first call counts the texts, which takes some 20 ms, and keeps 6 MB.
func Identify(text string) string {
	p := counted()
	scores := make([]float32, len(p.codes))
	n := 0
	for word := range words(text[:min(len(text), MaxBytes)]) {
		p.add(scores, word)
		if n++; n == maxWords {
			break
		}
	}
	best := p.english
	scores[best] += headStart
	for i, score := range scores {
		if score > scores[best] {
			best = i
		}
	}
	return p.codes[best]
}
