package upstream

import (
	"fmt"
	"strings"
)

// maxDocumentName is how long the name of a document may be (docs/reference/bedrock.md §5).
const maxDocumentName = 200

// documentNames are the names of the documents of one request, which have to differ.
type documentNames map[string]bool

// unique returns a new name that is near a title. It is made of all that Converse takes:
// ASCII letters and digits, hyphens, parentheses, brackets, and blanks that do not
// follow one another.
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

// nameRune returns r if it can stand in a name, else a blank.
func nameRune(r rune) rune {
	switch {
	case r >= 'a' && r <= 'z', r >= 'A' && r <= 'Z', r >= '0' && r <= '9', strings.ContainsRune("-()[]", r):
		return r
	}
	return ' '
}

// cutName cuts an ASCII name to n bytes, and takes off the blank that it may end in
// then.
func cutName(name string, n int) string {
	return strings.TrimRight(name[:min(n, len(name))], " ")
}
