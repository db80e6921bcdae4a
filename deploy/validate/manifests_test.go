// Package validate checks the manifests of this folder's parent: Kubernetes' own types decode them
// strictly, they pass what Pod Security calls "restricted", and dragoman itself accepts the
// configuration they carry. It is a module of its own, so that Kubernetes stays out of the project's
// dependencies.
package validate

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	policyv1 "k8s.io/api/policy/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utilruntime "k8s.io/apimachinery/pkg/util/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"
)

// set is the objects of one folder, which are applied together.
type set struct {
	deployments     []*appsv1.Deployment
	services        []*corev1.Service
	configMaps      map[string]*corev1.ConfigMap
	serviceAccounts map[string]bool
	budgets         []*policyv1.PodDisruptionBudget
}

func decoder() runtime.Decoder {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, corev1.AddToScheme, policyv1.AddToScheme} {
		utilruntime.Must(add(scheme))
	}
	return serializer.NewCodecFactory(scheme, serializer.EnableStrict).UniversalDeserializer()
}

// load decodes every document of every YAML file in a folder. An unknown or doubled field, a
// misspelt kind or a malformed quantity fails the test.
func load(t *testing.T, folder string) set {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", folder, "*.yaml"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no manifests in %s (%v)", folder, err)
	}
	objects := set{configMaps: map[string]*corev1.ConfigMap{}, serviceAccounts: map[string]bool{}}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		decoded, err := documents(text)
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		for _, object := range decoded {
			objects.add(t, file, object)
		}
	}
	return objects
}

// documents decodes the objects of one file.
func documents(text []byte) ([]runtime.Object, error) {
	var objects []runtime.Object
	decode := decoder()
	for reader := yaml.NewYAMLReader(bufio.NewReader(bytes.NewReader(text))); ; {
		document, err := reader.Read()
		if errors.Is(err, io.EOF) {
			return objects, nil
		}
		if err != nil {
			return nil, err
		}
		object, _, err := decode.Decode(document, nil, nil)
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
}

func (s *set) add(t *testing.T, file string, object runtime.Object) {
	t.Helper()
	switch object := object.(type) {
	case *appsv1.Deployment:
		s.deployments = append(s.deployments, object)
	case *corev1.Service:
		s.services = append(s.services, object)
	case *corev1.ConfigMap:
		s.configMaps[object.Name] = object
	case *corev1.ServiceAccount:
		s.serviceAccounts[object.Name] = true
	case *policyv1.PodDisruptionBudget:
		s.budgets = append(s.budgets, object)
	default:
		t.Errorf("%s: no rule for %T: add one", file, object)
	}
}

// The strictness itself is tested: a decoder that lets a typing error pass would make every other
// test here worthless.
func TestDecodingIsStrict(t *testing.T) {
	for name, text := range map[string]string{
		"unknown field": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\nautomountToken: false\n",
		"wrong case":    "apiVersion: v1\nkind: ServiceAccount\nMetadata: {name: a}\n",
		"doubled field": "apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: a}\nmetadata: {name: b}\n",
		"unknown kind":  "apiVersion: v1\nkind: ServiceAcount\nmetadata: {name: a}\n",
		"bad quantity":  "apiVersion: v1\nkind: Pod\nspec: {containers: [{name: a, resources: {limits: {memory: 512Mo}}}]}\n",
	} {
		t.Run(name, func(t *testing.T) {
			if objects, err := documents([]byte(text)); err == nil {
				t.Errorf("decoded to %v", objects)
			}
		})
	}
}
