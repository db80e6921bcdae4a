package docs_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestSignals holds that docs/reference/metrics.md has a row for each metric, of what to do when it moves, and
// docs/reference/log.md for each field of the line of an exchange.
func TestSignals(t *testing.T) {
	metric := regexp.MustCompile(`r\.(?:gauge|gauges|counter|counters|histograms)\("([a-z_]+)"`)
	var metrics strings.Builder
	for _, file := range files(t, ".go") {
		if path.Dir(file) == "metrics" {
			metrics.WriteString(read(t, file))
		}
	}
	checkRows(t, below(t, read(t, "docs/reference/metrics.md"), "## When one moves"), metric.FindAllStringSubmatch(metrics.String(), -1), 20)

	line := read(t, "proxy/record_log.go")
	line, _, _ = strings.Cut(line[strings.Index(line, ") log() {"):], "\n}\n")
	field := regexp.MustCompile(`(?:\{|\b(?:Str|Int|Int64|Bool|Float64|Strs)\()"([a-z_]+)"`)
	checkRows(t, below(t, read(t, "docs/reference/log.md"), "## Fields of an exchange"), field.FindAllStringSubmatch(line, -1), 25)
}

// TestEvents holds that each line of the log of level warn or error has a word for its event, and that
// docs/reference/log.md says of each word what to do.
func TestEvents(t *testing.T) {
	var events [][]string
	for _, path := range files(t, ".go") {
		if strings.HasSuffix(path, "_test.go") || strings.HasPrefix(path, "conformance/") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), filepath.Join(root, path), nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			line, ok := n.(*ast.CallExpr)
			if !ok || len(line.Args) > 0 {
				return true
			}
			calls := chain(line)
			if calls[0] != "Send" || slices.Contains(calls, "Info") || slices.Contains(calls, "Debug") {
				return true
			}
			i := slices.IndexFunc(calls, func(call string) bool { return strings.HasPrefix(call, "event ") })
			switch {
			case i >= 0:
				events = append(events, strings.Split(calls[i], " "))
			case !slices.Contains(calls, "msg exchange"): // only some of them are warnings
				t.Errorf("%s: a line of the log has no event: %q", path, calls)
			}
			return true
		})
	}
	events = append(events, []string{"", "exchange_failed"}, []string{"", "line_too_long"})
	checkRows(t, below(t, read(t, "docs/reference/log.md"), "## Events"), events, 20)
}

// chain returns the names of the methods that are called one on the result of another, the last one first. A call of
// Str with two literals is "name value".
func chain(call *ast.CallExpr) (names []string) {
	for call != nil {
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok {
			return append(names, "")
		}
		name := method.Sel.Name
		if name == "Str" && len(call.Args) == 2 {
			name = literal(call.Args[0]) + " " + literal(call.Args[1])
		}
		names = append(names, name)
		call, _ = method.X.(*ast.CallExpr)
	}
	return names
}

// literal returns the text of a literal, or "" for another expression.
func literal(e ast.Expr) string {
	if l, ok := e.(*ast.BasicLit); ok {
		return strings.Trim(l.Value, `"`)
	}
	return ""
}

// below returns what stands below a heading, up to the next one.
func below(t *testing.T, page, heading string) string {
	t.Helper()
	_, text, ok := strings.Cut(page, "\n"+heading+"\n")
	if !ok {
		t.Fatalf("there is no %q", heading)
	}
	text, _, _ = strings.Cut(text, "\n#")
	return text
}

// checkRows holds that each name stands in the first column of a row that says something, and that there
// are at least as many names as it is known.
func checkRows(t *testing.T, table string, names [][]string, least int) {
	t.Helper()
	if len(names) < least {
		t.Fatalf("%d names were found: %q", len(names), names)
	}
	for _, name := range names {
		row := regexp.MustCompile("(?m)^\\| [^|]*`" + name[1] + "`[^|]*\\| [^| ][^|]* \\|")
		if !row.MatchString(table) {
			t.Errorf("there is no row for %s", name[1])
		}
	}
}
