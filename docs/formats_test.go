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

// TestFormats holds that docs/formats.md shows the formats as they are declared.
func TestFormats(t *testing.T) {
	const begin, end = "<!-- formats -->\n", "<!-- end of formats -->\n"
	page := read(t, "docs/formats.md")
	before, rest, ok := strings.Cut(page, begin)
	_, after, ended := strings.Cut(rest, end)
	if !ok || !ended {
		t.Fatal("docs/formats.md has no place for the formats")
	}
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
		if f.Erased {
			models += "; `auto` asks in `json`"
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
	want := before + begin + b.String() + end + after
	if *update {
		if err := os.WriteFile(filepath.Join(root, "docs/formats.md"), []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if page != want {
		t.Error("docs/formats.md does not show the formats as they are: go test ./docs -run TestFormats -update")
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
