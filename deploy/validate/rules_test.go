package validate

import (
	"maps"
	"slices"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/labels"
)

// drain is dragoman's default drain time (timeouts.drain).
const drain = 10 * time.Minute

var folders = []string{"kubernetes", "sidecar"}

// Every Pod runs under the profile "restricted" of the Pod Security Standards, with a read-only root.
func TestRestricted(t *testing.T) {
	for _, folder := range folders {
		for _, deployment := range load(t, folder).deployments {
			pod := deployment.Spec.Template.Spec
			t.Run(folder+"/"+deployment.Name, func(t *testing.T) {
				checkPod(t, pod)
			})
			for _, container := range containers(pod) {
				t.Run(folder+"/"+deployment.Name+"/"+container.Name, func(t *testing.T) {
					checkContainer(t, container)
				})
			}
		}
	}
}

func checkPod(t *testing.T, pod corev1.PodSpec) {
	if pod.HostNetwork || pod.HostPID || pod.HostIPC {
		t.Error("shares a namespace with its host")
	}
	if pod.AutomountServiceAccountToken == nil || *pod.AutomountServiceAccountToken {
		t.Error("mounts a token of the Kubernetes API, which nothing here calls")
	}
	sc := pod.SecurityContext
	if sc == nil || sc.RunAsNonRoot == nil || !*sc.RunAsNonRoot || sc.RunAsUser == nil || *sc.RunAsUser == 0 {
		t.Error("may run as root")
	}
	if sc == nil || sc.SeccompProfile == nil || sc.SeccompProfile.Type != corev1.SeccompProfileTypeRuntimeDefault {
		t.Error("has no seccomp profile")
	}
	for _, volume := range pod.Volumes {
		if volume.HostPath != nil {
			t.Errorf("volume %s is a path of the host", volume.Name)
		}
	}
}

func checkContainer(t *testing.T, container corev1.Container) {
	sc := container.SecurityContext
	if sc == nil {
		t.Fatal("has no security context")
	}
	if sc.AllowPrivilegeEscalation == nil || *sc.AllowPrivilegeEscalation {
		t.Error("may escalate its privileges")
	}
	if sc.Privileged != nil && *sc.Privileged {
		t.Error("is privileged")
	}
	if sc.ReadOnlyRootFilesystem == nil || !*sc.ReadOnlyRootFilesystem {
		t.Error("can write its root file system")
	}
	if sc.Capabilities == nil || !slices.Equal(sc.Capabilities.Drop, []corev1.Capability{"ALL"}) || len(sc.Capabilities.Add) > 0 {
		t.Error("keeps capabilities")
	}
	for _, port := range container.Ports {
		if port.HostPort != 0 {
			t.Errorf("takes port %d of the host", port.HostPort)
		}
	}
	if container.Resources.Requests.Cpu().IsZero() || container.Resources.Requests.Memory().IsZero() ||
		container.Resources.Limits.Memory().IsZero() {
		t.Error("does not say what it needs")
	}
}

// The three probes of dragoman ask the admin port, which the kubelet must reach from outside, and the
// Pod lives longer than its drain.
func TestProbes(t *testing.T) {
	for _, folder := range folders {
		objects := load(t, folder)
		for _, deployment := range objects.deployments {
			t.Run(folder+"/"+deployment.Name, func(t *testing.T) {
				pod := deployment.Spec.Template.Spec
				dragoman := find(t, containers(pod), "dragoman")
				checkProbe(t, dragoman, "startup", dragoman.StartupProbe, "/healthz")
				checkProbe(t, dragoman, "liveness", dragoman.LivenessProbe, "/healthz")
				checkProbe(t, dragoman, "readiness", dragoman.ReadinessProbe, "/readyz")
				grace := pod.TerminationGracePeriodSeconds
				if grace == nil || time.Duration(*grace)*time.Second <= drain {
					t.Errorf("is killed before it has drained (%v)", drain)
				}
			})
		}
	}
}

func checkProbe(t *testing.T, container corev1.Container, name string, probe *corev1.Probe, path string) {
	if probe == nil || probe.HTTPGet == nil {
		t.Fatalf("has no %s probe over HTTP", name)
	}
	if probe.HTTPGet.Path != path {
		t.Errorf("%s probe asks %s, want %s", name, probe.HTTPGet.Path, path)
	}
	if got := port(container, probe.HTTPGet.Port.String()); got != 8485 {
		t.Errorf("%s probe asks port %d, want the admin port 8485", name, got)
	}
}

// The sidecar is a native one: it starts first, and only its own Pod can reach it.
func TestSidecar(t *testing.T) {
	pod := load(t, "sidecar").deployments[0].Spec.Template.Spec
	dragoman := find(t, pod.InitContainers, "dragoman")
	if dragoman.RestartPolicy == nil || *dragoman.RestartPolicy != corev1.ContainerRestartPolicyAlways {
		t.Error("is an ordinary init container: the application would wait for it to end")
	}
	if got := value(dragoman, "DRAGOMAN_LISTEN"); got != "127.0.0.1:8484" {
		t.Errorf("listens on %q", got)
	}
	if got := value(dragoman, "DRAGOMAN_ADMIN_LISTEN"); got != "0.0.0.0:8485" {
		t.Errorf("kubelet cannot probe %q", got)
	}
	if got := value(find(t, pod.Containers, "app"), "ANTHROPIC_BASE_URL"); got != "http://127.0.0.1:8484" {
		t.Errorf("application calls %q", got)
	}
}

// What refers to something refers to what is there.
func TestReferences(t *testing.T) {
	for _, folder := range folders {
		objects := load(t, folder)
		for _, deployment := range objects.deployments {
			t.Run(folder+"/"+deployment.Name, func(t *testing.T) {
				checkReferences(t, objects, deployment)
			})
		}
		for _, service := range objects.services {
			if len(selected(objects.deployments, service.Spec.Selector)) == 0 {
				t.Errorf("%s: service %s selects no Pod", folder, service.Name)
			}
		}
		for _, budget := range objects.budgets {
			if len(selected(objects.deployments, budget.Spec.Selector.MatchLabels)) == 0 {
				t.Errorf("%s: budget %s selects no Pod", folder, budget.Name)
			}
		}
	}
}

func checkReferences(t *testing.T, objects set, deployment *appsv1.Deployment) {
	selector, err := metav1.LabelSelectorAsSelector(deployment.Spec.Selector)
	if err != nil || !selector.Matches(labels.Set(deployment.Spec.Template.Labels)) {
		t.Errorf("does not select its own Pods (%v)", err)
	}
	pod := deployment.Spec.Template.Spec
	if !objects.serviceAccounts[pod.ServiceAccountName] {
		t.Errorf("runs as %q, which is not among %v", pod.ServiceAccountName, slices.Collect(maps.Keys(objects.serviceAccounts)))
	}
	for _, volume := range pod.Volumes {
		if volume.ConfigMap != nil && objects.configMaps[volume.ConfigMap.Name] == nil {
			t.Errorf("mounts the ConfigMap %q, which is not there", volume.ConfigMap.Name)
		}
	}
}

// selected returns the deployments whose Pods carry all of the labels.
func selected(deployments []*appsv1.Deployment, want map[string]string) []*appsv1.Deployment {
	return slices.DeleteFunc(slices.Clone(deployments), func(d *appsv1.Deployment) bool {
		return !labels.SelectorFromSet(want).Matches(labels.Set(d.Spec.Template.Labels))
	})
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

// value returns what a container's environment gives a variable, "" if nothing.
func value(container corev1.Container, name string) string {
	for _, variable := range container.Env {
		if variable.Name == name {
			return variable.Value
		}
	}
	return ""
}
