package monitoring

import (
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"

	"dragoman/conformance/install"
)

// rules is what the tests look at of a file of rules; promtool reads it strictly.
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

// TestPromtool has promtool read the rules, and run their unit tests.
func TestPromtool(t *testing.T) {
	install.Need(t, "promtool")
	t.Log(install.Run(t, monitoring, "promtool", "check", "rules", "alerts.yaml"))
	t.Log(install.Run(t, monitoring, "promtool", "test", "rules", "alerts_test.yaml"))
}

// TestUnitTestsFail changes the threshold of a rule: unit tests that hold whatever the rules say would be
// worth nothing.
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
		t.Errorf("nobody notices another threshold:\n%s", output)
	}
}

// Each alert has a unit test in which it fires, and one in which it does not.
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

// Each alert says what it is about, and has a section of the runbook; and the runbook has no others.
func TestRunbook(t *testing.T) {
	var sections []string
	for _, match := range regexp.MustCompile(`(?m)^### (\w+)$`).FindAllStringSubmatch(read(t, root+"/docs/runbook.md"), -1) {
		sections = append(sections, match[1])
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
		if want := "docs/runbook.md#" + strings.ToLower(alert.Alert); alert.Annotations["runbook"] != want {
			t.Errorf("%s: the runbook is %q, want %q", alert.Alert, alert.Annotations["runbook"], want)
		}
	}
	if !slices.Equal(sections, names) {
		t.Errorf("the runbook has sections for %q; the alerts are %q", sections, names)
	}
}
