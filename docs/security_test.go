package docs_test

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRequirements holds that SECURITY.md has each of the requirements R1 to R80 once, and that the
// tests that it names are there.
func TestRequirements(t *testing.T) {
	page := read(t, "SECURITY.md")
	for n := 1; n <= 80; n++ {
		if rows := strings.Count(page, fmt.Sprintf("\n| R%d | ", n)); rows != 1 {
			t.Errorf("R%d has %d rows", n, rows)
		}
	}
	declared := testNames(t)
	named := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Za-z0-9]+)`").FindAllStringSubmatch(page, -1)
	if len(named) < 100 {
		t.Errorf("only %d tests are named", len(named))
	}
	for _, name := range named {
		if !declared[name[1]] {
			t.Errorf("there is no %s", name[1])
		}
	}
}

// testNames returns the names of all tests, in all modules.
func testNames(t *testing.T) map[string]bool {
	t.Helper()
	names := map[string]bool{}
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)\w+)\(`)
	err := filepath.WalkDir("..", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		source, err := os.ReadFile(path)
		for _, match := range function.FindAllSubmatch(source, -1) {
			names[string(match[1])] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
