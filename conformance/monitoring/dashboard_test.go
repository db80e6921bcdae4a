package monitoring

import (
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"dragoman/conformance/install"
)

// board has the members of the dashboard that the tests check.
type board struct {
	Panels     []panel
	Templating struct {
		List []struct {
			Name, Type string
			Query      any
		}
	}
}

type panel struct {
	ID                       int
	Type, Title, Description string
	GridPos                  struct{ X, Y, W, H int }
	Datasource               struct{ Type, UID string }
	Targets                  []struct {
		Expr, LegendFormat string
		Datasource         struct{ Type, UID string }
	}
	FieldConfig struct{ Defaults struct{ Unit string } }
}

func dashboard(t *testing.T) (b board) {
	t.Helper()
	if err := json.Unmarshal([]byte(read(t, monitoring+"/dashboard.json")), &b); err != nil {
		t.Fatal(err)
	}
	return b
}

// TestSchema checks the dashboard with the TypeScript compiler and Grafana's published types. The dashboard
// becomes a literal of these types, so an unknown member is an error.
func TestSchema(t *testing.T) {
	if problems := compile(t, read(t, monitoring+"/dashboard.json")); problems != "" {
		t.Error(problems)
	}
	for name, change := range map[string][2]string{
		"a member that there is not":    {`"editable"`, `"editible"`},
		"an option that there is not":   {`"tooltip"`, `"tolltip"`},
		"a value that is not of a set":  {`"drawStyle": "line"`, `"drawStyle": "lines"`},
		"a number in place of a string": {`"type": "stat"`, `"type": 1`},
	} {
		broken := strings.Replace(read(t, monitoring+"/dashboard.json"), change[0], change[1], 1)
		if compile(t, broken) == "" {
			t.Errorf("%s passes", name)
		}
	}
}

// compile returns the compiler's errors for a dashboard.
func compile(t *testing.T, json string) string {
	t.Helper()
	packages := install.Node(t, "schema")
	folder := t.TempDir()
	install.Copy(t, folder, "schema/types.ts", "schema/tsconfig.json")
	if err := os.Symlink(filepath.Join(packages, "node_modules"), filepath.Join(folder, "node_modules")); err != nil {
		t.Fatal(err)
	}
	literal := "import type { Literal } from './types';\nexport const dashboard: Literal = " + json + ";\n"
	if err := os.WriteFile(filepath.Join(folder, "dashboard.ts"), []byte(literal), 0o600); err != nil {
		t.Fatal(err)
	}
	return install.Run(t, folder, "sh", "-c", "node node_modules/typescript/bin/tsc || true")
}

// Every panel has its own place, a title, a description and a unit, and asks the data source that the reader
// chose.
func TestPanels(t *testing.T) {
	var ids []int
	var placed []panel
	for _, p := range dashboard(t).Panels {
		if slices.Contains(ids, p.ID) {
			t.Errorf("%s: %d is the id of two panels", p.Title, p.ID)
		}
		ids = append(ids, p.ID)
		g := p.GridPos
		if g.X < 0 || g.W < 1 || g.H < 1 || g.X+g.W > 24 {
			t.Errorf("%s is beyond the grid: %+v", p.Title, g)
		}
		for _, other := range placed {
			o := other.GridPos
			if g.X < o.X+o.W && o.X < g.X+g.W && g.Y < o.Y+o.H && o.Y < g.Y+g.H {
				t.Errorf("%s lies upon %s", p.Title, other.Title)
			}
		}
		placed = append(placed, p)
		if p.Type == "row" {
			continue
		}
		if p.Title == "" || p.Description == "" || p.FieldConfig.Defaults.Unit == "" && p.Type != "table" {
			t.Errorf("panel %d lacks a title, a description or a unit: %+v", p.ID, p)
		}
		for _, target := range p.Targets {
			if target.Datasource.UID != "${datasource}" || p.Datasource.UID != "${datasource}" {
				t.Errorf("%s asks %q", p.Title, target.Datasource.UID)
			}
		}
	}
}

// The rows are named after what an operator looks for.
func TestRows(t *testing.T) {
	var rows []string
	for _, p := range dashboard(t).Panels {
		if p.Type == "row" {
			rows = append(rows, p.Title)
		}
	}
	want := []string{"At a glance", "Traffic", "Latency", "Upstreams", "Translation quality", "Tokens", "Saturation", "Lifecycle"}
	if !slices.Equal(rows, want) {
		t.Errorf("the rows are %q", rows)
	}
}

// unshown are the metrics that no panel shows: alerts and the log report them, and the last is a limit.
var unshown = []string{"config_info", "config_last_reload_timestamp_seconds", "upstream_credentials_ok", "unknown_stop_reasons_total", "max_concurrent"}

// Every metric of the metrics page is on a panel.
func TestPanelsShowEveryMetric(t *testing.T) {
	_, table, _ := strings.Cut(read(t, root+"/docs/reference/metrics.md"), "# Metrics\n")
	table, _, _ = strings.Cut(table, "\n##")
	var shown strings.Builder
	for _, p := range dashboard(t).Panels {
		for _, target := range p.Targets {
			shown.WriteString(target.Expr + "\n")
		}
	}
	names := 0
	for _, row := range regexp.MustCompile("(?m)^\\| (`[^|]+`) \\|").FindAllStringSubmatch(table, -1) {
		for _, name := range regexp.MustCompile("[a-z_]{5,}").FindAllString(row[1], -1) {
			names++
			if strings.Contains(shown.String(), "dragoman_"+name) == slices.Contains(unshown, name) {
				t.Errorf("%s: on a panel, or among those that are not: one of the two", name)
			}
		}
	}
	if names < 25 {
		t.Errorf("the page has %d metrics", names)
	}
}
