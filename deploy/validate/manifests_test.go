// Package validate checks the manifests in the folders beside it. It decodes them strictly, with Kubernetes'
// own types and the definitions of custom resources. It checks that they pass the Pod Security profile
// "restricted", that references lead to existing objects, and that dragoman accepts their configuration. It
// is a separate module, so that the project does not depend on Kubernetes and Helm.
package validate

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// set is a set of objects that are applied together.
type set []runtime.Object

// of returns the objects of a type.
func of[T runtime.Object](objects set) []T {
	var found []T
	for _, object := range objects {
		if object, is := object.(T); is {
			found = append(found, object)
		}
	}
	return found
}

// named returns the object of a type with a name, and whether there is one.
func named[T interface {
	runtime.Object
	metav1.Object
}](objects set, name string) (object T, found bool) {
	for _, object := range of[T](objects) {
		if object.GetName() == name {
			return object, true
		}
	}
	return object, false
}

func decoder() runtime.Decoder {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{
		appsv1.AddToScheme, autoscalingv2.AddToScheme, batchv1.AddToScheme, corev1.AddToScheme, networkingv1.AddToScheme, policyv1.AddToScheme,
		monitoringv1.AddToScheme,
	} {
		utilruntime.Must(add(scheme))
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}

// load decodes every document of every YAML file in a folder. An unknown or duplicate field, a misspelled
// kind, or a malformed quantity fails the test.
func load(t *testing.T, folder string) set {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests in %s (%v)", folder, err)
	}
	var objects set
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := documents(text)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		objects = append(objects, decoded...)
	}
	return objects
}

// documents decodes the objects of one file. Objects of Kubernetes and of the Prometheus Operator have Go
// types; others are checked against the definition of their kind.
func documents(text []byte) (set, error) {
	var objects set
	decode := decoder()
	for reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		object, err := custom(document)
		if object == nil && err == nil {
			object, _, err = decode.Decode(document, nil, nil)
		}
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
}

// custom decodes an object with a definition in customKinds; it returns nil for other kinds.
func custom(document []byte) (runtime.Object, error) {
	object := &unstructured.Unstructured{}
	if err := yaml.Unmarshal(document, &object.Object); err != nil {
		return nil, err
	}
	kind, defined := customKinds[object.GroupVersionKind()]
	if !defined {
		return nil, nil
	}
	return object, kind.check(document, object)
}

// The decoder is strict: if it accepted a misspelling, every other test here would be worthless.
func TestDecodingIsStrict(t *testing.T) {
	const route = "apiVersion: gateway.networking.k8s.io/v1\nkind: HTTPRoute\nmetadata: {name: a}\n"
	for name, text := range map[string]string{
		"unknown field":         "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\nautomountToken: false\n",
		"wrong case":            "apiVersion: v1\nkind: ServiceAccount\nMetadata: {name: a}\n",
		"doubled field":         "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\nmetadata: {name: b}\n",
		"unknown kind":          "apiVersion: v1\nkind: ServiceAcount\nmetadata: {name: a}\n",
		"bad quantity":          "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, resources: {limits: {memory: 512Mo}}}]}\n",
		"unknown field, custom": route + "spec: {hostnammes: [a.example.com]}\n",
		"doubled field, custom": route + "spec: {hostnames: [a.example.com], hostnames: [b.example.com]}\n",
		"bad value, custom":     route + "spec: {rules: [{timeouts: {request: soon}}]}\n",
		"rule broken, custom":   route + "spec: {rules: [{timeouts: {request: 1s, backendRequest: 2s}}]}\n",
		"unknown field, operator": "apiVersion: monitoring.coreos.com/v1\nkind: PodMonitor\nmetadata: {name: a}\n" +
			"spec: {selector: {}, podMetricsEndpoint: []}\n",
	} {
		t.Run(name, func(t *testing.T) {
			if objects, err := documents([]byte(text)); err == nil {
				t.Errorf("decoded to %v", objects)
			}
		})
	}
}
