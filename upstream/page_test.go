package upstream

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/reference/chat-servers.md")

// numberMarks are the numbers of a [limitWording], as the page shows them.
var numberMarks = strings.NewReplacer("%m", "LIMIT", "%i", "INPUT", "%a", "INPUT", "%o", "OUTPUT", "%w", "WINDOW", "%d", "N")

// docs/reference/chat-servers.md lists every wording that Dragoman knows, with its source.
func TestWordingsPage(t *testing.T) {
	var limits strings.Builder
	limits.WriteString("\n| the message begins with | source |\n| --- | --- |\n")
	for _, wording := range limitRefusals {
		fmt.Fprintf(&limits, "| `%s` | %s |\n", numberMarks.Replace(wording.text), wording.source)
	}
	holdTable(t, "limits", limits.String())
	var members strings.Builder
	members.WriteString("\n| the message begins with | source |\n| --- | --- |\n")
	for _, wording := range memberRefusals {
		fmt.Fprintf(&members, "| `%sMEMBER%s` | %s |\n", numberMarks.Replace(wording.before), wording.after, wording.source)
	}
	holdTable(t, "members", members.String())
}

// holdTable fails if a table of the page is not up to date. With -update, it writes the table.
func holdTable(t *testing.T, name, table string) {
	t.Helper()
	const path = "../docs/reference/chat-servers.md"
	page, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok := strings.Cut(string(page), "<!-- "+name+": go test ./upstream -run Page -update -->\n")
	_, after, ended := strings.Cut(rest, "\n<!-- /"+name+" -->\n")
	if !ok || !ended {
		t.Fatalf("%s has no place for the table %s", path, name)
	}
	want := before + "<!-- " + name + ": go test ./upstream -run Page -update -->\n" + table + "\n<!-- /" + name + " -->\n" + after
	switch {
	case *update:
		if err := os.WriteFile(path, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	case want != string(page):
		t.Errorf("the table %s is not up to date: go test ./upstream -run Page -update", name)
	}
}
