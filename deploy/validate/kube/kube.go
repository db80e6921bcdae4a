// Package kube reads Kubernetes manifests strictly, and checks Pods against the Pod Security Standards.
package kube

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/kubernetes/scheme"
	"k8s.io/pod-security-admission/api"
	"k8s.io/pod-security-admission/policy"
)

// Documents splits a YAML file.
func Documents(text []byte) (documents [][]byte, err error) {
	for reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return documents, nil
		}
		if err != nil {
			return nil, err
		}
		documents = append(documents, document)
	}
}

var decoder = func() runtime.Decoder {
	utilruntime.Must(monitoringv1.AddToScheme(scheme.Scheme))
	return serializer.NewCodecFactory(scheme.Scheme, serializer.EnableStrict).UniversalDeserializer()
}()

// Decode decodes an object of Kubernetes or of the Prometheus Operator. An unknown or duplicate field, a misspelled
// kind, or a malformed quantity is an error.
func Decode(document []byte) (runtime.Object, error) {
	object, _, err := decoder.Decode(document, nil, nil)
	return object, err
}

// DecodeAll decodes the objects of a YAML file.
func DecodeAll(text []byte) (objects []runtime.Object, err error) {
	documents, err := Documents(text)
	for _, document := range documents {
		object, err := Decode(document)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, err
}

// CheckRestricted fails the test if a Pod violates the profile "restricted" of the Pod Security Standards. The code is
// that of Kubernetes' admission controller.
func CheckRestricted(t *testing.T, name string, meta *metav1.ObjectMeta, spec *corev1.PodSpec) {
	t.Helper()
	evaluator, err := policy.NewEvaluator(policy.DefaultChecks(), nil)
	if err != nil {
		t.Fatal(err)
	}
	level := api.LevelVersion{Level: api.LevelRestricted, Version: api.LatestVersion()}
	if result := policy.AggregateCheckResults(evaluator.EvaluatePod(level, meta, spec)); !result.Allowed {
		t.Errorf("%s: %s", name, result.ForbiddenDetail())
	}
}
