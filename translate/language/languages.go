package language

// Auto is the [Target.Language] that follows the conversation: the language of its
// first text.
const Auto = "auto"

// All are those of the editions of the legacy documentation
// (docs/reference/legacy-format.md §2). The first is the default.
var All = []Language{English, portuguese, french, russian, indonesian}

// Names returns the names that [Target.Language] takes: those of the languages, the
// default first, and [Auto].
func Names() []string {
	var names []string
	for i := range All {
		names = append(names, All[i].Name)
	}
	return append(names, Auto)
}
