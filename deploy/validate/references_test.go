package validate

import (
	"slices"
	"strings"
	"testing"

	monitoringv1 "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	appsv1 "k8s.io/api/apps/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	policyv1 "k8s.io/api/policy/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
)

// checkReferences checks that references by name lead to existing objects.
func checkReferences(t *testing.T, objects set) {
	t.Helper()
	for _, deployment := range of[*appsv1.Deployment](objects) {
		pod := deployment.Spec.Template.Spec
		accounts := of[*corev1.ServiceAccount](objects)
		if _, found := named[*corev1.ServiceAccount](objects, pod.ServiceAccountName); len(accounts) > 0 && !found {
			t.Errorf("%s runs as %q, which is not there", deployment.Name, pod.ServiceAccountName)
		}
	}
	for name, pod := range pods(objects) {
		for _, volume := range pod.Spec.Volumes {
			if volume.ConfigMap == nil {
				continue
			}
			if _, found := named[*corev1.ConfigMap](objects, volume.ConfigMap.Name); !found {
				t.Errorf("%s mounts the ConfigMap %q, which is not there", name, volume.ConfigMap.Name)
			}
		}
	}
	for _, scaler := range of[*autoscalingv2.HorizontalPodAutoscaler](objects) {
		checkScaled(t, objects, scaler.Spec.ScaleTargetRef.Name)
	}
	for _, ingress := range of[*networkingv1.Ingress](objects) {
		for _, rule := range ingress.Spec.Rules {
			backend := rule.HTTP.Paths[0].Backend.Service
			service, found := named[*corev1.Service](objects, backend.Name)
			if !found || !slices.ContainsFunc(service.Spec.Ports, func(p corev1.ServicePort) bool { return p.Name == backend.Port.Name }) {
				t.Errorf("the Ingress leads to %v, which is not there", backend)
			}
		}
	}
	for _, object := range of[*unstructured.Unstructured](objects) {
		switch object.GetKind() {
		case "ScaledObject":
			name, _, _ := unstructured.NestedString(object.Object, "spec", "scaleTargetRef", "name")
			checkScaled(t, objects, name)
		case "HTTPRoute":
			checkRoute(t, objects, object)
		}
	}
}

// checkScaled checks that the scaled Deployment exists and sets no number of Pods: each upgrade would reset
// that number.
func checkScaled(t *testing.T, objects set, name string) {
	t.Helper()
	if deployment, found := named[*appsv1.Deployment](objects, name); !found || deployment.Spec.Replicas != nil {
		t.Errorf("the Deployment %q is scaled, which is not there or has a number of its own", name)
	}
}

func checkRoute(t *testing.T, objects set, route *unstructured.Unstructured) {
	t.Helper()
	rules, _, _ := unstructured.NestedSlice(route.Object, "spec", "rules")
	backends, _, _ := unstructured.NestedSlice(rules[0].(map[string]any), "backendRefs")
	backend := backends[0].(map[string]any)
	service, found := named[*corev1.Service](objects, backend["name"].(string))
	if !found || int64(service.Spec.Ports[0].Port) != backend["port"] {
		t.Errorf("the HTTPRoute leads to %v, which is not there", backend)
	}
}

// checkSelectors checks that selectors match the Pods of the Deployment and no others. A Service with a Pod
// of `helm test` behind it would send it requests.
func checkSelectors(t *testing.T, objects set) {
	t.Helper()
	var selectors []*metav1.LabelSelector
	for _, deployment := range of[*appsv1.Deployment](objects) {
		selectors = append(selectors, deployment.Spec.Selector)
		for _, constraint := range deployment.Spec.Template.Spec.TopologySpreadConstraints {
			selectors = append(selectors, constraint.LabelSelector)
		}
	}
	for _, service := range of[*corev1.Service](objects) {
		selectors = append(selectors, &metav1.LabelSelector{MatchLabels: service.Spec.Selector})
	}
	for _, budget := range of[*policyv1.PodDisruptionBudget](objects) {
		selectors = append(selectors, budget.Spec.Selector)
	}
	for _, policy := range of[*networkingv1.NetworkPolicy](objects) {
		selectors = append(selectors, &policy.Spec.PodSelector)
	}
	for _, monitor := range of[*monitoringv1.PodMonitor](objects) {
		selectors = append(selectors, &monitor.Spec.Selector)
	}
	for _, selector := range selectors {
		for name, pod := range pods(objects) {
			if is := strings.HasPrefix(name, "Deployment "); matches(selector, pod.Labels) != is {
				t.Errorf("selector %v, Pods of %s: selected is %v", selector, name, !is)
			}
		}
	}
	checkPorts(t, objects)
}

// checkPorts checks that named ports exist: the ports of containers behind a Service, and the scraped ports.
func checkPorts(t *testing.T, objects set) {
	t.Helper()
	for _, deployment := range of[*appsv1.Deployment](objects) {
		container := find(t, containers(deployment.Spec.Template.Spec), "dragoman")
		for _, service := range of[*corev1.Service](objects) {
			for _, p := range service.Spec.Ports {
				if port(container, p.TargetPort.String()) == 0 {
					t.Errorf("Service %s leads to the port %s, which is not there", service.Name, p.TargetPort.String())
				}
			}
		}
		for _, monitor := range of[*monitoringv1.PodMonitor](objects) {
			if p := monitor.Spec.PodMetricsEndpoints[0].Port; p == nil || *p != "admin" || port(container, *p) == 0 {
				t.Errorf("the port of PodMonitor %s is not there", monitor.Name)
			}
		}
	}
	for _, monitor := range of[*monitoringv1.ServiceMonitor](objects) {
		var scraped []string
		for _, service := range of[*corev1.Service](objects) {
			if matches(&monitor.Spec.Selector, service.Labels) && service.Spec.Ports[0].Name == monitor.Spec.Endpoints[0].Port {
				scraped = append(scraped, service.Spec.Ports[0].TargetPort.String())
			}
		}
		if !slices.Equal(scraped, []string{"admin"}) {
			t.Errorf("ServiceMonitor %s scrapes the ports %q, want admin once", monitor.Name, scraped)
		}
	}
}
