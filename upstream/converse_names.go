package upstream

import (
	"fmt"
	"strings"
)

// maxDocumentName is the length limit for the name of a document (docs/reference/bedrock.md §5).
const maxDocumentName = 200

// documentNames are the names of the documents in one request. They must be different.
type documentNames map[string]bool

// unique returns a new name that is similar to the title. Converse allows ASCII letters and digits, hyphens,
// parentheses, brackets, and single spaces.
func (given documentNames) unique(title string) string {
	name := cutName(strings.Join(strings.Fields(strings.Map(nameRune, title)), " "), maxDocumentName)
	if name == "" {
		name = "document"
	}
	for n, base := 2, name; given[name]; n++ {
		number := fmt.Sprintf(" (%d)", n)
		name = cutName(base, maxDocumentName-len(number)) + number
	}
	given[name] = true
	return name
}

// nameRune returns r if a name can contain it, otherwise a space.
func nameRune(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-()[]", r):
		return r
	}
	return ' '
}

// cutName cuts an ASCII name to n bytes, and removes a trailing space.
func cutName(name string, n int) string {
	return strings.TrimRight(name[:min(n, len(name))], " ")
}
