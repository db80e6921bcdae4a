package validate

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// key returns the key in the chart's Secret, or "".
func key(objects set) string {
	secret, found := named[*corev1.Secret](objects, "dragoman")
	if !found {
		return ""
	}
	return string(secret.Data["key"])
}

// The chart creates a key only if the values name no other.
func TestSecret(t *testing.T) {
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
}

// rotated is a Secret after somebody has replaced its key.
func rotated(key string) *corev1.Secret {
	return &corev1.Secret{
		TypeMeta:   metav1.TypeMeta{APIVersion: "v1", Kind: "Secret"},
		ObjectMeta: metav1.ObjectMeta{Name: "dragoman"},
		Data:       map[string][]byte{"key": []byte(key)},
	}
}

// Neither an upgrade nor a rollback restores the old key. If a Pod has the key in a file, it stays. If it has
// the key in a variable, the next upgrade replaces it.
func TestKeyIsRotated(t *testing.T) {
	const newKey = "a-key-that-has-been-rotated"
	for name, values := range map[string]string{
		"file":     "region: us-east-1",
		"variable": `{region: us-east-1, config: {auth: {keys: ["${DRAGOMAN_KEY}"]}}}`,
	} {
		t.Run(name, func(t *testing.T) {
			c := newCluster(t)
			c.mustInstall(values)
			first := key(c.all())
			c.mustInstall(values)
			if got := key(c.all()); got != first || len(got) != 48 {
				t.Errorf("an upgrade makes %q of the key %q", got, first)
			}
			if sets := of[*appsv1.ReplicaSet](c.all()); len(sets) != 1 {
				t.Errorf("an upgrade that changes nothing makes %d ReplicaSets", len(sets))
			}
			c.put("/api/v1/secrets", rotated(newKey))
			c.mustInstall(values)
			if got := key(c.all()); got != newKey {
				t.Errorf("an upgrade makes %q of the new key", got)
			}
			if sets := of[*appsv1.ReplicaSet](c.all()); (len(sets) == 2) != (name == "variable") {
				t.Errorf("with another key there are %d ReplicaSets", len(sets))
			}
			c.rollback("1")
			if got := key(c.all()); got != newKey {
				t.Errorf("a rollback makes %q of the new key", got)
			}
			if stderr, err := c.helm("uninstall", "dragoman"); err != nil || key(c.all()) != newKey {
				t.Errorf("after helm uninstall (%v), the key is %q\n%s", err, key(c.all()), stderr)
			}
		})
	}
}

// An upgrade that would lose the key is rejected, and the error says what to do.
func TestSecretOfAnEarlierChart(t *testing.T) {
	c := newCluster(t)
	secret := rotated(aKey)
	secret.Annotations = map[string]string{"meta.helm.sh/release-name": "dragoman"}
	c.put("/api/v1/secrets", secret.DeepCopy())
	want := "`kubectl -n apps annotate secret dragoman helm.sh/resource-policy=keep`, then upgrade again"
	if stderr, err := c.install("region: us-east-1"); err == nil || !strings.Contains(stderr, want) {
		t.Errorf("helm upgrade (%v): %s", err, stderr)
	}
	secret.Annotations["helm.sh/resource-policy"] = "keep"
	c.put("/api/v1/secrets", secret)
	want = `auth.key: the Secret dragoman in the cluster has no "other": add it to the Secret, or name another key`
	if stderr, err := c.install("{region: us-east-1, auth: {key: other}}"); err == nil || !strings.Contains(stderr, want) {
		t.Errorf("helm upgrade (%v): %s", err, stderr)
	}
	c.mustInstall("region: us-east-1")
	if got := key(c.all()); got != aKey {
		t.Errorf("the key has become %q", got)
	}
}

// A server uses a new key from the file as soon as the kubelet has written it.
func TestKeyFileIsReadAgain(t *testing.T) {
	s := serve(t, rendered(t, "dragoman", "simulated: true", "1.37"))
	file := filepath.Join(s.folders["/run/secrets/dragoman"], "key")
	old, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	const newKey = "a-key-that-has-been-rotated"
	if s.status(t, string(old)) != http.StatusOK || s.status(t, newKey) != http.StatusUnauthorized {
		t.Errorf("before: %d, %d", s.status(t, string(old)), s.status(t, newKey))
	}
	if err := os.WriteFile(file+".new", []byte(newKey), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(file+".new", file); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(time.Minute); s.status(t, newKey) != http.StatusOK; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("the new key is not taken")
		}
	}
	if got := s.status(t, string(old)); got != http.StatusUnauthorized {
		t.Errorf("the old key gets %d", got)
	}
}

// status returns the HTTP status for a client with a key.
func (s server) status(t *testing.T, key string) int {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/v1/models", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("x-api-key", key)
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	response.Body.Close()
	return response.StatusCode
}
