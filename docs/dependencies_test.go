package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// reasons say what each module that the program depends on is for. One whose name ends with a slash
// stands for all below it.
var reasons = map[string]string{
	"cloud.google.com/go/compute/metadata":     "the project and region of a machine on Google Cloud",
	"github.com/KimMachineGun/automemlimit":    "the memory limit of the control groups, of both versions",
	"github.com/aws/":                          "credentials, signatures and operations of Bedrock",
	"github.com/cenkalti/backoff/v5":           "the pauses between attempts",
	"github.com/go-chi/chi/v5":                 "routes",
	"github.com/go-json-experiment/json":       "JSON, read strictly: duplicate names and invalid UTF-8 are errors",
	"github.com/google/go-cmp":                 "tests: differences",
	"github.com/mattn/go-isatty":               "whether a person reads the output",
	"github.com/prometheus/":                   "metrics",
	"github.com/rs/zerolog":                    "the log, without an allocation for a line",
	"github.com/santhosh-tekuri/jsonschema/v6": "JSON Schema: structured output and the arguments of calls are checked",
	"github.com/spf13/":                        "commands, help, completion in shells and manual pages (cobra), flags (pflag)",
	"go.opentelemetry.io/contrib/":             "exporters and propagators, as the variables of OpenTelemetry name them",
	"go.opentelemetry.io/otel":                 "telemetry: its attributes and errors",
	"go.opentelemetry.io/otel/":                "telemetry: spans, sampling, batches",
	"go.uber.org/goleak":                       "tests: goroutines that are left",
	"go.yaml.in/yaml/v3":                       "the configuration, with the lines of its problems",
	"golang.org/x/oauth2":                      "credentials of Google",
	"golang.org/x/sys":                         "the terminal's group of processes",
	"golang.org/x/tools":                       "tests: txtar",
}

// TestDependencies holds that each module which go.mod requires for our own code has its reason, and
// that no reason is left of one that is gone.
func TestDependencies(t *testing.T) {
	used := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(read(t, "go.mod"), -1) { // indirect ones have a comment
		name := match[1]
		if owner := regexp.MustCompile(`^.*?/.*?/`).FindString(name); reasons[owner] != "" {
			name = owner
		} else if reasons[name] == "" {
			t.Errorf("%s has no reason", name)
		}
		used[name] = true
	}
	for name := range reasons {
		if !used[name] {
			t.Errorf("%s has a reason, and is not required", name)
		}
	}
}

// TestSameVersions holds that conformance has the modules of the program in the versions that the program has: Go then
// compiles each once for both.
func TestSameVersions(t *testing.T) {
	required := regexp.MustCompile(`(?m)^\t(\S+) (v\S+)`)
	versions := map[string]string{}
	for _, match := range required.FindAllStringSubmatch(read(t, "conformance/go.mod"), -1) {
		versions[match[1]] = match[2]
	}
	for _, match := range required.FindAllStringSubmatch(read(t, "go.mod"), -1) {
		if other := versions[match[1]]; other != "" && other != match[2] {
			t.Errorf("%s is %s in go.mod and %s in conformance/go.mod: run go get %[1]s@VERSION in both", match[1], match[2], other)
		}
	}
}

// TestNeverImported holds what no package of ours may do: to read XML with a library that knows
// entities, to match what a model or a client wrote with a regular expression of ours, or to trust any
// certificate.
func TestNeverImported(t *testing.T) {
	for dir, files := range packages(t) {
		if slices.Contains(testRooms, dir) {
			continue
		}
		for name, file := range files {
			for _, spec := range file.Imports {
				path := strings.Trim(spec.Path.Value, `"`)
				// The first reads a file of the operator's, the second has the patterns of a client's schema.
				mayMatch := slices.Contains([]string{"translate/prompt/template.go", "translate/schema/patterns.go"}, dir+"/"+name)
				if path == "encoding/xml" || path == "regexp" && !mayMatch {
					t.Errorf("%s/%s imports %s", dir, name, path)
				}
			}
			if strings.Contains(read(t, dir+"/"+name), "InsecureSkipVerify") {
				t.Errorf("%s/%s has InsecureSkipVerify", dir, name)
			}
		}
	}
}
