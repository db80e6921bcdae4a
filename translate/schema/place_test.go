package schema

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

func TestResolveRef(t *testing.T) {
	root := readPlace(jsontext.Value(`{"a/b":{"~c":[1,{"d":2}]},"":3,"ü %":4}`))
	for ref, want := range map[string]string{
		"#": string(root.raw), "#/a~1b/~0c/1/d": "2", "#/": "3", "#/a~1b/~0c/7": "", "#/none": "", "x": "", "#x": "",
		"#/a%2Fb": "", "#/a~1b/%7E0c/0": "1", "#%2Fa~1b/~0c/0": "1", "#/%C3%BC%20%25": "4", "#/ü %": "4",
	} {
		got := ""
		if p := root.resolve(rawjson.AppendString(nil, ref)); p != nil {
			got = string(p.raw)
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", ref, got, want)
		}
	}
}
