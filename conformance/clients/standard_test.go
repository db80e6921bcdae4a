package clients

import (
	"cmp"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"dragoman/conformance"
	"dragoman/conformance/install"
)

// standard is a case of LangChain's standard tests in pytest's report.
type standard struct {
	Class   string  `xml:"classname,attr"` // after the name of its file
	Name    string  `xml:"name,attr"`
	Skipped *remark `xml:"skipped"`
	Failed  *remark `xml:"failure"`
	Broken  *remark `xml:"error"` // a failure before or after the case itself
}

type remark struct {
	Message string `xml:"message,attr"`
}

// TestStandard runs LangChain's own tests of a chat model against the simulated model, and compares the
// results with the list. A case that cannot pass is in the list with a reason and with its error, so that it
// may fail only with that error.
func TestStandard(t *testing.T) {
	folder := filepath.Join("..", "langchain")
	list := filepath.Join(folder, "standard.txt")
	committed, err := os.ReadFile(list)
	if err != nil {
		t.Fatal(err)
	}
	got := listing(t, runStandard(t, folder), reasonsIn(string(committed)))
	switch {
	case got == string(committed):
	case *update:
		if err := os.WriteFile(list, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	default:
		t.Errorf("%s (-committed +got):\n%s", list, gocmp.Diff(strings.Split(string(committed), "\n"), strings.Split(got, "\n")))
	}
}

// runStandard runs pytest next to a copy of the folder, because it leaves files behind.
func runStandard(t *testing.T, folder string) []standard {
	t.Helper()
	python := install.Python(t, filepath.Join(folder, "requirements.txt"))
	beside := t.TempDir()
	if err := os.CopyFS(beside, os.DirFS(folder)); err != nil {
		t.Fatal(err)
	}
	cmd := command(beside, python, "-m", "pytest", "--junit-xml=report.xml", "--quiet", "--tb=short")
	cmd.Env = append(cmd.Env, "DRAGOMAN_URL="+conformance.Serve(t, nil, "--simulated"))
	var output strings.Builder
	cmd.Stdout, cmd.Stderr = &output, &output
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	kill := time.AfterFunc(standardTime, func() { _ = cmd.Process.Kill() })
	defer kill.Stop()
	err := cmd.Wait()
	t.Log(output.String())
	if err != nil && cmd.ProcessState.ExitCode() != someFailed {
		t.Fatal(err)
	}
	report, err := os.ReadFile(filepath.Join(beside, "report.xml"))
	if err != nil {
		t.Fatal(err)
	}
	var suites struct {
		Cases []standard `xml:"testsuite>testcase"`
	}
	if err := xml.Unmarshal(report, &suites); err != nil {
		t.Fatal(err)
	}
	return suites.Cases
}

// standardTime limits all tests together, on a busy machine.
const standardTime = 5 * time.Minute

// someFailed is pytest's exit code if it has run every case and some failed.
const someFailed = 1

const standardHead = `# LangChain's standard tests of a chat model: what comes of each, against dragoman serve --simulated.
# A case that cannot pass has the error that it ends in, and why.
`

// listing has a line for each case: its name, its result, and the reason if it did not pass. reasons must
// contain the reason for a failure.
func listing(t *testing.T, cases []standard, reasons map[string]string) string {
	t.Helper()
	var out strings.Builder
	out.WriteString(standardHead)
	columns := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, c := range cases {
		name := c.Class[strings.LastIndex(c.Class, ".")+1:] + "." + c.Name
		switch failed := cmp.Or(c.Failed, c.Broken); {
		case failed != nil:
			kind, _, _ := strings.Cut(failed.Message, ":")
			if reasons[name] == "" {
				t.Errorf("%s fails: %s", name, failed.Message)
			}
			fmt.Fprintf(columns, "%s\t%s\t%s\n", name, kind, reasons[name])
		case c.Skipped != nil:
			fmt.Fprintf(columns, "%s\tskipped\t%s\n", name, c.Skipped.Message)
		default:
			fmt.Fprintf(columns, "%s\tpasses\n", name)
		}
	}
	_ = columns.Flush() // cannot fail: a builder accepts everything
	return out.String()
}

// reasonsIn returns the third column of a listing, by the first column.
func reasonsIn(listing string) map[string]string {
	reasons := make(map[string]string)
	for line := range strings.Lines(listing) {
		name, rest, _ := strings.Cut(line, " ")
		_, reason, _ := strings.Cut(strings.TrimSpace(rest), "  ")
		reasons[name] = strings.TrimSpace(reason)
	}
	return reasons
}
