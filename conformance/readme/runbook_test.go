package readme

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"dragoman/conformance/install"
)

// runbook is a page with commands for a cluster.
const runbook = "docs/how-to/runbook.md"

// TestRunbook runs all commands of the runbook, one after the other, in one shell. The test plays the
// cluster: its log has a line for each event that docs/reference/log.md lists, and the program in its Pod is
// the program under test.
func TestRunbook(t *testing.T) {
	install.Need(t, "bash")
	install.Need(t, "curl")
	page, err := os.ReadFile(filepath.Join(root, "docs/reference/log.md"))
	if err != nil {
		t.Fatal(err)
	}
	_, events, _ := strings.Cut(string(page), "\n## Events\n")
	events, _, _ = strings.Cut(events, "\n## ")
	var log strings.Builder
	for _, match := range regexp.MustCompile("(?m)^\\| `([a-z_]+)` \\|").FindAllStringSubmatch(events, -1) {
		for _, status := range []string{"429", "500"} {
			log.WriteString(`[pod/dragoman-0/dragoman] {"level":"error","event":"` + match[1] + `","error":"why","model":"m","format":"json",` +
				`"tool_call_reasons":["none"],"key_id":"k","status":` + status + "}\n")
		}
	}
	folder := t.TempDir()
	link(t, folder)
	write(t, folder, "log", log.String())
	player := func(name, script string) {
		write(t, folder, name, "#!/bin/bash\n"+script)
		if err := os.Chmod(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	player("kubectl", `case "$1" in
logs) cat "`+folder+`/log" ;;
exec) exec "${@:4:2}" --simulated --online ;;
get|describe|port-forward|rollout|scale) ;;
*) echo "kubectl has no $1" >&2; exit 1 ;;
esac
`)
	player("helm", `case "$1 $3" in
"upgrade deploy/helm/dragoman") test -d "`+absolute(t, root)+`/$3" ;;
"rollback ") ;;
*) echo "helm has no $*" >&2; exit 1 ;;
esac
`)
	var script strings.Builder
	script.WriteString("set -euo pipefail\nPATH=" + folder + ":$PATH\n")
	for _, b := range blocks(t, runbook) {
		if b.language == "sh" {
			script.WriteString(b.code)
		}
	}
	const admin = "http://127.0.0.1:8485"
	if !strings.Contains(script.String(), admin) {
		t.Errorf("no command asks %s", admin)
	}
	output := install.Run(t, folder, "bash", "-c", strings.ReplaceAll(script.String(), admin, serveWith(t, "./dragoman serve --simulated").AdminURL))
	contains(t, output, "ready\n", "online    simulated: ")
}

func absolute(t *testing.T, path string) string {
	t.Helper()
	path, err := filepath.Abs(path)
	if err != nil {
		t.Fatal(err)
	}
	return path
}
