// Package inject runs the policies of deploy/inject on real Pods. It runs the API server's policy in the API
// server's own admission plugin, and Kyverno's policy in Kyverno's own program. Both must pass the same
// examples in testdata.
package inject

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"dragoman/deploy/validate/kube"
)

// policies is the folder under test.
var policies = filepath.Join("..", "..", "inject")

// example is a Pod before and after admission.
type example struct {
	name          string
	created, want *corev1.Pod
}

// examples reads testdata. Each file has two Pods, before and after. The Pods in untouched.yaml must not
// change.
func examples(t *testing.T) []example {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no examples (%v)", err)
	}
	var all []example
	for _, file := range files {
		pods := decode[*corev1.Pod](t, file)
		name := strings.TrimSuffix(filepath.Base(file), ".yaml")
		if name != "untouched" {
			if len(pods) != 2 {
				t.Fatalf("%s has %d Pods, want before and after", file, len(pods))
			}
			all = append(all, example{name, pods[0], pods[1]})
			continue
		}
		for _, pod := range pods {
			all = append(all, example{pod.Name, pod, pod.DeepCopy()})
		}
	}
	return all
}

// If a policy fails, Pods must still start.
func TestFailurePolicy(t *testing.T) {
	for _, name := range []string{"mutatingadmissionpolicy.yaml", "kyverno.yaml"} {
		text, err := os.ReadFile(filepath.Join(policies, name))
		if err != nil {
			t.Fatal(err)
		}
		var policy struct {
			Spec struct{ FailurePolicy string }
		}
		if err := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 1024).Decode(&policy); err != nil {
			t.Fatal(err)
		}
		if policy.Spec.FailurePolicy != "Ignore" {
			t.Errorf("%s: failure policy %q", name, policy.Spec.FailurePolicy)
		}
	}
}

// decode reads the objects of a file strictly: unknown and duplicate fields fail the test.
func decode[T runtime.Object](t *testing.T, file string) []T {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	objects, err := objectsOf[T](text)
	if err != nil {
		t.Fatalf("%s: %v", file, err)
	}
	return objects
}

func objectsOf[T runtime.Object](text []byte) ([]T, error) {
	all, err := kube.DecodeAll(text)
	var objects []T
	for _, object := range all {
		if object, ok := object.(T); ok {
			objects = append(objects, object)
		}
	}
	return objects, err
}

// difference describes how two Pods differ; "" if they do not. It ignores the order of volumes and variables:
// no variable here refers to another.
func difference(want, got *corev1.Pod) string {
	return cmp.Diff(sorted(want), sorted(got), cmpopts.EquateEmpty())
}

func sorted(pod *corev1.Pod) *corev1.Pod {
	pod = pod.DeepCopy()
	pod.TypeMeta = metav1.TypeMeta{}
	slices.SortFunc(pod.Spec.Volumes, func(a, b corev1.Volume) int { return strings.Compare(a.Name, b.Name) })
	for _, containers := range [][]corev1.Container{pod.Spec.InitContainers, pod.Spec.Containers} {
		for _, c := range containers {
			slices.SortFunc(c.Env, func(a, b corev1.EnvVar) int { return strings.Compare(a.Name, b.Name) })
		}
	}
	return pod
}
