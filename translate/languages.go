package translate

import (
	"slices"

	"dragoman/translate/messages"
)

// LanguageAuto is the [Target.Language] that follows the conversation: the language of its
// first text.
const LanguageAuto = "auto"

// languages are those of the editions of the legacy documentation
// (docs/reference/legacy-format.md §2). The first is the default.
var languages = []language{english, portuguese, french, russian, indonesian}

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
// change the preamble, which prompt caches keep. memo may be nil.
func languageOf(name string, req *messages.Request, memo *Memo) *language {
	if name == LanguageAuto {
		name = memo.identify(firstText(req))
	}
	if i := slices.IndexFunc(languages, func(l language) bool { return l.name == name }); i >= 0 {
		return &languages[i]
	}
	return &languages[0]
}

// firstText returns the first text in the messages, "" if there is none.
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
