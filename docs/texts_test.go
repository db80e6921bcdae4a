package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestTexts holds that what docs/troubleshooting.md quotes from the program is what it says: each text
// in the first column of its tables is in a string of a Go file, word for word.
func TestTexts(t *testing.T) {
	var said strings.Builder
	for _, path := range files(t, ".go") {
		if strings.HasSuffix(path, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			if literal, ok := n.(*ast.BasicLit); ok && literal.Kind == token.STRING {
				text, _ := strconv.Unquote(literal.Value)
				said.WriteString(text + "\x00")
			}
			return true
		})
	}
	quoted := regexp.MustCompile("(?m)^\\| [^|`]*`([^`|]{20,})`[^|]*\\|").FindAllStringSubmatch(read(t, "docs/troubleshooting.md"), -1)
	if len(quoted) < 30 {
		t.Fatalf("the page quotes %d texts", len(quoted))
	}
	for _, match := range quoted {
		if !strings.Contains(said.String(), match[1]) {
			t.Errorf("nothing says %q", match[1])
		}
	}
}
