package inject

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"sigs.k8s.io/yaml"
)

// Kyverno's own program changes every example as the API server does. A second run changes nothing more.
//
// The test runs only if DRAGOMAN_KYVERNO is set, because building Kyverno from scratch takes longer than all
// other tests together.
func TestKyverno(t *testing.T) {
	if os.Getenv("DRAGOMAN_KYVERNO") == "" {
		t.Skip("DRAGOMAN_KYVERNO=1 runs it")
	}
	binary := kyverno(t)
	first, second := t.TempDir(), t.TempDir()
	all := filepath.Join(t.TempDir(), "pods.yaml")
	writePods(t, all)
	apply(t, binary, all, first)
	apply(t, binary, first, second)
	for _, e := range examples(t) {
		t.Run(e.name, func(t *testing.T) {
			want := e.want.DeepCopy()
			want.Name = e.name
			got := mutated(t, first, e.name)
			if diff := difference(want, got); diff != "" {
				t.Errorf("wrong result (-want +got):\n%s", diff)
			}
			if diff := difference(got, mutated(t, second, e.name)); diff != "" {
				t.Errorf("the second pass changes it (-first +second):\n%s", diff)
			}
		})
	}
}

// kyverno returns the program that the module beside this folder pins. The first build takes minutes; Go
// caches it.
func kyverno(t *testing.T) string {
	t.Helper()
	build := exec.Command("go", "tool", "-n", "kubectl-kyverno")
	build.Dir = filepath.Join("..", "kyverno")
	var problems strings.Builder
	build.Stderr = &problems
	path, err := build.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, &problems)
	}
	return strings.TrimSpace(string(path))
}

// writePods writes the examples to a file, with names that give each its own output file.
func writePods(t *testing.T, file string) {
	t.Helper()
	var text bytes.Buffer
	for _, e := range examples(t) {
		pod := e.created.DeepCopy()
		pod.Name = e.name
		document, err := yaml.Marshal(pod)
		if err != nil {
			t.Fatal(err)
		}
		text.WriteString("---\n")
		text.Write(document)
	}
	if err := os.WriteFile(file, text.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
}

// apply runs the policy on Pods from a file or a folder.
func apply(t *testing.T, binary, pods, output string) {
	t.Helper()
	cmd := exec.Command(binary, "apply", filepath.Join(policies, "kyverno.yaml"), "--resource", pods, "--output", output+"/", "--remove-color")
	text, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(text), "fail: 0, warn: 0, error: 0") {
		t.Fatalf("kyverno apply: %v\n%s", err, text)
	}
}

// mutated reads the result for one Pod.
func mutated(t *testing.T, folder, name string) *corev1.Pod {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, name+"-mutated.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	pods, err := objectsOf[*corev1.Pod](bytes.TrimSuffix(bytes.TrimSpace(text), []byte("---")))
	if err != nil || len(pods) != 1 {
		t.Fatalf("%d Pods (%v) in:\n%s", len(pods), err, text)
	}
	return pods[0]
}
