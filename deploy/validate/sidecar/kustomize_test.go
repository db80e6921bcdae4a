package sidecar

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"

	"dragoman/deploy/validate/kube"
)

// build runs kustomize on a folder.
func build(t *testing.T, name string) []runtime.Object {
	t.Helper()
	return kustomize(t, filepath.Join(folder, name))
}

func kustomize(t *testing.T, folder string) []runtime.Object {
	t.Helper()
	built, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), folder)
	if err != nil {
		t.Fatal(err)
	}
	text, err := built.AsYaml()
	if err != nil {
		t.Fatal(err)
	}
	return decode(t, text)
}

// The component adds the sidecar of the manifest, with a configuration file. The sidecar is restricted,
// whatever security context the Pod has.
func TestComponent(t *testing.T) {
	want := dragomanOf(t, pods(t, manifest(t))["Deployment my-app"])
	want.Args = []string{"serve", "--config", "/etc/dragoman/dragoman.yaml"}
	want.Image = "registry.example.com/dragoman:1.0.0" // `images` also changes the component
	want.Env = slices.DeleteFunc(want.Env, func(v corev1.EnvVar) bool { return v.Name == "AWS_REGION" })
	want.VolumeMounts = []corev1.VolumeMount{{Name: "dragoman-config", MountPath: "/etc/dragoman", ReadOnly: true}}

	built := build(t, "kustomize-example")
	for _, name := range []string{"Deployment my-app", "Job my-job"} {
		t.Run(name, func(t *testing.T) {
			pod := pods(t, built)[name]
			if pod == nil {
				t.Fatal("is not there")
			}
			got := dragomanOf(t, pod)
			security := got.SecurityContext
			got.SecurityContext = want.SecurityContext
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("is another sidecar than the manifest's (-manifest +component):\n%s", diff)
			}
			if security.ReadOnlyRootFilesystem == nil || !*security.ReadOnlyRootFilesystem {
				t.Error("can write its root file system")
			}
			if grace := pod.Spec.TerminationGracePeriodSeconds; grace == nil || *grace <= 600 {
				t.Errorf("%v seconds are less than the drain", grace)
			}
			kube.CheckRestricted(t, name, &pod.ObjectMeta, &pod.Spec)
		})
	}
}

// The component does not change workloads without the label. It keeps what a workload already has.
func TestComponentSelects(t *testing.T) {
	overlay := t.TempDir()
	component, err := filepath.Abs(filepath.Join(folder, "kustomize"))
	if err != nil {
		t.Fatal(err)
	}
	if component, err = filepath.Rel(realPath(t, overlay), realPath(t, component)); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(overlay, "kustomization.yaml"), `
apiVersion: kustomize.config.k8s.io/v1beta1
kind: Kustomization
resources: [workloads.yaml]
components: [`+component+`]
`)
	write(t, filepath.Join(overlay, "workloads.yaml"), workloads)
	all := pods(t, kustomize(t, overlay))

	plain := all["Deployment plain"]
	if len(plain.Spec.InitContainers)+len(plain.Spec.Volumes)+len(plain.Spec.Containers[0].Env) > 0 {
		t.Errorf("a Deployment without the label is changed: %v", plain.Spec)
	}
	full := all["StatefulSet full"]
	dragomanOf(t, full)
	names := []string{}
	for _, c := range slices.Concat(full.Spec.InitContainers, full.Spec.Containers) {
		names = append(names, c.Name)
	}
	if got := strings.Join(names, " "); got != "dragoman migrate db helper" {
		t.Errorf("containers are %s", got)
	}
	if got := environment(full.Spec.Containers[0].Env); got["PGDATA"] != "/data" || got["ANTHROPIC_BASE_URL"] == "" {
		t.Errorf("environment is %v", got)
	}
	if got := len(full.Spec.Volumes); got != 2 {
		t.Errorf("%d volumes, want its own and the configuration", got)
	}
}

const workloads = `
apiVersion: apps/v1
kind: Deployment
metadata: {name: plain}
spec:
  selector: {matchLabels: {app: plain}}
  template:
    metadata: {labels: {app: plain}}
    spec: {containers: [{name: app, image: app}]}
---
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: full, labels: {dragoman/sidecar: "true"}}
spec:
  selector: {matchLabels: {app: full}}
  serviceName: full
  template:
    metadata: {labels: {app: full}}
    spec:
      initContainers: [{name: migrate, image: app}]
      containers:
        - {name: db, image: app, env: [{name: PGDATA, value: /data}], volumeMounts: [{name: data, mountPath: /data}]}
        - {name: helper, image: app}
      volumes: [{name: data, emptyDir: {}}]
`

func write(t *testing.T, file, text string) {
	t.Helper()
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// realPath resolves links, because kustomize rejects a link that leaves its folder.
func realPath(t *testing.T, path string) string {
	t.Helper()
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		t.Fatal(err)
	}
	return real
}
