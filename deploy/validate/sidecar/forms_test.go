// Package sidecar checks that the forms of the sidecar agree: the manifest to copy, the Kustomize component,
// the ECS task and the Cloud Run service. Each form is decoded strictly, compared with the manifest, and run:
// dragoman with the arguments and the environment of the form, and requests to the URLs of the application.
package sidecar

import (
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"dragoman/deploy/validate/kube"
)

// folder is the folder under test.
var folder = filepath.Join("..", "..", "sidecar")

// form is the content of one form of the sidecar.
type form struct {
	args        []string          // of dragoman
	environment map[string]string // of dragoman
	application map[string]string // the environment of the application
	probe       string            // the path on the admin port that must answer before the application starts
	healthcheck []string          // or the command that must succeed
	files       map[string]string // dragoman's mounted files: paths and texts
}

// forms returns every form, by name.
func forms(t *testing.T) map[string]form {
	t.Helper()
	all := map[string]form{
		"ecs":      ecsForm(t),
		"cloudrun": cloudRunForm(t),
	}
	for name, pod := range pods(t, manifest(t)) {
		all["manifest "+name] = kubernetesForm(t, pod, nil)
	}
	component := build(t, "kustomize-example")
	for name, pod := range pods(t, component) {
		all["component "+name] = kubernetesForm(t, pod, configMaps(component))
	}
	return all
}

// The application's environment is the same in every form.
func TestVariables(t *testing.T) {
	want := map[string]string{
		"ANTHROPIC_BASE_URL":               "http://127.0.0.1:8484",
		"ANTHROPIC_BEDROCK_BASE_URL":       "http://127.0.0.1:8484",
		"ANTHROPIC_VERTEX_BASE_URL":        "http://127.0.0.1:8484/v1",
		"AWS_ENDPOINT_URL_BEDROCK_RUNTIME": "http://127.0.0.1:8484",
		"ANTHROPIC_API_KEY":                "unused",
	}
	for name, f := range forms(t) {
		t.Run(name, func(t *testing.T) {
			got := maps.Clone(f.application)
			maps.DeleteFunc(got, func(name, _ string) bool { return want[name] == "" })
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("wrong environment of the application (-want +got):\n%s", diff)
			}
			if got := f.environment["DRAGOMAN_LISTEN"]; got != "127.0.0.1:8484" {
				t.Errorf("dragoman listens on %q", got)
			}
			if got := f.environment["DRAGOMAN_ADMIN_LISTEN"]; f.probe != "" && got != "0.0.0.0:8485" {
				t.Errorf("probes from outside the container cannot reach %q", got)
			}
		})
	}
}

// manifest returns the objects of the manifest to copy.
func manifest(t *testing.T) []runtime.Object {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "deployment.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, text)
}

func decode(t *testing.T, text []byte) []runtime.Object {
	t.Helper()
	objects, err := kube.DecodeAll(text)
	if err != nil {
		t.Fatal(err)
	}
	return objects
}

// pods returns the Pods of the workloads among objects, by kind and name.
func pods(t *testing.T, objects []runtime.Object) map[string]*corev1.PodTemplateSpec {
	t.Helper()
	all := map[string]*corev1.PodTemplateSpec{}
	for _, object := range objects {
		switch object := object.(type) {
		case *appsv1.Deployment:
			all["Deployment "+object.Name] = &object.Spec.Template
		case *appsv1.StatefulSet:
			all["StatefulSet "+object.Name] = &object.Spec.Template
		case *batchv1.Job:
			all["Job "+object.Name] = &object.Spec.Template
		}
	}
	if len(all) == 0 {
		t.Fatal("no workload")
	}
	return all
}

func configMaps(objects []runtime.Object) map[string]*corev1.ConfigMap {
	all := map[string]*corev1.ConfigMap{}
	for _, object := range objects {
		if object, ok := object.(*corev1.ConfigMap); ok {
			all[object.Name] = object
		}
	}
	return all
}

// kubernetesForm reads a Pod: the sidecar, and its first container.
func kubernetesForm(t *testing.T, pod *corev1.PodTemplateSpec, configs map[string]*corev1.ConfigMap) form {
	t.Helper()
	sidecar := dragomanOf(t, pod)
	f := form{
		args:        sidecar.Args,
		environment: environment(sidecar.Env),
		application: environment(pod.Spec.Containers[0].Env),
		files:       map[string]string{},
	}
	if probe := sidecar.StartupProbe; probe != nil && probe.HTTPGet != nil {
		f.probe = probe.HTTPGet.Path
	}
	for _, mount := range sidecar.VolumeMounts {
		i := slices.IndexFunc(pod.Spec.Volumes, func(v corev1.Volume) bool { return v.Name == mount.Name })
		if i < 0 || pod.Spec.Volumes[i].ConfigMap == nil || configs[pod.Spec.Volumes[i].ConfigMap.Name] == nil {
			t.Fatalf("mounts %s, which is no ConfigMap that is there", mount.Name)
		}
		for name, text := range configs[pod.Spec.Volumes[i].ConfigMap.Name].Data {
			f.files[mount.MountPath+"/"+name] = text
		}
	}
	return f
}

// dragomanOf returns the sidecar of a Pod. It is the first init container, so it starts before all others;
// and it keeps running.
func dragomanOf(t *testing.T, pod *corev1.PodTemplateSpec) corev1.Container {
	t.Helper()
	if len(pod.Spec.InitContainers) == 0 || pod.Spec.InitContainers[0].Name != "dragoman" {
		t.Fatal("dragoman is not the first init container")
	}
	sidecar := pod.Spec.InitContainers[0]
	if sidecar.RestartPolicy == nil || *sidecar.RestartPolicy != corev1.ContainerRestartPolicyAlways {
		t.Fatal("is an ordinary init container: the application would wait for it to end")
	}
	return sidecar
}

func environment(variables []corev1.EnvVar) map[string]string {
	all := map[string]string{}
	for _, v := range variables {
		all[v.Name] = v.Value
	}
	return all
}

// port returns the port at the end of an address.
func port(address string) string { return address[strings.LastIndexByte(address, ':')+1:] }
