package validate

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	corev1 "k8s.io/api/core/v1"
)

// program is a container of dragoman that runs on this machine, and the objects that its Pod refers to.
type program struct {
	objects   set
	spec      corev1.PodSpec
	container corev1.Container
}

// aKey begins the keys of a user's own Secret, which is not among the objects.
const aKey = "a-key-of-a-secret-"

// secret returns the value of a key in a Secret, and whether the Secret has the key.
func (p program) secret(name, key string) (string, bool) {
	if secret, found := named[*corev1.Secret](p.objects, name); found {
		value, has := secret.Data[key]
		return string(value), has
	}
	return aKey + key, true
}

// environment returns the container's variables, including those that every running container has.
func (p program) environment() []string {
	variables := []string{"AWS_EC2_METADATA_DISABLED=true", "PATH=" + os.Getenv("PATH")}
	for _, variable := range p.container.Env {
		if from := variable.ValueFrom; from != nil {
			variable.Value, _ = p.secret(from.SecretKeyRef.Name, from.SecretKeyRef.Key)
		}
		variables = append(variables, variable.Name+"="+variable.Value)
	}
	for _, from := range p.container.EnvFrom {
		if from.SecretRef != nil {
			variables = append(variables, strings.ToUpper(from.SecretRef.Name)+"_KEY="+aKey+from.SecretRef.Name)
		}
	}
	return variables
}

// mount writes the ConfigMaps and Secrets that the container mounts into folders of this machine, like the
// kubelet. It returns the folders by their mount paths. In the written texts, it replaces each mount path
// with its folder.
func (p program) mount(t *testing.T) map[string]string {
	t.Helper()
	folders, files := map[string]string{}, map[string]map[string]string{}
	var texts strings.Builder
	for _, mount := range p.container.VolumeMounts {
		volume := p.volume(t, mount.Name)
		folders[mount.MountPath] = t.TempDir()
		files[mount.MountPath] = map[string]string{}
		if volume.ConfigMap != nil {
			configMap, found := named[*corev1.ConfigMap](p.objects, volume.ConfigMap.Name)
			if !found {
				t.Fatalf("there is no ConfigMap %s", volume.ConfigMap.Name)
			}
			files[mount.MountPath] = maps.Clone(configMap.Data)
			texts.WriteString(strings.Join(slices.Collect(maps.Values(configMap.Data)), "\n"))
		}
	}
	for _, mount := range p.container.VolumeMounts {
		volume := p.volume(t, mount.Name)
		if volume.Secret == nil {
			continue
		}
		for _, match := range regexp.MustCompile(regexp.QuoteMeta(mount.MountPath)+`/([-._a-zA-Z0-9]+)`).FindAllStringSubmatch(texts.String(), -1) {
			if value, has := p.secret(volume.Secret.SecretName, match[1]); has {
				files[mount.MountPath][match[1]] = value
			}
		}
	}
	for path, contents := range files {
		for name, content := range contents {
			for other, folder := range folders {
				content = strings.ReplaceAll(content, other+"/", folder+"/")
			}
			if err := os.WriteFile(filepath.Join(folders[path], name), []byte(content), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	return folders
}

func (p program) volume(t *testing.T, name string) corev1.Volume {
	t.Helper()
	i := slices.IndexFunc(p.spec.Volumes, func(v corev1.Volume) bool { return v.Name == name })
	if i < 0 {
		t.Fatalf("there is no volume %s", name)
	}
	return p.spec.Volumes[i]
}

// command returns the container's command, with additional arguments, and the folders of its mounts.
func (p program) command(t *testing.T, more ...string) (*exec.Cmd, map[string]string) {
	t.Helper()
	folders := p.mount(t)
	args := slices.Clone(p.container.Args)
	for i := range args {
		for path, folder := range folders {
			args[i] = strings.Replace(args[i], path+"/", folder+"/", 1)
		}
	}
	cmd := exec.Command(binary(t, buildDragoman), append(args, more...)...)
	cmd.Env = p.environment()
	return cmd, folders
}

// check runs `dragoman check` instead of the container's own command.
func (p program) check(t *testing.T) (string, error) {
	t.Helper()
	p.container.Args = append([]string{"check"}, p.container.Args[1:]...)
	cmd, _ := p.command(t)
	output, err := cmd.CombinedOutput()
	return string(output), err
}
