package validate

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// The chart makes a key of its own only where no other is named, and an upgrade keeps the key that is
// in the cluster: clients have it.
func TestSecret(t *testing.T) {
	key := func(objects set) string {
		secrets := of[*corev1.Secret](objects)
		if len(secrets) == 0 {
			return ""
		}
		return string(secrets[0].Data["key"])
	}
	first := key(rendered(t, "dragoman", "region: us-east-1", "1.37"))
	second := key(rendered(t, "dragoman", "region: us-east-1", "1.37"))
	if len(first) != 48 || first == second {
		t.Errorf("keys of two installations are %q and %q", first, second)
	}
	for _, name := range []string{"configuration", "simulated without keys", "keys from files"} {
		if got := of[*corev1.Secret](rendered(t, "dragoman", cases[name], "1.37")); len(got) > 0 {
			t.Errorf("%s: makes %v", name, got)
		}
	}

	for name, there := range map[string]map[string][]byte{
		"the key": {"key": []byte(aKey)},
		"another": {"other": []byte(aKey)},
	} {
		config := kubeconfig(t, &corev1.Secret{
			TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
			ObjectMeta: metav1.ObjectMeta{
				Name: "dragoman", Namespace: "apps",
				Labels:      map[string]string{"app.kubernetes.io/managed-by": "Helm"},
				Annotations: map[string]string{"meta.helm.sh/release-name": "dragoman", "meta.helm.sh/release-namespace": "apps"},
			},
			Data: there,
		})
		stdout, stderr, err := helm(t, "template", "dragoman", chart, "--namespace", "apps", "--set", "region=us-east-1",
			"--dry-run=server", "--disable-openapi-validation", "--kubeconfig", config)
		if err != nil {
			t.Fatalf("helm template: %v\n%s", err, stderr)
		}
		objects, err := documents([]byte(stdout))
		if err != nil {
			t.Fatal(err)
		}
		if got := key(objects); (got == aKey) != (name == "the key") || got == "" {
			t.Errorf("with %s in the cluster, the key becomes %q", name, got)
		}
	}
}

// kubeconfig returns a file that leads to an API server which has one Secret, and answers what Helm
// asks before it looks for that.
func kubeconfig(t *testing.T, secret *corev1.Secret) string {
	t.Helper()
	answers := map[string]any{
		"/version": map[string]string{"major": "1", "minor": "37", "gitVersion": "v1.37.0"},
		"/api":     metav1.APIVersions{TypeMeta: metav1.TypeMeta{Kind: "APIVersions"}, Versions: []string{"v1"}},
		"/api/v1":  resources("v1", "Secret", "ConfigMap", "Service", "ServiceAccount"),
		"/apis": metav1.APIGroupList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIGroupList"}, Groups: []metav1.APIGroup{
			{Name: "apps", Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: "apps/v1", Version: "v1"}}},
			{Name: "policy", Versions: []metav1.GroupVersionForDiscovery{{GroupVersion: "policy/v1", Version: "v1"}}},
		}},
		"/apis/apps/v1":   resources("apps/v1", "Deployment"),
		"/apis/policy/v1": resources("policy/v1", "PodDisruptionBudget"),
		fmt.Sprintf("/api/v1/namespaces/%s/secrets/%s", secret.Namespace, secret.Name): secret,
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, found := answers[r.URL.Path]
		if !found {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		json.NewEncoder(w).Encode(answer)
	}))
	t.Cleanup(server.Close)
	return valuesFile(t, fmt.Sprintf(`apiVersion: v1
kind: Config
clusters: [{name: a, cluster: {server: %q}}]
users: [{name: a, user: {}}]
contexts: [{name: a, context: {cluster: a, user: a}}]
current-context: a
`, server.URL))
}

// resources is what an API server says of the kinds of a group.
func resources(version string, kinds ...string) metav1.APIResourceList {
	list := metav1.APIResourceList{TypeMeta: metav1.TypeMeta{APIVersion: "v1", Kind: "APIResourceList"}, GroupVersion: version}
	for _, kind := range kinds {
		name := strings.ToLower(kind)
		list.APIResources = append(list.APIResources, metav1.APIResource{
			Name: name + "s", SingularName: name, Kind: kind, Namespaced: true, Verbs: []string{"get"},
		})
	}
	return list
}
