package constrain

import (
	"maps"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"dragoman/translate/markup"
)

// This file writes rules for text in an element. The text may hold any characters and most tags. It holds no tag that
// the parser could read as part of the call around it.
//
// None of these rules refers to itself. llguidance makes a token of such a rule, and reads a token of any length. It
// stops at about 2,000 repetitions of a rule that refers to itself.

// text describes text without tags of some names.
type text struct {
	*grammar
	names   []string          // no tag in the text has one of these names, in any case, with or without a slash
	params  []string          // the same for the tags of parameters
	escape  string            // the expression of an escape; "" if the text has none
	barred  string            // the characters of a class that no text may have, in addition to "<"
	blanks  string            // the white space in a class that may precede the name in a tag
	bracket string            // the rule of behindBracket; "" before it is made
	pairs   map[string]string // the rules of elements, by name
}

// anyRest at the end of a name in a [text] stands for all longer names. No tag has this character.
const anyRest = "\x00"

// plainText returns any text but for such tags.
func (g *grammar) plainText(names, params []string) *text {
	return &text{grammar: g, names: names, params: params, blanks: ` \x09\x0A\x0D`, pairs: map[string]string{}}
}

// jsonText returns such a text within the quotes of a string of JSON.
func (g *grammar) jsonText(names, params []string, escape string) *text {
	return &text{grammar: g, names: names, params: params, escape: escape, barred: `"` + notInStrings, blanks: " ", pairs: map[string]string{}}
}

// any returns the expression of the text. pairs are the params that elements in it may have: an opening and a closing tag.
func (t *text) any(pairs []string) string {
	tags := []string{literal("<") + " " + t.behindBracket()}
	for _, name := range pairs {
		if t.pairs[name] == "" {
			t.pairs[name] = t.rule(t.pair(name))
		}
		tags = append(tags, t.pairs[name])
	}
	return t.run() + " (" + strings.Join(tags, " | ") + ")*"
}

// run returns the expression of text without tags.
func (t *text) run() string {
	characters := "[^<" + t.barred + "]"
	if t.escape == "" {
		return characters + "*"
	}
	return t.rule("(" + characters + " | " + t.rule(t.escape) + ")*")
}

// behindBracket returns the rule of the text from behind a "<" up to the next. White space may precede the name in a tag
// of the call. It may not in the tag of a parameter: "a < b" is text.
func (t *text) behindBracket() string {
	if t.bracket == "" {
		t.bracket = t.makeBehindBracket()
	}
	return t.bracket
}

func (t *text) makeBehindBracket() string {
	blanks := "[" + t.blanks + "]"
	apart, all := t.behindLetters(t.names), t.behindLetters(slices.Concat(t.names, t.params))
	slashedApart := t.optional(t.follow(apart, t.blanks))
	apart['/'] = t.rule(blanks + "* " + slashedApart)
	all['/'] = t.optional(append(t.follow(all, t.blanks), blanks+" "+blanks+"* "+slashedApart))
	return t.optional(append(t.follow(all, t.blanks), blanks+" "+blanks+"* "+t.optional(t.follow(apart, t.blanks))))
}

// behindLetters returns the rules of the text after each first letter of the names; "" if no text may follow.
func (t *text) behindLetters(names []string) map[rune]string {
	rests := map[rune][]string{}
	for _, name := range names {
		if r, size := utf8.DecodeRuneInString(name); size > 0 {
			r = unicode.ToLower(r)
			rests[r] = append(rests[r], name[size:])
		}
	}
	next := map[rune]string{}
	for _, r := range slices.Sorted(maps.Keys(rests)) {
		if slices.Contains(rests[r], anyRest) {
			next[r] = ""
			continue
		}
		next[r] = t.behind(t.behindLetters(rests[r]), slices.Contains(rests[r], ""))
	}
	return next
}

// behindNames are the characters of a class that may follow the name in a tag.
const behindNames = ` \x09\x0A\x0D/=>`

// behind returns the rule of the text after the beginning of a name. next has the rules after each letter that
// continues a name. If whole, the beginning is a name itself, so that no tag may end there.
func (t *text) behind(next map[rune]string, whole bool) string {
	if whole {
		return t.optional(t.follow(next, behindNames))
	}
	return t.optional(t.follow(next, ""))
}

// follow returns the alternatives for the text after the beginning of a name. barred are characters of a class that may
// not follow.
func (t *text) follow(next map[rune]string, barred string) (list []string) {
	letters := ""
	for _, r := range slices.Sorted(maps.Keys(next)) {
		cases := []rune{r}
		if upper := unicode.ToUpper(r); upper != r && r < utf8.RuneSelf {
			cases = append(cases, upper)
		}
		if next[r] != "" {
			list = append(list, "["+class(cases...)+"] "+next[r])
		}
		letters += class(cases...)
	}
	list = append(list, "[^"+letters+"<"+t.barred+barred+"] "+t.run())
	if t.escape != "" {
		list = append(list, t.rule(t.escape)+" "+t.run())
	}
	return list
}

// optional returns the rule for one of the alternatives, or nothing.
func (t *text) optional(list []string) string { return t.rule("(" + strings.Join(list, " | ") + ")?") }

// pair returns the expression of an element with this name, without elements in it, and of the text after it.
func (t *text) pair(name string) string {
	return literal("<"+name) + " (" + literal("/>") + " | " + literal(">") + " " + t.rule(t.any(nil)) + " " + literal("</"+name+">") + ") " + t.run()
}

// tagNames returns the names of the tags in a text of a format.
func tagNames(text string) (list []string) {
	for part := range strings.SplitSeq(text, "<") {
		part = strings.TrimPrefix(part, "/")
		end := 0
		for end < len(part) && markup.IsNameByte(part[end]) {
			end++
		}
		if end > 0 {
			list = append(list, part[:end])
		}
	}
	return list
}
