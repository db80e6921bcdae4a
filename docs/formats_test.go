package docs_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"dragoman/translate"
)

var update = flag.Bool("update", false, "write the parts of pages that are made of the code")

// TestFormats holds that docs/reference/call-formats.md shows the formats as they are declared.
func TestFormats(t *testing.T) {
	var b strings.Builder
	b.WriteString("| `format` | for | variants | written by |\n| --- | --- | --- | --- |\n")
	for _, f := range translate.AboutFormats() {
		kind := "a declaration"
		if !f.Data {
			kind = "code"
		}
		models := "any model"
		if len(f.Models) > 0 {
			models = "`" + strings.Join(f.Models, "`, `") + "`"
		}
		if f.Auto != "" {
			models += "; `auto` asks in `" + f.Auto + "`"
		}
		fmt.Fprintf(&b, "| [`%s`](#%[1]s) | %s | %s | %s |\n", f.Name, models, variantNames(f), kind)
	}
	b.WriteString("\nThe second column has parts of the ids of models. Below is a call, as a model is shown it. Variants are for models\n" +
		"of the format that were trained on another prompt: with other tags, with tools in another place, or other results.\n" +
		"The longest part of a model's id that is named says which it gets; `check`, `models`, `render` and the log show it.\n")
	for _, f := range translate.AboutFormats() {
		fmt.Fprintf(&b, "\n### %s\n\n```text\n%s```\n", f.Name, f.Example)
		shown := []string{f.Example}
		for _, v := range f.Variants {
			fmt.Fprintf(&b, "\nVariant `%s`, for `%s`", v.Name, strings.Join(v.Models, "`, `"))
			if slices.Contains(shown, v.Example) {
				b.WriteString(": calls as above.\n")
				continue
			}
			fmt.Fprintf(&b, ":\n\n```text\n%s```\n", v.Example)
			shown = append(shown, v.Example)
		}
	}
	b.WriteString("\n")
	holdPart(t, "docs/reference/call-formats.md", "formats", b.String())
}

// TestReasons holds that docs/reference/metrics.md lists the reasons of outcomes.
func TestReasons(t *testing.T) {
	var b strings.Builder
	b.WriteString("| reason | means |\n| --- | --- |\n")
	for _, r := range translate.AboutReasons() {
		fmt.Fprintf(&b, "| `%s` | %s |\n", r.Reason, r.About)
	}
	holdPart(t, "docs/reference/metrics.md", "reasons", b.String())
}

// holdPart holds that the part of a page between the comments <!-- NAME --> and <!-- end of NAME --> is this
// text, or writes it there with -update.
func holdPart(t *testing.T, path, name, text string) {
	t.Helper()
	begin, end := "<!-- "+name+" -->\n", "<!-- end of "+name+" -->\n"
	page := read(t, path)
	before, rest, ok := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatalf("%s has no place for the %s", path, name)
	}
	want := before + begin + text + end + after
	if *update {
		if err := os.WriteFile(filepath.Join(root, path), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if page != want {
		t.Errorf("the %s in %s are not up to date: go test ./docs -run %s -update", name, path, t.Name())
	}
}

// variantNames returns the names of the variants of a format.
func variantNames(f translate.About) string {
	names := []string{}
	for _, v := range f.Variants {
		names = append(names, "`"+v.Name+"`")
	}
	return strings.Join(names, ", ")
}
