// Package validate checks the manifests in the folders beside it. It decodes them strictly, with Kubernetes'
// own types and the definitions of custom resources. It checks that they pass the Pod Security profile
// "restricted", that references lead to existing objects, and that dragoman accepts their configuration. It
// is a separate module, so that the project does not depend on Kubernetes and Helm.
package validate

import (
	"os"
	"path/filepath"
	"testing"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/yaml"

	"dragoman/deploy/validate/kube"
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
	texts, err := kube.Documents(text)
	if err != nil {
		return nil, err
	}
	var objects set
	for _, document := range texts {
		object, err := custom(document)
		if object == nil && err == nil {
			object, err = kube.Decode(document)
		}
		if err != nil {
			return nil, err
		}
		objects = append(objects, object)
	}
	return objects, nil
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
