package constrain

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// textUpTo returns the expression of any text up to the first closer, and of the closer. The text
// contains none of the forbidden texts.
func (g *grammar) textUpTo(closer string, forbidden ...string) string {
	return g.walked(&walk{closer: closer, texts: append([]string{closer}, forbidden...)})[""]
}

// walked returns the rules of a walk, by state. Each rule takes one character, as a matcher of all
// its texts would. A simpler rule that says which character may follow which would accept
// `<</city>`. Also, engines that read whole words ahead would take `</` for the start of the
// closer.
func (g *grammar) walked(w *walk) map[string]string {
	key := fmt.Sprintf("%q", w.texts) + w.escape
	if names, ok := g.walks[key]; ok {
		return names
	}
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
	if g.walks == nil {
		g.walks = map[string]map[string]string{}
	}
	g.walks[key] = names
	return names
}

// walk is the search of a text for a closer and for forbidden texts. A state is the start of such a
// text, at the end of the text so far.
type walk struct {
	closer string
	texts  []string // all texts to find; the closer first, because it may end in a forbidden text
	// escape is the expression of an escape; "" if the text has none. A text with escapes has no
	// control characters.
	escape string
	states []string
}

// body returns the rule of a state: the next state for each character.
func (w *walk) body(state string, names map[string]string) string {
	var list []string
	var seen, told []rune // characters of the texts, and those with a transition of their own
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
	others := class(told...)
	if w.escape != "" {
		list = append(list, w.escape+" "+names[""])
		others += notInStrings
	}
	return strings.Join(append(list, "[^"+others+"] "+names[""]), " | ")
}

// next returns the state after a character, or the text that ends there.
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
