package docs_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"
)

// TestDependencies holds that the program rests on few modules besides those of the two clouds. One
// more needs a reason that is better than the code it saves.
func TestDependencies(t *testing.T) {
	const most = 15
	var ours []string
	for _, match := range regexp.MustCompile(`(?m)^\t(\S+) v\S+$`).FindAllStringSubmatch(read(t, "go.mod"), -1) { // indirect ones have a comment
		if name := match[1]; !strings.HasPrefix(name, "github.com/aws/") && !strings.HasPrefix(name, "cloud.google.com/") {
			ours = append(ours, name)
		}
	}
	if len(ours) == 0 || len(ours) > most {
		t.Errorf("%d modules, and at most %d are wanted: %s", len(ours), most, strings.Join(ours, ", "))
	}
}

// TestNeverImported holds what no package of ours may do: to read XML with a library that knows
// entities, to match what a model or a client wrote with a regular expression, or to trust any
// certificate.
func TestNeverImported(t *testing.T) {
	_, all := packages(t)
	for dir, files := range all {
		if slices.Contains(testRooms, dir) {
			continue
		}
		for name, file := range files {
			for _, spec := range file.Imports {
				path := strings.Trim(spec.Path.Value, `"`)
				operators := dir+"/"+name == "translate/template.go" // which reads a file of the operator's
				if path == "encoding/xml" || path == "regexp" && !operators {
					t.Errorf("%s/%s imports %s", dir, name, path)
				}
			}
			if strings.Contains(read(t, dir+"/"+name), "InsecureSkipVerify") {
				t.Errorf("%s/%s has InsecureSkipVerify", dir, name)
			}
		}
	}
}
