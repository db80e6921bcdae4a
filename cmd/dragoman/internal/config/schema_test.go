package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"dragoman/proxy"
)

var update = flag.Bool("update", false, "write docs/configuration.schema.json, and the schema of the chart's values")

// compiled returns the schema, compiled by a library that knows nothing of ours.
func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(Schema()))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.DefaultDraft(jsonschema.Draft2020)
	if err := c.AddResource("config.json", document); err != nil {
		t.Fatal(err)
	}
	s, err := c.Compile("config.json")
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// validate returns what the schema says of a file; an error, too, if that is no YAML.
func validate(s *jsonschema.Schema, file []byte) error {
	var value any
	if err := yaml.Unmarshal(file, &value); err != nil {
		return err
	}
	return s.Validate(value)
}

// The schema that is published is the one that the program prints.
func TestSchemaPage(t *testing.T) {
	const path = "../../../../docs/configuration.schema.json"
	if *update {
		if err := os.WriteFile(path, Schema(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	page, err := os.ReadFile(path)
	if err != nil || !bytes.Equal(page, Schema()) {
		t.Errorf("%v; go test ./cmd/dragoman/internal/config -run TestSchemaPage -update", err)
	}
}

// The schema of the chart's values includes it, so that helm refuses what the program would: on one line,
// and without the draft, which is that of the values.
func TestSchemaPageOfChart(t *testing.T) {
	const path = "../../../../deploy/helm/dragoman/values.schema.json"
	var schema bytes.Buffer
	if err := json.Compact(&schema, Schema()); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(schema.String(), `"$schema":"https://json-schema.org/draft/2020-12/schema",`, "", 1)
	values, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	line := regexp.MustCompile(`(?m)^    "configuration": (.*),$`)
	if *update {
		values = line.ReplaceAllLiteral(values, []byte(`    "configuration": `+want+`,`))
		if err := os.WriteFile(path, values, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got := line.FindSubmatch(values); got == nil || string(got[1]) != want {
		t.Error("the chart has another schema; go test ./cmd/dragoman/internal/config -run TestSchemaPage -update")
	}
}

// Every key that is read has a schema which says what it is for and what may stand there, and the
// default that config print shows.
func TestSchemaOfEveryKey(t *testing.T) {
	l := &loader{cfg: new(Config)}
	keys := 0
	walk := func(fs fields, s schema, path string) {
		if s.Additional != false || len(s.Properties) != len(fs) {
			t.Errorf("%s: %d keys are read, and %d described; others: %v", path, len(fs), len(s.Properties), s.Additional)
		}
		for _, f := range fs {
			keys++
			property, key := s.Properties[f.name], path+f.name
			if property.Description == "" || !strings.HasSuffix(property.Description, ".") {
				t.Errorf("%s: the description is %q", key, property.Description)
			}
			if property.Type == nil && property.Const == "" && len(property.AnyOf) == 0 {
				t.Errorf("%s has no type", key)
			}
			shown := f.shown(&printer{new(Config)}, key)
			if key == "timeouts.drain_delay" {
				continue // its default depends on other values, as it says
			}
			if shown != nil && shown.Kind == yaml.ScalarNode && property.Const == "" && property.Default == nil {
				t.Errorf("%s: %q counts where nothing is said, and is no default", key, shown.Value)
			}
			if shown != nil && shown.Kind == yaml.ScalarNode && property.Default != nil && fmt.Sprint(property.Default) != shown.Value {
				t.Errorf("%s: the default is %v, and %q counts", key, property.Default, shown.Value)
			}
		}
	}
	top := objectSchema(l.top(), nil)
	walk(l.top(), top, "")
	for name, fs := range map[string]fields{"tls": l.tls(), "auth": l.auth(), "cors": l.cors(), "limits": l.limits(), "timeouts": l.timeouts()} {
		walk(fs, top.Properties[name], name+".")
	}
	for i, kind := range kinds {
		walk(l.upstream(&Upstream{Kind: kind}), top.Properties["upstreams"].Additional.(schema).OneOf[i], kind+".")
	}
	for name, s := range map[string]schema{"models.": *top.Properties["models"].Items} {
		walk(l.route(new(proxy.Route)), s, name)
		walk(l.upstreamModel(new(proxy.UpstreamModel)), *s.Properties["fallbacks"].Items, name+"fallbacks.")
	}
	walk(l.keyFields(new(keyEntry)), top.Properties["auth"].Properties["keys"].Items.AnyOf[2], "auth.keys.")
	if keys < 90 {
		t.Errorf("%d keys", keys)
	}
}

// The examples of the pages fit the schema.
func TestSchemaOfPages(t *testing.T) {
	s := compiled(t)
	page, err := os.ReadFile("../../../../docs/configuration.md")
	if err != nil {
		t.Fatal(err)
	}
	var examples [][]byte
	for _, block := range regexp.MustCompile("(?ms)^```yaml\n(.*?)^```$").FindAllSubmatch(page, -1) {
		examples = append(examples, block[1])
	}
	if len(examples) < 2 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, name := range []string{"compose", "sidecar/kustomize-example"} {
		file, err := os.ReadFile("../../../../deploy/" + name + "/dragoman.yaml")
		if err != nil {
			t.Fatal(err)
		}
		examples = append(examples, file)
	}
	for _, example := range examples {
		if err := validate(s, example); err != nil {
			t.Errorf("%v in\n%s", err, example)
		}
	}
}

// beyondSchema are the cases of broken.txtar in which every value is right by itself.
var beyondSchema = []string{
	"undeclared-near", "undeclared-far", "undeclared-none", "no-models", "text-wire", "drain",
	"variable-unset", "secret-absent", "listen-open", "listen-same", "tls-missing",
	"documents", // the first of which is right
}

// The schema refuses what is wrong by itself, and takes what the reader takes.
func TestSchemaOfBroken(t *testing.T) {
	s := compiled(t)
	archive, err := txtar.ParseFile("testdata/broken.txtar")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for i := 0; i+1 < len(archive.Files); i += 2 {
		name := strings.TrimSuffix(archive.Files[i].Name, ".yaml")
		err := validate(s, archive.Files[i].Data)
		seen[name] = true
		if beyond := slices.Contains(beyondSchema, name); (err == nil) != beyond {
			t.Errorf("%s: the schema says %v of\n%s", name, err, archive.Files[i].Data)
		}
	}
	for _, name := range beyondSchema {
		if !seen[name] {
			t.Errorf("there is no %s", name)
		}
	}
}
