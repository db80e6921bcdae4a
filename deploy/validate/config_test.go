package validate

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// dragoman itself accepts the configuration in the ConfigMap, under the name and with the
// environment that the Deployment gives it.
func TestConfiguration(t *testing.T) {
	objects := load(t, "kubernetes")
	container := find(t, objects.deployments[0].Spec.Template.Spec.Containers, "dragoman")
	file := configFile(t, objects, container)
	environment := []string{"AWS_EC2_METADATA_DISABLED=true"}
	for _, variable := range container.Env {
		if variable.ValueFrom == nil {
			environment = append(environment, variable.Name+"="+variable.Value)
			continue
		}
		environment = append(environment, variable.Name+"=a-key-from-the-secret")
	}

	binary := dragoman(t)
	if output, err := check(binary, file, environment); err != nil {
		t.Errorf("dragoman check: %v\n%s", err, output)
	}
	if output, err := check(binary, file, nil); err == nil || !strings.Contains(output, "DRAGOMAN_KEY") {
		t.Errorf("without the Secret, dragoman check says (%v):\n%s", err, output)
	}
}

// configFile writes the ConfigMap to a folder as the kubelet would, and returns the file that the
// container's --config names.
func configFile(t *testing.T, objects set, container corev1.Container) string {
	t.Helper()
	mount := container.VolumeMounts[0].MountPath
	folder := t.TempDir()
	for name, text := range objects.configMaps["dragoman"].Data {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for i, arg := range container.Args {
		if arg == "--config" && i+1 < len(container.Args) {
			name, err := filepath.Rel(mount, container.Args[i+1])
			if err != nil || !filepath.IsLocal(name) {
				t.Fatalf("%s is not mounted from the ConfigMap", container.Args[i+1])
			}
			return filepath.Join(folder, name)
		}
	}
	t.Fatalf("args %q name no configuration", container.Args)
	return ""
}

func check(binary, file string, environment []string) (string, error) {
	cmd := exec.Command(binary, "check", "--config", file)
	cmd.Env = append([]string{}, environment...) // not nil, which would be the test's own
	output, err := cmd.CombinedOutput()
	return string(output), err
}

// dragoman returns the binary to test: DRAGOMAN_BIN, or one built here.
func dragoman(t *testing.T) string {
	t.Helper()
	if binary := os.Getenv("DRAGOMAN_BIN"); binary != "" {
		return binary
	}
	binary := filepath.Join(t.TempDir(), "dragoman")
	build := exec.Command("go", "build", "-buildvcs=false", "-o", binary, "./cmd/dragoman")
	build.Dir = filepath.Join("..", "..")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	return binary
}
