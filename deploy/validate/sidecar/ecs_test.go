package sidecar

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/ecs"
	"github.com/aws/aws-sdk-go-v2/service/ecs/types"
	"github.com/google/go-cmp/cmp"
)

// The AWS SDK registers exactly the task definition in the file. An unknown key, or a key in another case,
// would be lost on the way. A wrong type would not decode. The SDK checks required keys.
func TestTaskDefinition(t *testing.T) {
	text := read(t, "task-definition.json")
	var want, got any
	if err := json.Unmarshal(text, &want); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(registered(t, taskDefinition(t)), &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the registered definition differs from the file (-file +sent):\n%s", diff)
	}
	checkEnums(t, "", reflect.ValueOf(taskDefinition(t)))
}

// registered returns the body with which the SDK registers a task definition.
func registered(t *testing.T, definition ecs.RegisterTaskDefinitionInput) []byte {
	t.Helper()
	var body []byte
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ = io.ReadAll(r.Body)
		_, _ = io.WriteString(w, "{}")
	}))
	defer server.Close()
	client := ecs.New(ecs.Options{
		Region: "us-east-1", BaseEndpoint: &server.URL,
		Credentials: aws.CredentialsProviderFunc(anyCredentials),
	})
	if _, err := client.RegisterTaskDefinition(t.Context(), &definition); err != nil {
		t.Fatal(err)
	}
	return body
}

// checkEnums fails the test for enumeration values that the SDK does not know.
func checkEnums(t *testing.T, path string, v reflect.Value) {
	t.Helper()
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			checkEnums(t, path, v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			checkEnums(t, path, v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if v.Type().Field(i).IsExported() {
				checkEnums(t, path+"."+v.Type().Field(i).Name, v.Field(i))
			}
		}
	case reflect.String:
		values := v.MethodByName("Values")
		if !values.IsValid() || v.String() == "" {
			return
		}
		known := values.Call(nil)[0]
		for i := range known.Len() {
			if known.Index(i).String() == v.String() {
				return
			}
		}
		t.Errorf("%s: %s is not one of %v", path, v, known)
	}
}

// The application waits for dragoman's health check, and is stopped before dragoman. Both containers are
// restricted.
func TestTask(t *testing.T) {
	definition := taskDefinition(t)
	if definition.NetworkMode != types.NetworkModeAwsvpc {
		t.Errorf("network mode %s: the containers share no loopback", definition.NetworkMode)
	}
	app, sidecar := ecsContainer(t, definition, "app"), ecsContainer(t, definition, "dragoman")
	waits := []types.ContainerDependency{{ContainerName: aws.String("dragoman"), Condition: types.ContainerConditionHealthy}}
	if !reflect.DeepEqual(app.DependsOn, waits) {
		t.Errorf("application waits for %v", app.DependsOn)
	}
	if len(sidecar.PortMappings) > 0 {
		t.Error("dragoman is reached from outside")
	}
	memory := int32(0)
	for _, c := range []types.ContainerDefinition{app, sidecar} {
		memory += aws.ToInt32(c.Memory)
		if !aws.ToBool(c.ReadonlyRootFilesystem) {
			t.Errorf("%s can write its root file system", *c.Name)
		}
		if user := aws.ToString(c.User); user == "" || strings.HasPrefix(user, "0") || user == "root" {
			t.Errorf("%s runs as %q", *c.Name, user)
		}
		if c.LinuxParameters == nil || c.LinuxParameters.Capabilities == nil ||
			!slices.Equal(c.LinuxParameters.Capabilities.Drop, []string{"ALL"}) {
			t.Errorf("%s keeps capabilities", *c.Name)
		}
		if stop := aws.ToInt32(c.StopTimeout); stop != 120 {
			t.Errorf("%s has %d seconds to stop, Fargate gives 120", *c.Name, stop)
		}
	}
	if memory > 1024 {
		t.Errorf("containers have %d MiB, the task 1024", memory)
	}
}

// The role allows only the actions that dragoman needs, and names its models.
func TestTaskRole(t *testing.T) {
	var policy struct {
		Version   string
		Statement []struct {
			Sid, Effect      string
			Action, Resource []string
		}
	}
	decoder := json.NewDecoder(strings.NewReader(string(read(t, "task-role-policy.json"))))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&policy); err != nil {
		t.Fatal(err)
	}
	if len(policy.Statement) != 1 || policy.Statement[0].Effect != "Allow" {
		t.Fatalf("is not one statement that allows: %+v", policy)
	}
	want := []string{"bedrock:InvokeModel", "bedrock:InvokeModelWithResponseStream"}
	if got := policy.Statement[0].Action; !slices.Equal(got, want) {
		t.Errorf("allows %v, want %v", got, want)
	}
	for _, resource := range policy.Statement[0].Resource {
		if !strings.HasPrefix(resource, "arn:aws:bedrock:us-east-1::foundation-model/") || strings.Contains(resource, "*") {
			t.Errorf("resource %s names no model", resource)
		}
	}
}

func ecsForm(t *testing.T) form {
	t.Helper()
	definition := taskDefinition(t)
	sidecar := ecsContainer(t, definition, "dragoman")
	if sidecar.HealthCheck == nil || len(sidecar.HealthCheck.Command) < 2 || sidecar.HealthCheck.Command[0] != "CMD" {
		t.Fatal("dragoman has no health check that needs no shell")
	}
	return form{
		args:        sidecar.Command,
		environment: ecsEnvironment(sidecar),
		application: ecsEnvironment(ecsContainer(t, definition, "app")),
		healthcheck: sidecar.HealthCheck.Command[1:],
	}
}

func taskDefinition(t *testing.T) ecs.RegisterTaskDefinitionInput {
	t.Helper()
	var definition ecs.RegisterTaskDefinitionInput
	if err := json.Unmarshal(read(t, "task-definition.json"), &definition); err != nil {
		t.Fatal(err)
	}
	return definition
}

func ecsContainer(t *testing.T, definition ecs.RegisterTaskDefinitionInput, name string) types.ContainerDefinition {
	t.Helper()
	for _, c := range definition.ContainerDefinitions {
		if aws.ToString(c.Name) == name {
			return c
		}
	}
	t.Fatalf("no container is called %s", name)
	return types.ContainerDefinition{}
}

func ecsEnvironment(container types.ContainerDefinition) map[string]string {
	all := map[string]string{}
	for _, v := range container.Environment {
		all[aws.ToString(v.Name)] = aws.ToString(v.Value)
	}
	return all
}

func read(t *testing.T, name string) []byte {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(folder, "ecs", name))
	if err != nil {
		t.Fatal(err)
	}
	return text
}
