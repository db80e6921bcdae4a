package monitoring

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/promql/parser"
)

// loadTime limits the time until every query has data.
const loadTime = 2 * time.Minute

var (
	// unseen are values that the load cannot cause. A shutdown that cuts streams ends the metrics, and alerts
	// take longer to fire than the test runs.
	unseen = []string{`outcome="drain"`, `alertstate="firing"`}
	// targets are labels that Prometheus adds; namespace exists only in Kubernetes.
	targets = []string{"job", "instance", "namespace"}
	// variables replaces Grafana's variables with values.
	variables = strings.NewReplacer("$__rate_interval", "5s", "$__range", "1m",
		"$job", ".*", "$model", ".*", "$upstream", ".*")
	alternatives = regexp.MustCompile(`^[a-z0-9_|]+$`)
)

// TestQueries sends every query of the alerts and the dashboard to a Prometheus that scrapes a dragoman under
// load. Each selector must find series, for each of the values that it names, with the labels by which the
// query groups. Every panel must have something to draw, with the labels of its legend.
func TestQueries(t *testing.T) {
	p := scrape(t, load(t))
	t.Run("alerts", func(t *testing.T) {
		for _, alert := range alerts(t) {
			t.Run(alert.Alert, func(t *testing.T) { p.check(t, alert.Expr) })
		}
	})
	for _, panel := range dashboard(t).Panels {
		for _, target := range panel.Targets {
			expr := variables.Replace(target.Expr)
			t.Run(panel.Title, func(t *testing.T) {
				p.check(t, expr)
				p.draws(t, expr, target.LegendFormat)
			})
		}
	}
	for _, variable := range dashboard(t).Templating.List {
		if variable.Type == "query" {
			t.Run("$"+variable.Name, func(t *testing.T) { p.checkVariable(t, variable.Query.(map[string]any)["query"].(string)) })
		}
	}
}

// check checks the selectors of a query, and the labels by which it groups.
func (p prometheus) check(t *testing.T, expr string) {
	t.Helper()
	parsed, err := parser.NewParser(parser.Options{}).ParseExpr(expr)
	if err != nil {
		t.Fatalf("%s: %v", expr, err)
	}
	if _, err := p.query(expr); err != nil { // this Prometheus may be older than the parser
		t.Errorf("%s: %v", expr, err)
	}
	parser.Inspect(parsed, func(node parser.Node, _ []parser.Node) error {
		switch node := node.(type) {
		case *parser.VectorSelector:
			for _, selector := range alternativesOf(node) {
				if !slices.ContainsFunc(unseen, func(matcher string) bool { return strings.Contains(selector, matcher) }) {
					eventually(t, loadTime, func() string { return p.lacks(selector) })
				}
			}
		case *parser.AggregateExpr:
			p.checkLabels(t, node, node.Grouping)
		case *parser.BinaryExpr:
			if node.VectorMatching != nil {
				p.checkLabels(t, node, node.VectorMatching.MatchingLabels)
			}
		}
		return nil
	})
}

// alternativesOf returns a selector. If one of its matchers names several values, it returns a selector for
// each value, because the other values would hide a misspelled one.
func alternativesOf(selector *parser.VectorSelector) []string {
	found := []string{""}
	for _, m := range selector.LabelMatchers {
		values := []string{m.String()}
		if m.Type == labels.MatchRegexp && alternatives.MatchString(m.Value) {
			values = nil
			for value := range strings.SplitSeq(m.Value, "|") {
				values = append(values, fmt.Sprintf("%s=%q", m.Name, value))
			}
		}
		var more []string
		for _, before := range found {
			for _, value := range values {
				more = append(more, before+value+",")
			}
		}
		found = more
	}
	for i := range found {
		found[i] = "{" + found[i] + "}"
	}
	return found
}

// lacks returns a problem if the selector finds nothing; otherwise "".
func (p prometheus) lacks(selector string) string {
	found, err := p.query("last_over_time(" + selector + "[5m])")
	if err != nil || len(found) == 0 {
		return fmt.Sprintf("%s selects nothing (%v)", selector, err)
	}
	return ""
}

// checkLabels checks that the series of an expression have the labels.
func (p prometheus) checkLabels(t *testing.T, expr parser.Expr, names []string) {
	t.Helper()
	for _, name := range names {
		if !slices.Contains(targets, name) {
			eventually(t, loadTime, func() string { return p.lacksLabel(expr, name) })
		}
	}
}

// lacksLabel returns a problem if no series of an expression has the label; otherwise "".
func (p prometheus) lacksLabel(expr parser.Expr, name string) string {
	problem := fmt.Sprintf("%s: nothing in it has a label %s", expr, name)
	parser.Inspect(expr, func(node parser.Node, _ []parser.Node) error {
		if selector, ok := node.(*parser.VectorSelector); ok {
			if p.lacks(fmt.Sprintf("{__name__=%q,%s!=\"\"}", selector.Name, name)) == "" {
				problem = ""
			}
		}
		return nil
	})
	return problem
}

var inLegend = regexp.MustCompile(`{{(\w+)}}`)

// draws checks that a panel has something to draw, and that the series have the labels of the legend.
func (p prometheus) draws(t *testing.T, expr, legend string) {
	t.Helper()
	var drawn series
	eventually(t, loadTime, func() (problem string) {
		var err error
		if drawn, err = p.queryRange(expr); err != nil || len(drawn) == 0 {
			return fmt.Sprintf("%s draws nothing (%v)", expr, err)
		}
		return ""
	})
	for _, match := range inLegend.FindAllStringSubmatch(legend, -1) {
		for _, labels := range drawn {
			if labels[match[1]] == "" {
				t.Errorf("the legend %s has no %s in %v", legend, match[1], labels)
			}
		}
	}
}

var labelValues = regexp.MustCompile(`^label_values\((.*), (\w+)\)$`)

// checkVariable checks that a variable of the dashboard has values.
func (p prometheus) checkVariable(t *testing.T, query string) {
	t.Helper()
	match := labelValues.FindStringSubmatch(query)
	if match == nil {
		t.Fatalf("%q is not label_values", query)
	}
	eventually(t, loadTime, func() string { // after a scrape that failed, there is nothing until the next one
		found, err := p.query(variables.Replace(match[1]))
		if err != nil || len(found) == 0 || found[0][match[2]] == "" {
			return fmt.Sprintf("%s gives %v (%v)", query, found, err)
		}
		return ""
	})
}
