package validate

import (
	"fmt"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
)

// Kubernetes kills a Pod after its drain, its preStop and a margin of 30 seconds, in whatever unit the drain
// is written. Kubernetes 1.29 has no preStop.
func TestGrace(t *testing.T) {
	for _, test := range []struct {
		drain, version string
		want           int64
	}{
		{"", "1.37", 635},
		{"", "1.30", 635},
		{"", "1.29", 630},
		{"10m", "1.37", 635},
		{"90s", "1.37", 125},
		{"1h30m", "1.37", 5435},
		{"1.5h", "1.37", 5435},
		{"1h0m0.5s", "1.37", 3636},
		{"1500ms", "1.37", 37},
	} {
		values := "simulated: true\n"
		if test.drain != "" {
			values += fmt.Sprintf("config: {timeouts: {drain: %q}}\n", test.drain)
		}
		pod := of[*appsv1.Deployment](rendered(t, "dragoman", values, test.version))[0].Spec.Template.Spec
		if got := *pod.TerminationGracePeriodSeconds; got != test.want {
			t.Errorf("drain %q, Kubernetes %s: grace is %d s, want %d", test.drain, test.version, got, test.want)
		}
		lifecycle := pod.Containers[0].Lifecycle
		if sleeps := lifecycle != nil && lifecycle.PreStop.Sleep.Seconds == 5; sleeps != (test.version != "1.29") {
			t.Errorf("Kubernetes %s: lifecycle is %v", test.version, lifecycle)
		}
	}
}

// The connections of clients have a maximum age. Other limits in the values do not change it.
func TestConnectionAge(t *testing.T) {
	for limits, want := range map[string]string{"{}": "5m", "{attempts: 3}": "5m", "{max_connection_age: 0s}": "0s"} {
		text := render(t, "dragoman", "{simulated: true, config: {limits: "+limits+"}}", "1.37")
		if !strings.Contains(text, "max_connection_age: "+want+"\n") {
			t.Errorf("with limits %s it is not %s", limits, want)
		}
	}
}

// An Ingress waits a minute longer than dragoman. A target group that loses a Pod waits until the Pod has
// drained.
func TestIngressTimeouts(t *testing.T) {
	for controller, want := range map[string]map[string]string{
		"nginx": {
			"nginx.ingress.kubernetes.io/proxy-read-timeout": "1860",
			"nginx.ingress.kubernetes.io/proxy-send-timeout": "1860",
			"nginx.ingress.kubernetes.io/proxy-buffering":    "off",
			"nginx.ingress.kubernetes.io/proxy-body-size":    "32m", // from the values
		},
		"alb": {
			"alb.ingress.kubernetes.io/load-balancer-attributes": "idle_timeout.timeout_seconds=1860",
			"alb.ingress.kubernetes.io/target-group-attributes":  "deregistration_delay.timeout_seconds=635",
			"alb.ingress.kubernetes.io/healthcheck-port":         "8485",
			"alb.ingress.kubernetes.io/healthcheck-path":         "/readyz",
			"alb.ingress.kubernetes.io/target-type":              "ip",
		},
	} {
		ingress := of[*networkingv1.Ingress](rendered(t, "dragoman", fmt.Sprintf(`
simulated: true
config: {timeouts: {total: 30m}}
ingress: {enabled: true, controller: %s, annotations: {nginx.ingress.kubernetes.io/proxy-body-size: 32m}}
`, controller), "1.37"))[0]
		for name, value := range want {
			if got := ingress.Annotations[name]; got != value {
				t.Errorf("%s is %q, want %q", name, got, value)
			}
		}
	}
}

// The addresses in the configuration match the ports. The image's own variable, which overrides the file, has
// the same address.
func TestPorts(t *testing.T) {
	container := programOf(t, rendered(t, "dragoman", cases["only IPv6"], "1.37")).container
	if http, admin := port(container, "http"), port(container, "admin"); http != 9000 || admin != 9001 {
		t.Errorf("ports are %d and %d", http, admin)
	}
	if got := value(container, "DRAGOMAN_LISTEN"); got != "[::]:9000" {
		t.Errorf("DRAGOMAN_LISTEN is %q", got)
	}
	service, _ := named[*corev1.Service](rendered(t, "dragoman", cases["gateway"], "1.37"), "dragoman")
	if got := service.Spec.Ports[0]; got.Port != 8080 || got.AppProtocol == nil || *got.AppProtocol != "kubernetes.io/h2c" {
		t.Errorf("the Service's port is %v", got)
	}
}
