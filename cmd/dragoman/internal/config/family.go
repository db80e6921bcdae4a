package config

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"dragoman/proxy"
	"dragoman/translate"
)

// Target is what Render has to know of a model of which only the id is known.
func Target(id string) translate.Target {
	return translate.Target{Format: translate.FormatLegacy, Prefill: prefills(id)}
}

// prefillNames are the ids for which prefills says yes, as wildcards.
var prefillNames = []string{
	"*claude-instant*", "*claude-2*", "*claude-v2*", "*claude-3*", "*claude-*-4-2025*",
	"*claude-*-4-0", "*claude-*-4-1", "*claude-*-4-1-*", "*claude-*-4-5", "*claude-*-4-5-*",
}

// families settles prefill where an entry does not say. An entry that takes
// every name and passes it on stands for all families: those that prefill get
// entries of their own before it.
func (l *loader) families(kinds map[string]string) {
	var models []proxy.Model
	for i, m := range l.cfg.Models {
		simulated := kinds[m.Upstream] == Simulated
		if slices.Contains(l.familyPrefill, i) {
			m.Target.Prefill = simulated || prefills(cmp.Or(m.Model, m.Name))
			if m.Name == "*" && m.Model == "" && !simulated {
				for _, name := range prefillNames {
					family := m
					family.Name, family.Target.Prefill = name, true
					models = append(models, family)
				}
			}
		}
		models = append(models, m)
	}
	l.cfg.Models = models
}

// prefills tells from a model id whether the model continues an assistant turn:
// Claude up to 4.5 does, later ones refuse it with a 400 (reference/wire.md §8),
// and of other families nothing is known. The id may be that of any vendor
// ("us.anthropic.claude-3-5-sonnet-20241022-v2:0", "claude-sonnet-4@20250514")
// or hold wildcards; where a wildcard leaves the version open the answer is no.
func prefills(id string) bool {
	_, rest, found := strings.Cut(strings.ToLower(id), "claude-")
	if !found {
		return false
	}
	words := strings.FieldsFunc(strings.ReplaceAll(rest, "*", "-*-"), func(c rune) bool {
		return strings.ContainsRune("-.:@_/", c)
	})
	if len(words) > 0 && words[0] == "instant" {
		return true
	}
	for i, word := range words {
		if word == "*" {
			return false
		}
		major, ok := version(word)
		if !ok {
			continue
		}
		minor := "0"
		if i+1 < len(words) {
			minor = words[i+1]
		}
		return major < 4 || major == 4 && upTo45(minor)
	}
	return false
}

// upTo45 tells whether the word after a "4" leaves the version at 4.5 or less.
func upTo45(word string) bool {
	if word == "*" {
		return false
	}
	minor, ok := version(word)
	return !ok || minor <= 5 // not a number, or a date: 4.0
}

// version reads a number of a version, which is short where a date is not.
func version(word string) (int, bool) {
	word = strings.TrimPrefix(word, "v")
	n, err := strconv.Atoi(word)
	return n, err == nil && len(word) <= 2
}
