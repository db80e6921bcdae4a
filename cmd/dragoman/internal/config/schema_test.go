package config

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v3"
	"golang.org/x/tools/txtar"

	"dragoman/proxy"
	"dragoman/upstream"
)

var update = flag.Bool("update", false, "write the schema, the one of the chart's values, and the page of keys")

// compiled returns the schema of the file.
func compiled(t testing.TB) *jsonschema.Schema {
	t.Helper()
	return compile(t, Schema())
}

// compile returns a schema, compiled by an independent library.
func compile(t testing.TB, schema []byte) *jsonschema.Schema {
	t.Helper()
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(schema))
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

// validate returns the schema's error about a file, or an error if the file is not YAML.
func validate(s *jsonschema.Schema, file []byte) error {
	var value any
	if err := yaml.Unmarshal(file, &value); err != nil {
		return err
	}
	return s.Validate(value)
}

// The embedded schema, the published one, and the one in the schema of the chart's values agree with the fields of
// Config. The chart has it so that helm rejects what the program would reject: on one line, and without $schema,
// because the values have their own.
func TestSchemaPage(t *testing.T) {
	made := makeSchema(t)
	if *update {
		schema = made
	}
	page(t, "schema.json", made)
	page(t, "../../../../docs/reference/configuration.schema.json", Schema())

	const chart = "../../../../deploy/helm/dragoman/values.schema.json"
	values, err := os.ReadFile(chart)
	if err != nil {
		t.Fatal(err)
	}
	inChart := bytes.Replace(bytes.TrimSpace(made), []byte(`"$schema":"https://json-schema.org/draft/2020-12/schema",`), nil, 1)
	line := regexp.MustCompile(`(?m)^    "configuration": .*,$`)
	if !line.Match(values) {
		t.Errorf("%s has no schema of the configuration", chart)
	}
	page(t, chart, line.ReplaceAllLiteral(values, slices.Concat([]byte(`    "configuration": `), inChart, []byte(","))))
}

// page checks that a file is what the program makes, or writes it.
func page(t *testing.T, path string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is another: %v; go test ./cmd/dragoman/internal/config -run Page -update", path, err)
	}
}

// everyKey calls yield for each key of the file, with its path. [] stands for a list's element, and NAME for an entry
// of a mapping with the user's own names. A fallback has the keys of an entry of models.
func everyKey(yield func(path string, k key)) {
	var walk func(ks []key, path, see string)
	walk = func(ks []key, path, see string) {
		for _, k := range ks {
			path := below(path, k.name)
			if k.tag.Get("see") == "" {
				k.tag += reflect.StructTag(" see:" + strconv.Quote(see))
			}
			yield(path, k)
			switch {
			case path == "models[].fallbacks":
			case k.isList() && k.tag.Get("named") != "":
				walk(k.grow().keys(), path+".NAME", k.tag.Get("see"))
			case k.isList():
				walk(k.grow().keys(), path+"[]", k.tag.Get("see"))
			default:
				walk(k.keys(), path, k.tag.Get("see"))
			}
		}
	}
	walk(keysOf(new(Config)), "", "")
}

// Every key has a description, an example that the schema accepts, and a readable default.
func TestEveryKey(t *testing.T) {
	docs, count := docsOf(t), 0
	everyKey(func(path string, k key) {
		count++
		if !strings.HasSuffix(docs.of(k), ".") {
			t.Errorf("%s: the comment is %q", path, docs.of(k))
		}
		is, list := k.tag.Get("is"), k.tag.Get("list")
		if is != "" && is != "secret" && checks[is] == nil || list != "" && lists[list] == nil {
			t.Errorf("%s: there is no check %q, or no list %q", path, is, list)
		}
		if value, ok := k.tag.Lookup("default"); ok {
			if bad := k.set(value); bad != nil {
				t.Errorf("%s: the default %q: %v", path, value, *bad)
			}
		}
		described, err := json.Marshal(docs.behind(k))
		if err != nil {
			t.Fatal(err)
		}
		if err := validate(compile(t, described), []byte(k.tag.Get("example"))); err != nil {
			t.Errorf("%s: the example %s: %v", path, k.tag.Get("example"), err)
		}
	})
	if count < 75 {
		t.Errorf("%d keys", count)
	}
}

// TestDefaults: the file's defaults are the proxy's, and every feature has a key.
func TestDefaults(t *testing.T) {
	c := new(Config)
	fill(keysOf(c))
	if c.Attempts != proxy.DefaultAttempts || c.BodyBytes != proxy.DefaultBodyBytes || c.Timeouts.Proxy() != proxy.DefaultTimeouts || c.Connect != upstream.DefaultConnect {
		t.Errorf("%+v", c)
	}
	for _, name := range upstream.FeatureNames() {
		if _, ok := find(keysOf(new(Model)), name); !ok {
			t.Errorf("%s has no key", name)
		}
	}
}

// The examples on the pages fit the schema.
func TestSchemaOfPages(t *testing.T) {
	s := compiled(t)
	page, err := os.ReadFile("../../../../docs/reference/configuration.md")
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

// beyondSchema are the cases of broken.txtar whose single values the schema accepts.
var beyondSchema = []string{
	"undeclared-near", "undeclared-far", "undeclared-none", "no-models", "text-wire", "drain",
	"variable-unset", "secret-absent", "listen-open", "listen-same", "tls-missing", "resources",
	"documents", // the first of these is valid
}

// The schema rejects single wrong values, and accepts what the reader accepts.
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
