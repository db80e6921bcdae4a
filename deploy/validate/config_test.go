package validate

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
)

// dragoman itself accepts the configuration in the ConfigMap, under the name and with the
// environment that the Deployment gives it.
func TestConfiguration(t *testing.T) {
	objects := load(t, "kubernetes")
	checkConfiguration(t, objects)
	container := dragomanOf(t, objects)
	if output, err := dragomanCheck(t, configFile(t, objects, container), nil); err == nil || !strings.Contains(output, "DRAGOMAN_KEY") {
		t.Errorf("without the Secret, dragoman check says (%v):\n%s", err, output)
	}
}

// checkConfiguration holds that dragoman accepts the configuration. `check` cannot be told that the
// simulated model answers for all others, so there dragoman is started.
func checkConfiguration(t *testing.T, objects set) {
	t.Helper()
	container := dragomanOf(t, objects)
	if slices.Contains(container.Args, "--simulated") {
		serve(t, objects)
		return
	}
	if output, err := dragomanCheck(t, configFile(t, objects, container), environment(container)); err != nil {
		t.Errorf("dragoman check: %v\n%s", err, output)
	}
}

// dragomanOf returns the container of the only Deployment.
func dragomanOf(t *testing.T, objects set) corev1.Container {
	t.Helper()
	return find(t, containers(of[*appsv1.Deployment](objects)[0].Spec.Template.Spec), "dragoman")
}

// aKey is what all Secrets hold.
const aKey = "a-key-from-the-secret"

// environment returns a container's variables. Some are there in every container that runs.
func environment(container corev1.Container) []string {
	variables := []string{"AWS_EC2_METADATA_DISABLED=true", "PATH=" + os.Getenv("PATH")}
	for _, variable := range container.Env {
		if variable.ValueFrom != nil {
			variable.Value = aKey
		}
		variables = append(variables, variable.Name+"="+variable.Value)
	}
	for _, from := range container.EnvFrom {
		if from.SecretRef != nil {
			variables = append(variables, strings.ToUpper(from.SecretRef.Name)+"_KEY="+aKey+"-of-"+from.SecretRef.Name)
		}
	}
	return variables
}

// configFile writes the ConfigMap to a folder as the kubelet would, and returns the file that the
// container's --config names.
func configFile(t *testing.T, objects set, container corev1.Container) string {
	t.Helper()
	deployment := of[*appsv1.Deployment](objects)[0]
	mount, volume := container.VolumeMounts[0], deployment.Spec.Template.Spec.Volumes[0]
	if mount.Name != volume.Name || volume.ConfigMap == nil {
		t.Fatalf("%s is not mounted from a ConfigMap", mount.Name)
	}
	configMap, _ := named[*corev1.ConfigMap](objects, volume.ConfigMap.Name)
	folder := t.TempDir()
	for name, text := range configMap.Data {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, arg := range container.Args {
		if arg == "--config" && i+1 < len(container.Args) {
			name, err := filepath.Rel(mount.MountPath, container.Args[i+1])
			if err != nil || !filepath.IsLocal(name) {
				t.Fatalf("%s is not mounted from the ConfigMap", container.Args[i+1])
			}
			return filepath.Join(folder, name)
		}
	}
	t.Fatalf("args %q name no configuration", container.Args)
	return ""
}

func dragomanCheck(t *testing.T, file string, environment []string) (string, error) {
	t.Helper()
	cmd := exec.Command(program(t, buildDragoman), "check", "--config", file)
	cmd.Env = append([]string{}, environment...) // not nil, which would be the test's own
	output, err := cmd.CombinedOutput()
	return string(output), err
}
