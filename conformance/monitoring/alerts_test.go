package monitoring

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/prometheus/promql/parser"
	"go.yaml.in/yaml/v3"

	"dragoman/conformance/install"
)

// rules are the members of a rules file that the tests check; promtool reads the file strictly.
type rules struct {
	Groups []struct {
		Rules []rule `yaml:"rules"`
	} `yaml:"groups"`
}

type rule struct {
	Alert       string            `yaml:"alert"`
	Expr        string            `yaml:"expr"`
	Labels      map[string]string `yaml:"labels"`
	Annotations map[string]string `yaml:"annotations"`
}

// alerts returns the rules of all groups.
func alerts(t *testing.T) (all []rule) {
	t.Helper()
	var file rules
	if err := yaml.Unmarshal([]byte(read(t, monitoring+"/alerts.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	for _, group := range file.Groups {
		all = append(all, group.Rules...)
	}
	if len(all) == 0 {
		t.Fatal("there are no rules")
	}
	return all
}

// TestPromtool lets promtool read the rules, and run their unit tests.
func TestPromtool(t *testing.T) {
	install.Need(t, "promtool")
	t.Log(install.Run(t, monitoring, "promtool", "check", "rules", "alerts.yaml"))
	t.Log(install.Run(t, monitoring, "promtool", "test", "rules", "alerts_test.yaml"))
}

// TestUnitTestsFail changes the threshold of a rule: the unit tests must notice it.
func TestUnitTestsFail(t *testing.T) {
	install.Need(t, "promtool")
	folder := t.TempDir()
	install.Copy(t, folder, monitoring+"/alerts_test.yaml")
	changed := strings.Replace(read(t, monitoring+"/alerts.yaml"), "> 0.5\n", "> 0.9\n", 1)
	if err := os.WriteFile(folder+"/alerts.yaml", []byte(changed), 0o600); err != nil {
		t.Fatal(err)
	}
	output := install.Run(t, folder, "sh", "-c", "promtool test rules alerts_test.yaml || true")
	if !strings.Contains(output, "FAILED") || !strings.Contains(output, "alertname: DragomanUpstreamFailing") {
		t.Errorf("no unit test notices another threshold:\n%s", output)
	}
}

// Each alert has a unit test where it fires, and one where it does not fire.
func TestEveryAlertIsTested(t *testing.T) {
	var file struct {
		Tests []struct {
			Cases []struct {
				Alert  string      `yaml:"alertname"`
				Alerts []yaml.Node `yaml:"exp_alerts"`
			} `yaml:"alert_rule_test"`
		} `yaml:"tests"`
	}
	if err := yaml.Unmarshal([]byte(read(t, monitoring+"/alerts_test.yaml")), &file); err != nil {
		t.Fatal(err)
	}
	fires, rests := map[string]bool{}, map[string]bool{}
	for _, test := range file.Tests {
		for _, c := range test.Cases {
			fires[c.Alert] = fires[c.Alert] || len(c.Alerts) > 0
			rests[c.Alert] = rests[c.Alert] || len(c.Alerts) == 0
		}
	}
	for _, alert := range alerts(t) {
		if !fires[alert.Alert] || !rests[alert.Alert] {
			t.Errorf("%s: a test in which it fires: %v, in which it does not: %v", alert.Alert, fires[alert.Alert], rests[alert.Alert])
		}
	}
}

// Each alert has a summary, a description, and a section in the runbook with four steps. The runbook has no
// other sections. Its queries are valid.
func TestRunbook(t *testing.T) {
	runbook := read(t, root+"/docs/how-to/runbook.md")
	var sections []string
	for _, section := range strings.Split(runbook, "\n### ")[1:] {
		name, text, _ := strings.Cut(section, "\n")
		sections = append(sections, name)
		last := 0
		for _, step := range []string{"**Is it real?**", "**Find the cause.**", "**Stop the pain.**", "**Fix it.**"} {
			at := strings.Index(text, "\n"+step)
			if at < last {
				t.Errorf("%s: %s is missing, or in another place", name, step)
			}
			last = at
		}
	}
	for _, match := range regexp.MustCompile("(?ms)^```promql\n(.*?)^```$").FindAllStringSubmatch(runbook, -1) {
		if _, err := parser.NewParser(parser.Options{}).ParseExpr(match[1]); err != nil {
			t.Errorf("%s: %v", match[1], err)
		}
	}
	var names []string
	for _, alert := range alerts(t) {
		names = append(names, alert.Alert)
		if severity := alert.Labels["severity"]; severity != "critical" && severity != "warning" {
			t.Errorf("%s has the severity %q", alert.Alert, severity)
		}
		if alert.Annotations["summary"] == "" || alert.Annotations["description"] == "" {
			t.Errorf("%s has no summary or no description", alert.Alert)
		}
		if want := "docs/how-to/runbook.md#" + strings.ToLower(alert.Alert); alert.Annotations["runbook"] != want {
			t.Errorf("%s: the runbook is %q, want %q", alert.Alert, alert.Annotations["runbook"], want)
		}
	}
	if !slices.Equal(sections, names) {
		t.Errorf("the runbook has sections for %q; the alerts are %q", sections, names)
	}
}
