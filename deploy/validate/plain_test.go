package validate

import (
	"flag"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write deploy/kubernetes anew")

const plainFolder = "../kubernetes"

// made is the head of each plain manifest.
const made = `# Made from deploy/helm/dragoman with the values of deploy/helm/kubernetes.yaml. To generate it again:
# cd deploy/validate && go test . -run TestPlain -update
`

// plain are the plain manifests: the template of each, and the text at its head.
var plain = map[string]string{
	"configmap.yaml": `#
# Put your upstreams and models here. The first matching model wins. Run ` + "`" + `dragoman check` + "`" + ` before you apply
# this file, because running Pods reread it within about two minutes. Some keys need a restart
# (docs/reference/configuration.md): run ` + "`" + `kubectl rollout restart deployment dragoman` + "`" + `. Keep the Deployment's
# terminationGracePeriodSeconds above timeouts.drain.
`,
	"deployment.yaml": `#
# Before the first apply, make the key that clients must send:
#
#   kubectl create secret generic dragoman --from-literal=key="$(openssl rand -hex 32)"
#   kubectl apply -f deploy/kubernetes/
#
# Replace dragoman:dev with the image that you built and pushed. Clients in the namespace then use
# ANTHROPIC_BASE_URL=http://dragoman and that key. To replace the key, and to add a second one
# (docs/how-to/key-rotation.md):
#
#   kubectl patch secret dragoman -p "{\"stringData\":{\"key\":\"$(openssl rand -hex 32)\"}}"
#   kubectl patch secret dragoman -p "{\"stringData\":{\"next\":\"$(openssl rand -hex 32)\"}}"
`,
	"poddisruptionbudget.yaml": "",
	"service.yaml":             "",
	"serviceaccount.yaml": `#
# The identity that calls the upstreams. On EKS, either associate a role with it (Pod Identity), or, for
# IAM roles for service accounts, add to metadata:
#
#   annotations:
#     eks.amazonaws.com/role-arn: arn:aws:iam::111122223333:role/dragoman
`,
}

// ofHelm matches lines that only Helm needs, or that are wrong as soon as somebody edits the file.
var ofHelm = regexp.MustCompile(`(?m)^ *(helm\.sh/chart|app\.kubernetes\.io/(instance|version|managed-by)): .*\n|^ *annotations:\n *checksum/config: .*\n|^---\n`)

// The plain manifests equal the chart's output for their values.
func TestPlain(t *testing.T) {
	values, err := os.ReadFile("../helm/kubernetes.yaml")
	if err != nil {
		t.Fatal(err)
	}
	manifests := map[string]string{}
	text := render(t, "dragoman", string(values), versions[len(versions)-1])
	for document := range strings.SplitSeq(text, "# Source: dragoman/templates/") {
		name, text, _ := strings.Cut(document, "\n")
		if head, wanted := plain[name]; wanted {
			manifests[name] = made + head + strings.TrimSpace(ofHelm.ReplaceAllString(text, "")) + "\n"
		}
	}
	if *update {
		for name, text := range manifests {
			if err := os.WriteFile(filepath.Join(plainFolder, name), []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	there, err := filepath.Glob(filepath.Join(plainFolder, "*"))
	if err != nil || len(there) != len(plain) {
		t.Errorf("there are %q (%v), want %q", there, err, slices.Sorted(maps.Keys(plain)))
	}
	for name := range plain {
		text, err := os.ReadFile(filepath.Join(plainFolder, name))
		if err != nil || string(text) != manifests[name] {
			t.Errorf("%s is stale (%v): go test . -run TestPlain -update", name, err)
		}
	}
}
