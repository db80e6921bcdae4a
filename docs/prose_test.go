package docs_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

// TestProse checks the pages against the rules of CONTRIBUTING.md, "Pages": short sentences, nouns in place of stiff
// phrases, and a first sentence that names the reader.
func TestProse(t *testing.T) {
	for _, path := range files(t, ".md") {
		if strings.Contains(path, "/testdata/") {
			continue
		}
		page := read(t, path)
		for _, s := range sentences(page) {
			for _, problem := range problems(s) {
				t.Errorf("%s: %s: %s", path, problem, s)
			}
		}
		if first := opening(page); !strings.HasPrefix(first, "For ") && path != "README.md" {
			t.Errorf("%s: begin with the reader, as in \"For operators: …\": %s", path, first)
		}
	}
}

// longest is the largest number of words of a sentence or a table cell. A list of code spans counts as one word.
const longest = 36

// stiff are phrases for which a plainer one exists: pronouns in place of nouns, and idioms of contracts.
var stiff = regexp.MustCompile(`(?i)\b(that of|those of|of which|(?:is|are) none|what is beyond|where it is said|` +
	`such a one|(?:is|are) held to|let through|goes for|stands? for|comes to|is worth|besides)\b|\bas (?:it is|they are)(?:[.,)]|$)`)

func problems(sentence string) (problems []string) {
	if n := len(strings.Fields(sentence)); n > longest {
		problems = append(problems, fmt.Sprintf("%d words, split it", n))
	}
	if phrase := stiff.FindString(sentence); phrase != "" {
		problems = append(problems, "name the noun instead of \""+phrase+"\"")
	}
	return problems
}

// TestProblems holds that the check finds what the rules name, and nothing in code.
func TestProblems(t *testing.T) {
	for page, want := range map[string]int{
		"Dragoman sends one event.":                                         0,
		"It is `that of` others.":                                           0,
		"As soon as it is full, it is sent as it is.":                       1,
		"The limit is that of the key.":                                     1,
		"- The limit is that\n  of the key. It ends.":                       1,
		"| a | those of b |":                                                1,
		"```\nthose of b\n```":                                              0,
		strings.Repeat("word ", longest) + "end.":                           1,
		strings.Repeat("word ", longest-1) + "end. More.":                   0,
		"- " + strings.Repeat("w ", 30) + "\n- " + strings.Repeat("w ", 30): 0,
		"`a`, " + strings.Repeat("`b`, ", longest) + "or `c`":               0,
		"[those of](x.md)":                                                  1,
		"[a](those-of.md)":                                                  0,
	} {
		found := 0
		for _, s := range sentences(page) {
			found += len(problems(s))
		}
		if found != want {
			t.Errorf("%q: %d problems, want %d", page, found, want)
		}
	}
}

var (
	begins = regexp.MustCompile(`^ *(?:[-*>]|\d+\.) +`)
	ends   = regexp.MustCompile(`[.;:!?]\)?\s+`)
	target = regexp.MustCompile(`\[([^\]]*)\]\([^)]*\)`)
	span   = regexp.MustCompile("`[^`]*`(?:,? (?:(?:and|or) )?`[^`]*`)*")
)

// sentences returns the sentences and table cells of a page, without code and targets of links.
func sentences(page string) (all []string) {
	var paragraph []string
	end := func() {
		text := target.ReplaceAllString(span.ReplaceAllString(strings.Join(paragraph, " "), "`x`"), "$1")
		paragraph = nil
		for _, s := range ends.Split(text, -1) {
			if s = strings.TrimSpace(s); s != "" {
				all = append(all, s)
			}
		}
	}
	for line := range strings.Lines(fences.ReplaceAllString(page, "")) {
		line = strings.TrimSuffix(line, "\n")
		switch {
		case strings.HasPrefix(line, "|"):
			for cell := range strings.SplitSeq(strings.Trim(line, "|"), "|") {
				end()
				paragraph = []string{cell}
			}
			end()
		case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "#") || strings.HasPrefix(line, "<!--") || strings.HasPrefix(line, "    "):
			end()
		case begins.MatchString(line):
			end()
			paragraph = []string{begins.ReplaceAllString(line, "")}
		default:
			paragraph = append(paragraph, strings.TrimSpace(line))
		}
	}
	end()
	return all
}

// opening returns the first line behind the title.
func opening(page string) string {
	for line := range strings.Lines(page) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return line
		}
	}
	return ""
}
