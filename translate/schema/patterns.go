package schema

import (
	"regexp"
	"regexp/syntax"

	"dragoman/translate/markup"
)

// This file types properties under patternProperties, by the pattern that matches the name.
// Patterns are RE2, not ECMAScript. A pattern that RE2 does not know, or that is expensive, matches
// nothing.

// pattern is a member of patternProperties.
type pattern struct {
	name   *regexp.Regexp // nil if the pattern matches nothing
	steps  int            // steps for each byte of a name
	schema *Schema
}

// Limits on the cost of patterns: names are matched with them while an answer is read.
const (
	maxPatternText   = 256  // bytes
	maxPatternSteps  = 1024 // of all patterns of one schema text
	unreadableSteps  = 64   // the steps that a rejected pattern counts as
	maxPatternedName = 64   // bytes of a name that is matched
)

// conflicting is the schema of a property that matches patterns of several types. No value fits it.
var conflicting = &Schema{kinds: kindNothing}

// addPattern adds a member of patternProperties. A rejected pattern is added as one that matches
// nothing.
func (c *compiler) addPattern(s *Schema, text string, described *Schema) {
	p := pattern{schema: described, steps: unreadableSteps}
	if c.patternSteps < maxPatternSteps && len(text) <= maxPatternText {
		parsed, err := syntax.Parse(text, syntax.Perl)
		if steps := stepsOf(parsed); err == nil && c.patternSteps+steps <= maxPatternSteps {
			p.steps = steps
			p.name, _ = regexp.Compile(text)
		}
	}
	c.patternSteps += p.steps
	s.open = s.open || p.name == nil // a name may match it, but nobody can tell
	s.patterns = append(s.patterns, p)
}

// stepsOf returns about how many steps a pattern takes for each byte of a name: its length, with
// all repetitions written out.
func stepsOf(re *syntax.Regexp) int {
	if re == nil {
		return 0
	}
	steps := 1 + len(re.Rune)/2
	for _, sub := range re.Sub {
		steps += stepsOf(sub)
	}
	if re.Op == syntax.OpRepeat {
		steps *= max(re.Min, re.Max, 1)
	}
	return min(steps, maxPatternSteps+1)
}

// fitsPattern reports whether a pattern matches, or may match, the name of a property.
func (s *Schema) fitsPattern(tag string) bool {
	return s.byPattern(tag) != nil || len(s.patterns) > 0 && len(tag) > maxPatternedName
}

// byPattern returns the schema of an undeclared property by the patterns that match its name; nil
// if no pattern matches.
func (s *Schema) byPattern(tag string) (fits *Schema) {
	if len(s.patterns) == 0 {
		return nil
	}
	name := markup.ParamName(tag)
	if len(name) > maxPatternedName {
		return nil
	}
	for _, p := range s.patterns {
		switch {
		case p.name == nil || !p.name.MatchString(name):
		case fits == nil || fits.accepts() == acceptsAny:
			fits = p.schema
		case p.schema != fits && p.schema.accepts() != acceptsAny && !p.schema.isPlainAs(fits):
			return conflicting
		}
	}
	return fits
}
