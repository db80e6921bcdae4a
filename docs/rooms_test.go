package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"go/types"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mayImport says which packages of ours a package may import: dependencies point one way, and
// what the Messages API says knows nothing of formats (ARCHITECTURE.md, "Packages").
var mayImport = map[string][]string{
	"translate/rawjson":      nil,
	"translate/markup":       nil,
	"translate/messages":     {"translate/rawjson"},
	"translate/golden":       {"translate/rawjson", "translate/messages"},
	"translate/schema":       {"translate/rawjson", "translate/markup"},
	"translate/langid":       nil,
	"translate/memo":         nil,
	"translate":              {"translate/rawjson", "translate/markup", "translate/messages", "translate/schema", "translate/langid", "translate/memo"},
	"upstream/converse":      nil,
	"upstream/readahead":     nil,
	"upstream/eventstream":   {"upstream/readahead"},
	"upstream":               {"translate", "translate/rawjson", "translate/messages", "upstream/converse", "upstream/eventstream", "upstream/readahead"},
	"upstream/simulated":     {"translate", "translate/rawjson", "translate/messages", "upstream"},
	"metrics":                {"translate/messages"},
	"proxy/nearest":          nil,
	"proxy/framing":          nil,
	"proxy/bedrock":          {"translate", "translate/rawjson", "translate/messages", "upstream", "upstream/converse"},
	"proxy":                  {"translate", "translate/memo", "translate/rawjson", "translate/messages", "upstream", "upstream/converse", "upstream/eventstream", "metrics", "proxy/bedrock", "proxy/framing", "proxy/nearest"},
	"proxy/inspector":        {"translate", "translate/golden", "translate/rawjson", "translate/messages", "metrics", "proxy"},
	"proxy/telemetry":        {"translate", "translate/messages", "upstream", "metrics", "proxy"},
	"cmd/dragoman/internal/": {"translate", "translate/rawjson", "translate/messages", "upstream", "proxy", "proxy/nearest", "proxy/telemetry"},
}

// testRooms are imported by tests alone, or by a command that runs them: they may import what they
// need, the clock and the environment too.
var testRooms = []string{
	"translate/fidelity", "translate/fidelity/cmd", "translate/schema/schematest", "translate/testcost",
	"upstream/upstreamtest", "upstream/upstreamtest/fakeupstream",
}

// impure are packages by which the same input could give another output. translate and what is
// in it import none.
var impure = []string{"crypto/rand", "io/ioutil", "log", "math/rand", "math/rand/v2", "net", "net/http", "os", "os/exec", "syscall", "time"}

// TestImports holds the direction of the dependencies between packages.
func TestImports(t *testing.T) {
	_, all := packages(t)
	for dir, files := range all {
		allowed, known := mayImport[dir]
		for prefix, list := range mayImport {
			if strings.HasSuffix(prefix, "/") && strings.HasPrefix(dir, prefix) {
				allowed, known = list, true
			}
		}
		if slices.Contains(testRooms, dir) || dir == "cmd/dragoman" {
			continue
		}
		if !known {
			t.Errorf("%s has no entry in mayImport", dir)
		}
		pure := dir == "translate" || strings.HasPrefix(dir, "translate/")
		for _, file := range files {
			for _, spec := range file.Imports {
				name := strings.Trim(spec.Path.Value, `"`)
				own, isOwn := strings.CutPrefix(name, "dragoman/")
				switch {
				case isOwn && !slices.Contains(allowed, own):
					t.Errorf("%s imports %s", dir, name)
				case pure && slices.Contains(impure, name):
					t.Errorf("%s imports %s, and is not pure any more", dir, name)
				}
			}
		}
	}
}

// TestFloors holds that the files of a package are floors: a file that is used does not reach into
// the one that uses it. At most a tenth of the references between files may run up, in the order
// of the files in which fewest do.
func TestFloors(t *testing.T) {
	fset, all := packages(t)
	for dir, files := range all {
		if _, held := mayImport[dir]; !held {
			continue
		}
		references := fileReferences(fset, files)
		order := slices.Sorted(maps.Keys(files))
		up := lower(order, references)
		total := 0
		for _, to := range references {
			total += len(to)
		}
		if 10*len(up) > total {
			t.Errorf("%s: of %d references between files, %d run up: %s", dir, total, len(up), strings.Join(up, ", "))
		}
	}
}

// packages parses the Go files of the module that are no tests: by the folder of the package, and
// by their name.
func packages(t *testing.T) (fset *token.FileSet, found map[string]map[string]*ast.File) {
	t.Helper()
	fset, found = token.NewFileSet(), map[string]map[string]*ast.File{}
	for _, root := range []string{"translate", "upstream", "proxy", "metrics", "cmd"} {
		err := fs.WalkDir(os.DirFS(".."), root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(fset, filepath.Join("..", name), nil, parser.SkipObjectResolution)
			if err != nil {
				return err
			}
			dir := path.Dir(name)
			if found[dir] == nil {
				found[dir] = map[string]*ast.File{}
			}
			found[dir][path.Base(name)] = file
			return nil
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	return fset, found
}

// fileReferences returns the files that each file of a package refers to: where what it names is
// declared, be it a function, a type, a variable, a constant, a method or a field.
func fileReferences(fset *token.FileSet, files map[string]*ast.File) map[string]map[string]bool {
	names := slices.Sorted(maps.Keys(files))
	var list []*ast.File
	for _, name := range names {
		list = append(list, files[name])
	}
	info := &types.Info{Uses: map[*ast.Ident]types.Object{}}
	config := types.Config{Importer: noImports{}, FakeImportC: true, Error: func(error) {}} // what is imported is of no interest
	pkg, _ := config.Check("p", fset, list, info)
	fileAt := func(at token.Pos) string {
		for _, name := range names {
			if f := files[name]; f.FileStart <= at && at < f.FileEnd {
				return name
			}
		}
		return ""
	}
	references := map[string]map[string]bool{}
	for ident, object := range info.Uses {
		if object.Pkg() != pkg || !object.Pos().IsValid() {
			continue
		}
		if v, isVar := object.(*types.Var); isVar && !v.IsField() && v.Parent() != pkg.Scope() {
			continue // a local variable
		}
		from, to := fileAt(ident.Pos()), fileAt(object.Pos())
		if from == to || to == "" {
			continue
		}
		if references[from] == nil {
			references[from] = map[string]bool{}
		}
		references[from][to] = true
	}
	return references
}

type noImports struct{}

func (noImports) Import(name string) (*types.Package, error) {
	p := types.NewPackage(name, path.Base(name))
	p.MarkComplete()
	return p, nil
}

// lower orders files from the top floor down, each at the place where fewest references run up,
// until no file has a better one. It returns the references that still do.
func lower(order []string, references map[string]map[string]bool) (up []string) {
	list := func() (up []string) {
		for i, from := range order {
			for _, above := range order[:i] {
				if references[from][above] {
					up = append(up, from+" to "+above)
				}
			}
		}
		return up
	}
	best := len(list())
	for better := true; better; {
		better = false
		for _, file := range slices.Clone(order) {
			at := slices.Index(order, file)
			rest := slices.Delete(slices.Clone(order), at, at+1)
			chosen := order
			for i := range len(rest) + 1 {
				order = slices.Insert(slices.Clone(rest), i, file)
				if n := len(list()); n < best {
					best, chosen, better = n, order, true
				}
			}
			order = chosen
		}
	}
	return list()
}
