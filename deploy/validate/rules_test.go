package validate

import (
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"

	"dragoman/deploy/validate/kube"
)

// drain is dragoman's default drain time (timeouts.drain).
const drain = 10 * time.Minute

// The manifests in the repository follow all rules.
func TestManifests(t *testing.T) {
	for _, folder := range []string{"kubernetes", "sidecar"} {
		t.Run(folder, func(t *testing.T) {
			objects := load(t, folder)
			checkAll(t, objects)
			for _, deployment := range of[*appsv1.Deployment](objects) {
				grace := deployment.Spec.Template.Spec.TerminationGracePeriodSeconds
				if grace == nil || time.Duration(*grace)*time.Second <= drain {
					t.Errorf("%s is killed before it has drained (%v)", deployment.Name, drain)
				}
			}
		})
	}
}

// checkAll checks all rules for objects that are applied together.
func checkAll(t *testing.T, objects set) {
	checkRestricted(t, objects)
	for _, deployment := range of[*appsv1.Deployment](objects) {
		checkProbes(t, find(t, containers(deployment.Spec.Template.Spec), "dragoman"))
		if s := deployment.Spec.Strategy; s.Type == appsv1.RecreateDeploymentStrategyType && s.RollingUpdate != nil {
			t.Errorf("%s: Kubernetes refuses rollingUpdate where the strategy is Recreate", deployment.Name)
		}
	}
	checkReferences(t, objects)
	checkSelectors(t, objects)
}

// checkRestricted checks every Pod against the profile "restricted" of the Pod Security Standards. It also checks
// some facts that the profile leaves open.
func checkRestricted(t *testing.T, objects set) {
	t.Helper()
	for name, pod := range pods(objects) {
		kube.CheckRestricted(t, name, &pod.ObjectMeta, &pod.Spec)
		if mounts := pod.Spec.AutomountServiceAccountToken; mounts == nil || *mounts {
			t.Errorf("%s mounts a token of the Kubernetes API, which nothing here calls", name)
		}
		if sc := pod.Spec.SecurityContext; sc != nil && sc.RunAsUser != nil && *sc.RunAsUser < 10000 {
			t.Errorf("%s runs as user %d, which may be one of its host", name, *sc.RunAsUser)
		}
		for _, container := range containers(pod.Spec) {
			sc := container.SecurityContext
			if sc == nil || sc.ReadOnlyRootFilesystem == nil || !*sc.ReadOnlyRootFilesystem {
				t.Errorf("%s can write the root file system of %s", name, container.Name)
			}
			if container.Resources.Requests.Cpu().IsZero() || container.Resources.Requests.Memory().IsZero() ||
				container.Resources.Limits.Memory().IsZero() {
				t.Errorf("%s does not say what %s needs", name, container.Name)
			}
		}
	}
}

// pods returns the Pods of all objects, by a readable name.
func pods(objects set) map[string]corev1.PodTemplateSpec {
	found := map[string]corev1.PodTemplateSpec{}
	for _, deployment := range of[*appsv1.Deployment](objects) {
		found["Deployment "+deployment.Name] = deployment.Spec.Template
	}
	for _, job := range of[*batchv1.Job](objects) {
		found["Job "+job.Name] = job.Spec.Template
	}
	for _, pod := range of[*corev1.Pod](objects) {
		found["Pod "+pod.Name] = corev1.PodTemplateSpec{ObjectMeta: pod.ObjectMeta, Spec: pod.Spec}
	}
	return found
}

// checkProbes checks that the three probes use the named admin port.
func checkProbes(t *testing.T, container corev1.Container) {
	t.Helper()
	for _, probe := range []struct {
		name, path string
		probe      *corev1.Probe
	}{
		{"startup", "/healthz", container.StartupProbe},
		{"liveness", "/healthz", container.LivenessProbe},
		{"readiness", "/readyz", container.ReadinessProbe},
	} {
		switch {
		case probe.probe == nil || probe.probe.HTTPGet == nil:
			t.Errorf("has no %s probe over HTTP", probe.name)
		case probe.probe.HTTPGet.Path != probe.path || probe.probe.HTTPGet.Port.String() != "admin" || port(container, "admin") == 0:
			t.Errorf("%s probe asks %v, want %s of the admin port", probe.name, probe.probe.HTTPGet, probe.path)
		}
	}
}

// matches reports whether a selector matches labels. An invalid selector matches nothing.
func matches(selector *metav1.LabelSelector, has map[string]string) bool {
	s, err := metav1.LabelSelectorAsSelector(selector)
	return err == nil && s.Matches(labels.Set(has))
}

func containers(pod corev1.PodSpec) []corev1.Container {
	return slices.Concat(pod.InitContainers, pod.Containers)
}

func find(t *testing.T, containers []corev1.Container, name string) corev1.Container {
	t.Helper()
	i := slices.IndexFunc(containers, func(c corev1.Container) bool { return c.Name == name })
	if i < 0 {
		t.Fatalf("no container is called %s", name)
	}
	return containers[i]
}

// port resolves the name of a container's port.
func port(container corev1.Container, name string) int32 {
	for _, port := range container.Ports {
		if port.Name == name {
			return port.ContainerPort
		}
	}
	return 0
}

// value returns a variable in a container's environment, or "".
func value(container corev1.Container, name string) string {
	for _, variable := range container.Env {
		if variable.Name == name {
			return variable.Value
		}
	}
	return ""
}
