// Package docs_test holds the pages of the project together: every reference page and section that a
// comment or a page cites exists, and so does everything that a page links to or names.
//
// Pages in docs/reference with numbered sections hold facts about other projects. They are cited by page and
// section, as in "docs/reference/NAME.md §2b"; a list ("§2, §5", "§2 to §9") cites each of its
// sections. Two forms name something smaller: "finding 5" is an item of a numbered list of findings,
// and "§12 row 3" a row of the table in that section. Behind a page that is cited in full, and within
// docs/reference, "NAME.md §4" alone will do.
package docs_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"
)

const (
	root      = ".."
	reference = "docs/reference/"
)

// TestCitations reads the comments of every Go file and the text of every page.
func TestCitations(t *testing.T) {
	pages := readReference(t)
	for _, path := range files(t, ".go") {
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.ParseComments|parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, group := range parsed.Comments {
			for _, problem := range pages.check(text(group), false) {
				t.Errorf("%s: %s", path, problem)
			}
		}
	}
	for _, path := range files(t, ".md") {
		within := strings.HasPrefix(path, reference)
		page := withoutLinks(read(t, path))
		problems := pages.check(page, within)
		if within {
			problems = append(problems, pages[filepath.Base(path)].checkOwn(page)...)
		}
		for _, problem := range problems {
			t.Errorf("%s: %s", path, problem)
		}
	}
}

// library is the reference pages by the names of their files.
type library map[string]*page

// page is what of a reference page can be cited.
type page struct {
	sections map[string]*section // by number, as in "2b"
	findings map[string]bool     // by number
}

type section struct{ rows map[string]bool }

func readReference(t *testing.T) library {
	t.Helper()
	pages := library{}
	for _, path := range files(t, ".md") {
		if strings.HasPrefix(path, reference) {
			pages[filepath.Base(path)] = readPage(read(t, path))
		}
	}
	if len(pages) == 0 {
		t.Fatal("there are no reference pages")
	}
	return pages
}

var (
	numbered = regexp.MustCompile(`^#+ (\d+(?:\.\d+)?[a-z]?)[. ]`)
	row      = regexp.MustCompile(`^\| *(\d+) *\|`)
	item     = regexp.MustCompile(`^(\d+)\. `)
)

func readPage(markdown string) *page {
	p := &page{sections: map[string]*section{}, findings: map[string]bool{}}
	in, findings := &section{}, false
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "#") {
			findings = strings.Contains(line, "Findings")
		}
		if match := numbered.FindStringSubmatch(line); match != nil {
			in = &section{rows: map[string]bool{}}
			p.sections[match[1]] = in
		} else if match := row.FindStringSubmatch(line); match != nil && in.rows != nil {
			in.rows[match[1]] = true
		} else if match := item.FindStringSubmatch(line); match != nil && findings {
			p.findings[match[1]] = true
		}
	}
	return p
}

var (
	// mention is the name of a page, with or without its folder.
	mention = regexp.MustCompile(`((?:[a-z.]+/)*)([a-z-]+\.md)`)
	// place is a section or a finding behind it, or behind another one.
	place  = regexp.MustCompile(`^(?:,|;|:| and| to| or)? *(?:§(\d+(?:\.\d+)?[a-z]?)(?: row (\d+))?|findings? (\d+)((?:(?:,| and) \d+)*))`)
	number = regexp.MustCompile(`\d+`)
	own    = regexp.MustCompile(`§(\d+(?:\.\d+)?[a-z]?)(?: row (\d+))?`)
)

// check returns what is wrong with the citations in a text. A page of the reference may be named
// without its folder where bare is set, and behind one that is named with it.
func (l library) check(text string, bare bool) (problems []string) {
	for _, match := range mention.FindAllStringSubmatchIndex(text, -1) {
		folder, name, rest := text[match[2]:match[3]], text[match[4]:match[5]], text[match[1]:]
		switch {
		case folder == reference:
			bare = true
		case strings.HasSuffix(folder, "reference/"):
			problems = append(problems, fmt.Sprintf("%s%s is cited without docs/", folder, name))
			continue
		case folder != "" || !bare || l[name] == nil:
			continue // another file
		}
		cited := l[name]
		if cited == nil {
			problems = append(problems, fmt.Sprintf("there is no page %s%s", reference, name))
			continue
		}
		for _, problem := range cited.checkBehind(rest) {
			problems = append(problems, name+" "+problem)
		}
	}
	return problems
}

// checkBehind returns what is wrong with the places that a text begins with.
func (p *page) checkBehind(text string) (problems []string) {
	for {
		match := place.FindStringSubmatch(text)
		if match == nil {
			return problems
		}
		if match[1] != "" {
			problems = append(problems, p.checkSection(match[1], match[2])...)
		}
		for _, n := range number.FindAllString(match[3]+match[4], -1) {
			if !p.findings[n] {
				problems = append(problems, "has no finding "+n)
			}
		}
		text = text[len(match[0]):]
	}
}

func (p *page) checkSection(name, row string) []string {
	switch s := p.sections[name]; {
	case s == nil:
		return []string{"has no §" + name}
	case row != "" && !s.rows[row]:
		return []string{"has no row " + row + " in §" + name}
	}
	return nil
}

// checkOwn returns which sections a reference page names, of itself, and does not have. Those behind
// the name of another page are that one's.
func (p *page) checkOwn(text string) (problems []string) {
	for _, match := range mention.FindAllString(text, -1) {
		before, after, _ := strings.Cut(text, match)
		for found := place.FindString(after); found != ""; found = place.FindString(after) {
			after = after[len(found):]
		}
		text = before + after
	}
	for _, match := range own.FindAllStringSubmatch(text, -1) {
		problems = append(problems, p.checkSection(match[1], match[2])...)
	}
	return problems
}

// TestLinks follows every link of a page to a file of the repository, and to a heading in it.
func TestLinks(t *testing.T) {
	for _, path := range files(t, ".md") {
		for _, match := range link.FindAllStringSubmatch(withoutCode(read(t, path)), -1) {
			target, anchor, _ := strings.Cut(match[1], "#")
			if strings.Contains(target, "://") {
				continue
			}
			to := path
			if target != "" {
				to = filepath.ToSlash(filepath.Join(filepath.Dir(path), target))
			}
			info, err := os.Stat(filepath.Join(root, to))
			switch {
			case err != nil:
				t.Errorf("%s links to %s: %v", path, match[1], err)
			case anchor != "" && (info.IsDir() || !anchors(read(t, to))[anchor]):
				t.Errorf("%s links to %s, which has no such heading", path, match[1])
			}
		}
	}
}

// TestNames holds that the tests and the files which the pages name exist: those of the Go files, whose
// tests may be of any module.
func TestNames(t *testing.T) {
	known := map[string]bool{}
	for _, path := range files(t, ".go") {
		known[path] = true
		for _, match := range declared.FindAllStringSubmatch(read(t, path), -1) {
			known[match[1]] = true
		}
	}
	for _, path := range files(t, ".md") {
		if path == "CHANGELOG.md" || facts.MatchString(read(t, path)) {
			continue // others' files, and what was once
		}
		for _, match := range named.FindAllStringSubmatch(read(t, path), -1) {
			if !known[match[1]] {
				t.Errorf("%s names %s, which does not exist", path, match[1])
			}
		}
	}
}

// facts recognizes a page of facts about other projects: its sections are cited by number.
var facts = regexp.MustCompile(`(?m)^## (?:\d|Findings)`)

var (
	declared = regexp.MustCompile(`(?m)^func ((?:Test|Fuzz)\w+)\(`)
	named    = regexp.MustCompile("`((?:Test|Fuzz)[A-Z]\\w*|[a-z_/]+/[a-z_]+\\.go)`")
)

var link = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// withoutLinks is a page without the targets of its links, whose paths are relative to it.
func withoutLinks(page string) string { return link.ReplaceAllString(page, "]") }

var code = regexp.MustCompile("(?ms)^ *```.*?^ *```$|``.+?``|`[^`\n]+`")

func withoutCode(page string) string { return code.ReplaceAllString(page, "") }

// anchors are the names that the headings of a page have in links, by the rules of the usual hosts.
func anchors(page string) map[string]bool {
	found := map[string]bool{}
	for line := range strings.Lines(fences.ReplaceAllString(page, "")) {
		heading, ok := strings.CutPrefix(strings.TrimLeft(line, "#"), " ")
		if !ok || !strings.HasPrefix(line, "#") {
			continue
		}
		found[strings.Map(func(r rune) rune {
			switch {
			case r == ' ':
				return '-'
			case r == '-', r == '_', unicode.IsLetter(r), unicode.IsDigit(r):
				return unicode.ToLower(r)
			}
			return -1
		}, strings.TrimSpace(heading))] = true
	}
	return found
}

var fences = regexp.MustCompile("(?ms)^```.*?^```$")

// files returns the paths of the repository's files with the extension, from its root and with slashes.
// Folders of packages that were fetched, and hidden ones, are no part of it.
func files(t *testing.T, extension string) (paths []string) {
	t.Helper()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch name := entry.Name(); {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (strings.HasPrefix(name, ".") || name == "node_modules"):
			return filepath.SkipDir
		case !entry.IsDir() && filepath.Ext(name) == extension:
			path, err := filepath.Rel(root, path)
			paths = append(paths, filepath.ToSlash(path))
			return err
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

func read(t *testing.T, path string) string {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(root, path))
	if err != nil {
		t.Fatal(err)
	}
	return string(content)
}

// text is the comments of a group as one line, so that no citation is broken by the end of one.
func text(group *ast.CommentGroup) string { return strings.Join(strings.Fields(group.Text()), " ") }
