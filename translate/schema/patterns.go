package schema

import (
	"regexp"
	"regexp/syntax"

	"dragoman/translate/markup"
)

// This file types the properties that patternProperties describes: by the pattern that fits the name. Patterns
// are those of RE2, not of ECMAScript. One that RE2 does not know, or that takes much work, fits nothing.

// pattern is a member of patternProperties.
type pattern struct {
	name   *regexp.Regexp // nil for one that fits nothing
	steps  int            // that it takes for each byte of a name
	schema *Schema
}

// What patterns may cost: names are compared with them while an answer is read.
const (
	maxPatternText   = 256  // bytes
	maxPatternSteps  = 1024 // of all patterns of one text
	unreadableSteps  = 64   // that a pattern counts for which is not used
	maxPatternedName = 64   // bytes of a name that is compared
)

// conflicting is the schema of a property that patterns of several types fit. Nothing fits it.
var conflicting = &Schema{kinds: kindNothing}

// addPattern adds a member of patternProperties, or a pattern that fits nothing in its place.
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
	s.open = s.open || p.name == nil // names may fit it that nobody can tell
	s.patterns = append(s.patterns, p)
}

// stepsOf returns about how many steps a pattern takes for each byte of a name: its length with all repetitions
// written out.
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

// fitsPattern reports whether a pattern fits the name of a property, or may do so.
func (s *Schema) fitsPattern(tag string) bool {
	return s.byPattern(tag) != nil || len(s.patterns) > 0 && len(tag) > maxPatternedName
}

// byPattern returns the schema of a property that is not declared, by the patterns that fit its name: nil if
// none does.
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
