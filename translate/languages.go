package translate

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
