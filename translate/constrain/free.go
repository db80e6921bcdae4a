package constrain

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// textUpTo returns the expression of any text and the closer behind it. It ends at the first closer, and
// holds none of the forbidden texts. The rules are one for each beginning of these, as a matcher of all of
// them walks, and each takes one character: a rule that only said which character may follow which would let
// `<</city>` pass, and engines that read whole words ahead would take `</` for the beginning of the closer.
func (g *grammar) textUpTo(closer string, forbidden ...string) string {
	key := "\x00" + closer + "\x00" + strings.Join(forbidden, "\x00")
	if name, ok := g.byBody[key]; ok {
		return name
	}
	w := walk{closer: closer, texts: append([]string{closer}, forbidden...)} // the closer first: it may end in a forbidden text
	for _, text := range w.texts {
		for i := range text {
			if !slices.Contains(w.states, text[:i]) {
				w.states = append(w.states, text[:i])
			}
		}
	}
	names := make(map[string]string, len(w.states))
	for _, state := range w.states {
		names[state] = g.declare()
	}
	for _, state := range w.states {
		g.define(names[state], w.body(state, names))
	}
	if g.byBody == nil {
		g.byBody = map[string]string{}
	}
	g.byBody[key] = names[""]
	return names[""]
}

// walk is how a text is searched for a closer and for forbidden texts. Its states are their beginnings: what
// stands last in the text so far.
type walk struct {
	closer string
	texts  []string // all that is searched for
	states []string
}

// body returns the rule of a state: for each character, what follows it.
func (w *walk) body(state string, names map[string]string) string {
	var list []string
	var seen, told []rune // characters of the texts, and those that do not lead where others do
	for _, text := range w.texts {
		for _, r := range text {
			if slices.Contains(seen, r) {
				continue
			}
			seen = append(seen, r)
			switch next, found := w.next(state, r); {
			case found == w.closer:
				list = append(list, "["+class(r)+"]")
			case found == "" && next != "":
				list = append(list, "["+class(r)+"] "+names[next])
			case found == "":
				continue
			}
			told = append(told, r)
		}
	}
	return strings.Join(append(list, "[^"+class(told...)+"] "+names[""]), " | ")
}

// next returns the state behind a character, or which of the texts ends there.
func (w *walk) next(state string, r rune) (next, found string) {
	text := state + string(r)
	for _, t := range w.texts {
		if strings.HasSuffix(text, t) {
			return "", t
		}
	}
	for !slices.Contains(w.states, text) {
		_, size := utf8.DecodeRuneInString(text)
		text = text[size:]
	}
	return text, ""
}
