package translate

import (
	"slices"
	"strings"
	"unicode"

	"dragoman/translate/messages"
)

// LanguageAuto is the [Target.Language] that follows the conversation: the language of its
// first text.
const LanguageAuto = "auto"

// languages are those of the editions of the legacy documentation
// (docs/reference/legacy-format.md §15). The first is the default.
var languages = []language{english, portuguese.orEnglish(), french.orEnglish(), russian.orEnglish(), indonesian.orEnglish()}

// orEnglish returns l with the English sentences in place of those that it lacks.
func (l language) orEnglish() language {
	inEnglish := english.sentences()
	for i, sentence := range l.sentences() {
		if *sentence == "" {
			*sentence = *inEnglish[i]
		}
	}
	return l
}

// Languages returns the names that [Target.Language] takes: those of the languages, the
// default first, and [LanguageAuto].
func Languages() []string {
	var names []string
	for i := range languages {
		names = append(names, languages[i].name)
	}
	return append(names, LanguageAuto)
}

// languageOf returns the language of that name, or the default if there is none. For
// LanguageAuto it is the language of the first text in the messages: a later text must not
// change the preamble, which prompt caches keep.
func languageOf(name string, req *messages.Request) *language {
	if name == LanguageAuto {
		for i := range req.Messages {
			for _, b := range req.Messages[i].Content {
				if b.Type == messages.BlockText && b.Text != "" {
					return guessLanguage(b.Text)
				}
			}
		}
	}
	if i := slices.IndexFunc(languages, func(l language) bool { return l.name == name }); i >= 0 {
		return &languages[i]
	}
	return &languages[0]
}

// maxGuess is how many bytes of a text guessLanguage looks at.
const maxGuess = 4 << 10

// guessLanguage returns the language of a text: Russian if most letters are Cyrillic, else
// the language that has most words of the text among its common words, if they are two at
// least. Any other text counts as English.
func guessLanguage(text string) *language {
	text = strings.ToValidUTF8(text[:min(len(text), maxGuess)], "")
	cyrillic, letters := 0, 0
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		if unicode.IsLetter(r) {
			letters++
		}
		if unicode.Is(unicode.Cyrillic, r) {
			cyrillic++
		}
		return !unicode.IsLetter(r)
	})
	if 2*cyrillic > letters {
		return languageOf("ru", nil)
	}
	best, most := &languages[0], 1 // one word may be any language's
	for i := range languages {
		common := strings.Fields(languages[i].common)
		n := 0
		for _, word := range words {
			if slices.Contains(common, word) {
				n++
			}
		}
		if n > most {
			best, most = &languages[i], n
		}
	}
	return best
}
