package docs_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
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
	b.WriteString("| `format` | for | written by |\n| --- | --- | --- |\n")
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
		fmt.Fprintf(&b, "| [`%s`](#%[1]s) | %s | %s |\n", f.Name, models, kind)
	}
	b.WriteString("\nFor what stands in the second column as a part of a model's id. A call, as a model is shown it:\n")
	for _, f := range translate.AboutFormats() {
		fmt.Fprintf(&b, "\n### %s\n\n```text\n%s```\n", f.Name, f.Example)
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
