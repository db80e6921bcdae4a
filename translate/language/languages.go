package language

// Auto is the [Target.Language] that follows the conversation: the language of its first text.
const Auto = "auto"

// All are the languages of the legacy documentation's editions (docs/reference/legacy-format.md
// §2), the default first.
var All = []Language{English, portuguese, french, russian, indonesian}

// Names returns the names for [Target.Language]: the languages, the default first, and then [Auto].
func Names() []string {
	var names []string
	for i := range All {
		names = append(names, All[i].Name)
	}
	return append(names, Auto)
}
