package validate

import (
	"maps"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

const (
	lenient = "{region: us-east-1, config: {compat: lenient}}"
	strict  = "{region: us-east-1, config: {compat: strict}}"
	another = "{region: us-east-1, config: {limits: {attempts: 3}}}"
)

// configMaps returns the configurations in the cluster, by the names of their ConfigMaps.
func (c *cluster) configMaps() map[string]string {
	all := map[string]string{}
	for _, configMap := range of[*corev1.ConfigMap](c.all()) {
		all[configMap.Name] = configMap.Data["dragoman.yaml"]
	}
	return all
}

// mounts returns the name of the ConfigMap that the Deployment's Pods mount.
func (c *cluster) mounts() string {
	c.t.Helper()
	return c.deployment().Spec.Template.Spec.Volumes[0].ConfigMap.Name
}

// Each configuration has its own immutable ConfigMap, which stays as long as a ReplicaSet uses it. So Pods of
// an earlier revision keep their configuration, and can be created again.
func TestConfigMapOfARevision(t *testing.T) {
	c := newCluster(t)
	c.mustInstall(lenient)
	first := c.mounts()
	text := c.configMaps()[first]
	c.mustInstall(strict)
	second := c.mounts()
	if first == second || c.configMaps()[first] != text || !strings.Contains(c.configMaps()[second], "strict") {
		t.Errorf("%s is %q, and then %s is in %q", first, text, second, c.configMaps())
	}
	if configMap, _ := named[*corev1.ConfigMap](c.all(), second); configMap.Immutable == nil || !*configMap.Immutable {
		t.Errorf("%s can be changed", second)
	}
	c.mustInstall(another)
	third := c.mounts()
	if there := slices.Sorted(maps.Keys(c.configMaps())); len(there) != 3 {
		t.Errorf("after three revisions there are %q", there)
	}

	c.rollback("1")
	if c.mounts() != first || c.configMaps()[first] != text {
		t.Errorf("after the rollback, %s of %q is mounted", c.mounts(), c.configMaps())
	}
	c.mustInstall(another)
	for _, set := range of[*appsv1.ReplicaSet](c.all()) {
		if set.Spec.Template.Spec.Volumes[0].ConfigMap.Name != third {
			c.remove("/apis/apps/v1/replicasets", set.Name)
		}
	}
	c.mustInstall(another)
	if there := slices.Collect(maps.Keys(c.configMaps())); !slices.Equal(there, []string{third}) {
		t.Errorf("of one ReplicaSet there are %q", there)
	}
}

// An invalid configuration changes nothing in the cluster.
func TestUpgradeIsChecked(t *testing.T) {
	c := newCluster(t)
	c.mustInstall(lenient)
	before, text := c.deployment().Spec, c.configMaps()
	for name, values := range map[string]string{
		"undeclared upstream":  `{region: us-east-1, config: {upstreams: {a: {kind: bedrock}}, models: [{name: a, upstream: b}]}}`,
		"variable without one": `{region: us-east-1, config: {auth: {keys: ["${MISSING}"]}}}`,
	} {
		if stderr, err := c.install(values); err == nil || !strings.Contains(stderr, "pre-upgrade hooks failed") {
			t.Errorf("%s: helm upgrade (%v):\n%s", name, err, stderr)
		}
		for name, want := range text {
			if got := c.configMaps()[name]; got != want {
				t.Errorf("%s has become %q", name, got)
			}
		}
		if now := c.deployment().Spec; now.Template.Spec.Volumes[0].ConfigMap.Name != before.Template.Spec.Volumes[0].ConfigMap.Name {
			t.Errorf("%s: the Deployment has changed", name)
		}
	}
}

// With reload, all revisions share a mutable ConfigMap. A rollout applies the keys that need a restart.
func TestReload(t *testing.T) {
	sums := map[string]bool{}
	for _, compat := range []string{"lenient", "strict"} {
		objects := rendered(t, "dragoman", "{region: us-east-1, reload: true, config: {compat: "+compat+"}}", "1.37")
		configMap, found := named[*corev1.ConfigMap](objects, "dragoman")
		if !found || configMap.Immutable != nil {
			t.Errorf("the ConfigMap is %v", configMap)
		}
		sums[of[*appsv1.Deployment](objects)[0].Spec.Template.Annotations["checksum/config"]] = true
	}
	if sums[""] || len(sums) != 2 {
		t.Errorf("the checksums are %v", sums)
	}
}

// A change outside the Pods creates no new Pods.
func TestSameConfigurationMakesNoPods(t *testing.T) {
	c := newCluster(t)
	c.mustInstall("region: us-east-1")
	c.mustInstall("{region: us-east-1, replicaCount: 7, podDisruptionBudget: {maxUnavailable: 2}}")
	if sets := of[*appsv1.ReplicaSet](c.all()); len(sets) != 1 {
		t.Errorf("there are %d ReplicaSets", len(sets))
	}
}

// An autoscaler starts with the existing number of Pods. Neither upgrades nor rollbacks change the number
// that it sets.
func TestAutoscalingIsTurnedOn(t *testing.T) {
	const on = "{region: us-east-1, replicaCount: 4, autoscaling: {enabled: true}}"
	c := newCluster(t)
	scale := func(n int32) {
		d := c.deployment()
		d.Spec.Replicas = &n
		c.put("/apis/apps/v1/deployments", d)
	}
	wants := func(when string, n int32) {
		t.Helper()
		if got := *c.deployment().Spec.Replicas; got != n {
			t.Errorf("%s there are %d Pods, want %d", when, got, n)
		}
	}
	c.mustInstall("{region: us-east-1, replicaCount: 4}")
	wants("without an autoscaler", 4)
	c.mustInstall(on)
	wants("when it is turned on", 4)
	scale(7)
	c.mustInstall(on)
	wants("after an upgrade", 7)
	c.mustInstall("{region: us-east-1, replicaCount: 3}")
	wants("when it is turned off", 3)

	c = newCluster(t)
	c.mustInstall(on)
	scale(5)
	c.mustInstall(on)
	wants("after an upgrade of a release that always had one", 5)
	scale(9)
	c.rollback("1")
	wants("after its rollback", 9)
}
