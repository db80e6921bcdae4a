package docs

import (
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestImportGroups: a file imports the standard library first, then other modules, then our own packages, with a blank
// line between the groups.
func TestImportGroups(t *testing.T) {
	group := func(path string) int {
		switch root, _, _ := strings.Cut(path, "/"); {
		case root == "dragoman":
			return 2
		case strings.Contains(root, "."):
			return 1
		}
		return 0
	}
	err := fs.WalkDir(os.DirFS(".."), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") {
			return err
		}
		files := token.NewFileSet()
		file, err := parser.ParseFile(files, filepath.Join("..", name), nil, parser.ImportsOnly|parser.ParseComments)
		if err != nil {
			return err
		}
		last, line := -1, 0
		for _, spec := range file.Imports {
			now, end := group(strings.Trim(spec.Path.Value, `"`)), files.Position(spec.End()).Line
			begin := files.Position(spec.Pos()).Line
			if spec.Doc != nil {
				begin = files.Position(spec.Doc.Pos()).Line
			}
			if last >= 0 && (now < last || (now > last) != (begin > line+1)) {
				t.Errorf("%s: the import of %s is in the wrong group", name, spec.Path.Value)
			}
			last, line = now, end
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}
