package docs_test

import (
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestLeaks holds that no package leaves goroutines behind: each that has tests has a TestMain with
// goleak. The modules below conformance and deploy start programs, and are left out.
func TestLeaks(t *testing.T) {
	checked := map[string]bool{} // by folder: whether goleak ends its tests
	for _, file := range files(t, ".go") {
		dir := path.Dir(file)
		if !strings.HasSuffix(file, "_test.go") || inOwnModule(dir) {
			continue
		}
		text := read(t, file)
		if strings.Contains(text, "goleak.VerifyTestMain(m") {
			checked[dir] = true
		} else if tested.MatchString(text) && !checked[dir] {
			checked[dir] = false
		}
	}
	if len(checked) < 20 {
		t.Fatalf("%d tested packages were found", len(checked))
	}
	for dir, ok := range checked {
		if !ok {
			t.Errorf("%s has tests, and no TestMain that calls goleak.VerifyTestMain", dir)
		}
	}
}

// inOwnModule reports whether a folder is in a module of its own, below the root's.
func inOwnModule(dir string) bool {
	for ; dir != "."; dir = path.Dir(dir) {
		if _, err := os.Stat(filepath.Join(root, dir, "go.mod")); err == nil {
			return true
		}
	}
	return false
}

// tested matches a file that has something for go test to run.
var tested = regexp.MustCompile(`(?m)^func (Test|Fuzz|Benchmark|Example)`)
