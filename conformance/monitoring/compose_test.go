package monitoring

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/loader"
	"github.com/compose-spec/compose-go/v2/types"
	"go.yaml.in/yaml/v3"

	"dragoman/conformance/install"
)

// project loads the Compose file.
func project(t *testing.T) *types.Project {
	t.Helper()
	p, err := loadProject(t, read(t, compose+"/compose.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// loadProject reads a Compose file like Compose itself: members outside the schema are errors.
func loadProject(t *testing.T, text string) (*types.Project, error) {
	t.Helper()
	file, err := filepath.Abs(compose + "/compose.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return loader.LoadWithContext(t.Context(), types.ConfigDetails{
		WorkingDir:  filepath.Dir(file),
		ConfigFiles: []types.ConfigFile{{Filename: file, Content: []byte(text)}},
		Environment: types.Mapping{"DRAGOMAN_KEY": key},
	})
}

func TestComposeIsReadStrictly(t *testing.T) {
	for _, change := range [][2]string{{"read_only:", "readonly:"}, {"service_healthy", "service_health"}, {"init: true", "init: maybe"}} {
		if _, err := loadProject(t, strings.Replace(read(t, compose+"/compose.yaml"), change[0], change[1], 1)); err == nil {
			t.Errorf("%s passes", change[1])
		}
	}
}

// Ports are open only to this machine, because there is no login. Images have a version. The mounted files
// exist, because the engine would create folders in their place.
func TestCompose(t *testing.T) {
	p := project(t)
	if names := p.ServiceNames(); !slices.Equal(names, []string{"client", "dragoman", "grafana", "prometheus"}) {
		t.Errorf("the services are %q", names)
	}
	for name, service := range p.Services {
		if _, tag, _ := strings.Cut(service.Image, ":"); tag == "" || tag == "latest" {
			t.Errorf("%s: the image %s has no version", name, service.Image)
		}
		for _, port := range service.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s: port %s is open to %q", name, port.Published, port.HostIP)
			}
		}
		for _, volume := range service.Volumes {
			info, err := os.Stat(volume.Source)
			if err != nil || !info.Mode().IsRegular() || !volume.ReadOnly {
				t.Errorf("%s: %s is no file that is mounted to be read (%v)", name, volume.Source, err)
			} else if info.Mode().Perm()&0o004 == 0 {
				t.Errorf("%s: the user of the container may not read %s", name, volume.Source)
			}
		}
	}
	build := p.Services["dragoman"].Build
	if _, err := os.Stat(filepath.Join(build.Context, "Dockerfile")); err != nil {
		t.Error(err)
	}
}

// Dragoman gets its configuration, Prometheus its configuration and the rules, and the shell the client.
func TestComposeConfigurations(t *testing.T) {
	p := project(t)
	command := p.Services["dragoman"].Command
	config := command[slices.Index(command, "--config")+1]
	t.Setenv("DRAGOMAN_KEY", key)
	t.Log(install.Run(t, ".", dragoman, "check", "--config", mounted(t, p, "dragoman", config), "--listen", "0.0.0.0:8484"))

	install.Need(t, "promtool")
	folder := t.TempDir()
	install.Copy(t, folder, mounted(t, p, "prometheus", "/etc/prometheus/prometheus.yml"), mounted(t, p, "prometheus", "/etc/prometheus/alerts.yaml"))
	t.Log(install.Run(t, folder, "promtool", "check", "config", "prometheus.yaml"))

	install.Run(t, ".", "sh", "-n", mounted(t, p, "client", p.Services["client"].Entrypoint[1]))
}

// mounted returns the file of this machine that a service mounts at a path.
func mounted(t *testing.T, p *types.Project, service, target string) string {
	t.Helper()
	for _, volume := range p.Services[service].Volumes {
		if volume.Target == target {
			return volume.Source
		}
	}
	t.Fatalf("%s has nothing at %s", service, target)
	return ""
}

// The services find one another: every address names a service and a port on which it listens.
func TestComposeAddresses(t *testing.T) {
	p := project(t)
	ports := map[string]string{"dragoman": "8484 8485", "prometheus": "9090"}
	text := read(t, compose+"/compose.yaml") + read(t, compose+"/prometheus.yaml") + read(t, compose+"/grafana/datasources.yaml")
	addresses := regexp.MustCompile(`(?:http://|targets: \[)([a-z]+):(\d+)`).FindAllStringSubmatch(text, -1)
	if len(addresses) != 3 {
		t.Errorf("there are %d addresses: %q", len(addresses), addresses)
	}
	for _, address := range addresses {
		if _, known := p.Services[address[1]]; !known || !strings.Contains(ports[address[1]], address[2]) {
			t.Errorf("nothing listens on %s:%s", address[1], address[2])
		}
	}
	client, server := p.Services["client"].Environment["API_KEY"], p.Services["dragoman"].Environment["DRAGOMAN_KEY"]
	if client == nil || server == nil || *client != key || *server != key || !strings.Contains(read(t, compose+"/dragoman.yaml"), `keys: ["${DRAGOMAN_KEY}"]`) {
		t.Error("the client's key is not Dragoman's")
	}
}

// Grafana's provisioning files, with exactly the members in its documentation.
type (
	datasources struct {
		APIVersion  int `yaml:"apiVersion"`
		Datasources []struct {
			Name, UID, Type, Access, URL string
			IsDefault                    bool `yaml:"isDefault"`
			JSONData                     struct {
				TimeInterval string `yaml:"timeInterval"`
				HTTPMethod   string `yaml:"httpMethod"`
			} `yaml:"jsonData"`
		}
	}
	providers struct {
		APIVersion int `yaml:"apiVersion"`
		Providers  []struct {
			Name, Type string
			Options    struct{ Path string }
		}
	}
)

func TestGrafanaProvisioning(t *testing.T) {
	p := project(t)
	var sources datasources
	strictly(t, mounted(t, p, "grafana", "/etc/grafana/provisioning/datasources/dragoman.yaml"), &sources)
	var scraped struct {
		Global struct {
			Interval string `yaml:"scrape_interval"`
		}
	}
	if err := yaml.Unmarshal([]byte(read(t, compose+"/prometheus.yaml")), &scraped); err != nil {
		t.Fatal(err)
	}
	if s := sources.Datasources[0]; s.Type != "prometheus" || !s.IsDefault || s.JSONData.TimeInterval != scraped.Global.Interval {
		t.Errorf("the data source is %+v; Prometheus scrapes every %s", s, scraped.Global.Interval)
	}

	var found providers
	strictly(t, mounted(t, p, "grafana", "/etc/grafana/provisioning/dashboards/dragoman.yaml"), &found)
	home := p.Services["grafana"].Environment["GF_DASHBOARDS_DEFAULT_HOME_DASHBOARD_PATH"]
	if home == nil || filepath.Dir(*home) != found.Providers[0].Options.Path {
		t.Errorf("the dashboard that opens is not among those of %+v", found.Providers)
	}
	mounted(t, p, "grafana", *home)
}

func strictly(t *testing.T, path string, into any) {
	t.Helper()
	decoder := yaml.NewDecoder(bytes.NewReader([]byte(read(t, path))))
	decoder.KnownFields(true)
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}
