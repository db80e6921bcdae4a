// Package langid identifies the language of a short text, such as a question of a few words to an
// assistant.
//
// It knows each language from a file in text, named by its ISO 639-1 code and written for this
// package, with everyday words, questions and instructions. In addition to the languages of
// prompts, there are shorter files for languages that are easily mistaken for one of them: Spanish
// for Portuguese, Ukrainian for Russian. Malay and Galician have no file, because they are too
// close to Indonesian and Portuguese, and count as these. A file may have several languages that
// need not be told apart: da has Norwegian too, cs Slovak, hr Slovene, sr Macedonian, tl Swahili,
// and kk Mongolian.
//
// Languages differ in which letters follow each other in words, and how often: see profiles.
package langid

// Limits on how much of a text is examined, so that a long text costs no more than a sufficient
// one.
const (
	MaxBytes = 4 << 10
	maxWords = 100
)

// headStart is how much more likely, as a logarithm, English is before the text is examined. Texts
// of names and abbreviations show little.
const headStart = 10

// Identify returns the code of the language at the beginning of a text, one of the files in text.
// It returns "en" if nothing points to another language. It skips code, addresses and identifiers.
//
// The first call analyses the files, which takes about 20 ms, and keeps 6 MB.
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
