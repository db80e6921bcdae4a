package translate

import (
	"dragoman/translate/messages"
	"slices"
	"strings"
	"unicode"
)

// LanguageAuto follows the conversation.
const LanguageAuto = "auto"

// languages are those of the legacy documentation's editions; the first is the default.
var languages = []language{english, portuguese.orEnglish(), french.orEnglish(), russian.orEnglish(), indonesian.orEnglish()}

// orEnglish returns l with the English sentences where it has none.
func (l language) orEnglish() language {
	said := english
	inEnglish := said.sentences()
	for i, sentence := range l.sentences() {
		if *sentence == "" {
			*sentence = *inEnglish[i]
		}
	}
	return l
}

// Languages returns the names of the languages, the default first, and "auto".
func Languages() []string {
	var names []string
	for i := range languages {
		names = append(names, languages[i].name)
	}
	return append(names, LanguageAuto)
}

// languageOf returns the language of a name: the first if there is none such. If it
// is to follow the conversation, the first message with words decides: what comes
// later must not change a prompt that is cached.
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

// maxGuess bounds how much of a text is looked at.
const maxGuess = 4 << 10

// guessLanguage returns the language of a text by its script and its commonest words.
// English is the language of all others.
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
