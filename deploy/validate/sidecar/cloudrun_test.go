package sidecar

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	run "google.golang.org/api/run/v1"
	kjson "sigs.k8s.io/json"
	"sigs.k8s.io/yaml"
)

// cloudRun decodes the service strictly into the types of Cloud Run's own API.
func cloudRun(t *testing.T) run.Service {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "cloudrun", "service.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	service, err := decodeService(text)
	if err != nil {
		t.Fatal(err)
	}
	return service
}

func decodeService(text []byte) (run.Service, error) {
	var service run.Service
	data, err := yaml.YAMLToJSONStrict(text)
	if err != nil {
		return service, err
	}
	problems, err := kjson.UnmarshalStrict(data, &service)
	if err == nil && len(problems) > 0 {
		err = problems[0]
	}
	return service, err
}

// The application receives the requests, and starts after dragoman's probe has passed.
func TestCloudRun(t *testing.T) {
	service := cloudRun(t)
	template := service.Spec.Template
	app, sidecar := cloudRunContainer(t, service, "app"), cloudRunContainer(t, service, "dragoman")
	if service.ApiVersion != "serving.knative.dev/v1" || service.Kind != "Service" {
		t.Errorf("is a %s of %s", service.Kind, service.ApiVersion)
	}
	if len(app.Ports) != 1 || len(sidecar.Ports) > 0 {
		t.Error("exactly one container may have a port: the application")
	}
	var waits map[string][]string
	err := json.Unmarshal([]byte(template.Metadata.Annotations["run.googleapis.com/container-dependencies"]), &waits)
	if err != nil || !slices.Equal(waits["app"], []string{"dragoman"}) {
		t.Errorf("containers wait for %v (%v)", waits, err)
	}
	for name, probe := range map[string]*run.Probe{"startup": sidecar.StartupProbe, "liveness": sidecar.LivenessProbe} {
		if probe == nil || probe.HttpGet == nil || probe.HttpGet.Path != "/healthz" || probe.HttpGet.Port != 8485 {
			t.Errorf("%s probe asks %v, want /healthz of the admin port", name, probe)
			continue
		}
		if probe.TimeoutSeconds > probe.PeriodSeconds {
			t.Errorf("%s probe: Cloud Run refuses a timeout above the period", name)
		}
	}
}

func cloudRunForm(t *testing.T) form {
	t.Helper()
	service := cloudRun(t)
	sidecar := cloudRunContainer(t, service, "dragoman")
	f := form{
		args:        sidecar.Args,
		environment: cloudRunEnvironment(sidecar),
		application: cloudRunEnvironment(cloudRunContainer(t, service, "app")),
	}
	if sidecar.StartupProbe != nil && sidecar.StartupProbe.HttpGet != nil {
		f.probe = sidecar.StartupProbe.HttpGet.Path
	}
	return f
}

func cloudRunContainer(t *testing.T, service run.Service, name string) *run.Container {
	t.Helper()
	for _, c := range service.Spec.Template.Spec.Containers {
		if c.Name == name {
			return c
		}
	}
	t.Fatalf("no container is called %s", name)
	return nil
}

func cloudRunEnvironment(container *run.Container) map[string]string {
	all := map[string]string{}
	for _, v := range container.Env {
		all[v.Name] = v.Value
	}
	return all
}
