package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
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
	"translate/rawjson":           nil,
	"translate/markup":            {"translate/messages"},
	"translate/messages":          {"translate/rawjson"},
	"translate/golden":            {"translate/rawjson", "translate/messages"},
	"translate/schema":            {"translate/rawjson", "translate/markup"},
	"translate/langid":            nil,
	"translate/memo":              nil,
	"translate/language":          nil,
	"translate/format":            {"translate/language", "translate/rawjson", "translate/markup", "translate/messages", "translate/schema"},
	"translate/prompt":            {"translate/format", "translate/language", "translate/rawjson", "translate/markup", "translate/messages", "translate/schema", "translate/langid", "translate/memo"},
	"translate/answer/held":       {"translate/format", "translate/rawjson", "translate/markup", "translate/messages", "translate/schema"},
	"translate/answer/emit":       {"translate/prompt", "translate/format", "translate/rawjson", "translate/markup", "translate/messages", "translate/schema"},
	"translate/answer/completion": {"translate/markup"},
	"translate/answer/tagged":     {"translate/answer/completion", "translate/answer/emit", "translate/answer/held", "translate/format", "translate/rawjson", "translate/markup", "translate/messages", "translate/schema"},
	"translate/answer":            {"translate/answer/completion", "translate/answer/emit", "translate/answer/held", "translate/answer/tagged", "translate/prompt", "translate/format", "translate/language", "translate/rawjson", "translate/markup", "translate/messages", "translate/schema"},
	"translate/constrain":         {"translate/prompt", "translate/format", "translate/markup", "translate/rawjson", "translate/messages", "translate/schema"},
	"translate":                   {"translate/answer", "translate/answer/completion", "translate/answer/held", "translate/constrain", "translate/prompt", "translate/format", "translate/language", "translate/memo", "translate/messages"},
	"upstream/converse":           nil,
	"upstream/eventstream":        nil,
	"upstream":                    {"translate", "translate/rawjson", "translate/messages", "upstream/converse"},
	"upstream/simulated":          {"translate", "translate/messages", "translate/schema", "upstream"},
	"metrics":                     {"translate/messages"},
	"proxy/internal/replay":       nil,
	"proxy/nearest":               nil,
	"proxy/convert":               {"translate", "translate/rawjson", "translate/messages", "upstream", "upstream/converse"},
	"proxy/check":                 {"translate", "translate/memo", "translate/messages", "translate/schema"},
	"proxy":                       {"translate", "translate/rawjson", "translate/messages", "upstream", "upstream/converse", "upstream/eventstream", "metrics", "proxy/convert", "proxy/check", "proxy/internal/replay", "proxy/nearest"},
	"proxy/inspector":             {"translate", "translate/rawjson", "translate/messages", "upstream", "metrics", "proxy", "proxy/convert", "proxy/internal/replay"},
	"proxy/telemetry":             {"translate", "translate/messages", "upstream", "metrics", "proxy"},
	"cmd/dragoman/internal/":      {"translate", "translate/rawjson", "translate/messages", "upstream", "proxy", "proxy/nearest", "proxy/telemetry"},

	"cmd/dragoman/internal/terminal": nil,
	"cmd/dragoman/internal/logging":  {"cmd/dragoman/internal/config", "cmd/dragoman/internal/terminal"},
	"cmd/dragoman/internal/serve": {
		"cmd/dragoman/internal/config", "cmd/dragoman/internal/logging", "upstream", "upstream/simulated", "metrics", "proxy", "proxy/inspector", "proxy/telemetry",
	},
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
	for dir, files := range packages(t) {
		allowed, known := mayImport[dir]
		for prefix, list := range mayImport {
			if !known && strings.HasSuffix(prefix, "/") && strings.HasPrefix(dir, prefix) {
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

// packages parses the Go files of the module that are no tests: by the folder of the package, and
// by their name.
func packages(t *testing.T) map[string]map[string]*ast.File {
	t.Helper()
	found := map[string]map[string]*ast.File{}
	for _, root := range []string{"translate", "upstream", "proxy", "metrics", "cmd"} {
		err := fs.WalkDir(os.DirFS(".."), root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || !strings.HasSuffix(name, ".go") || strings.HasSuffix(name, "_test.go") {
				return err
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join("..", name), nil, parser.SkipObjectResolution)
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
	return found
}
