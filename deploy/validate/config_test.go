package validate

import (
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// dragoman itself accepts the configuration in the ConfigMap, with the path and the Secret of the Deployment.
func TestConfiguration(t *testing.T) {
	objects := load(t, "kubernetes")
	checkConfiguration(t, objects)
	p := programOf(t, objects)
	p.objects = append(p.objects, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "dragoman"}})
	if output, err := p.check(t); err == nil || !strings.Contains(output, "/key cannot be read") {
		t.Errorf("without the Secret, dragoman check says (%v):\n%s", err, output)
	}
}

// checkConfiguration checks that dragoman accepts the configuration, in the container that serves and in the
// Job that checks it before an upgrade.
func checkConfiguration(t *testing.T, objects set) {
	t.Helper()
	programs := []program{programOf(t, objects)}
	for _, job := range of[*batchv1.Job](objects) {
		spec := job.Spec.Template.Spec
		programs = append(programs, program{objects, spec, spec.Containers[0]})
	}
	for _, p := range programs {
		if output, err := p.check(t); err != nil {
			t.Errorf("dragoman check as %s: %v\n%s", p.container.Name, err, output)
		}
	}
}

// programOf returns the container of the only Deployment that serves.
func programOf(t *testing.T, objects set) program {
	t.Helper()
	spec := of[*appsv1.Deployment](objects)[0].Spec.Template.Spec
	return program{objects, spec, find(t, containers(spec), "dragoman")}
}
