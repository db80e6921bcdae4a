// Package inject runs the policies of deploy/inject over real Pods: the one for the API server in the
// API server's own admission plugin, the one for Kyverno in Kyverno's own program. Both are held to the
// same examples in testdata.
package inject

import (
	"bufio"
	"bytes"
	"errors"
	"io"
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
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	podsecurity "k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// policies is the folder under test.
var policies = filepath.Join("..", "..", "inject")

// example is a Pod as it is created, and as it has to come out of admission.
type example struct {
	name          string
	created, want *corev1.Pod
}

// examples reads testdata: files of two Pods, before and after, and untouched.yaml, whose Pods stay as
// they are.
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

// A policy that fails must not keep Pods from starting.
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

// decode reads the objects of a file strictly: an unknown or doubled field fails the test.
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
	decoder := serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
	var objects []T
	for reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		object, _, err := decoder.Decode(document, nil, nil)
		if err != nil {
			return nil, err
		}
		if object, ok := object.(T); ok {
			objects = append(objects, object)
		}
	}
}

// checkSecurity fails if a Pod breaks the profile "restricted" of the Pod Security Standards, as the
// admission plugin of Kubernetes judges it.
func checkSecurity(t *testing.T, pod *corev1.Pod) {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	level := podsecurity.LevelVersion{Level: podsecurity.LevelRestricted, Version: podsecurity.LatestVersion()}
	for _, result := range evaluator.EvaluatePod(level, &pod.ObjectMeta, &pod.Spec) {
		if !result.Allowed {
			t.Errorf("not restricted: %s: %s", result.ForbiddenReason, result.ForbiddenDetail)
		}
	}
}

// difference says how two Pods differ, "" if they do not. The order of volumes and of variables, of
// which none here refers to another, makes no difference.
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
