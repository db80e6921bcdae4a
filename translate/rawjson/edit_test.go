package rawjson

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

func TestWithMembers(t *testing.T) {
	object := jsontext.Value(`{ "a" : 1, "b":{"x": [1, 2]},"c":"\u00e9" }`)
	got := WithMembers(object, map[string]jsontext.Value{"a": nil, "c": jsontext.Value(`3`), "d": jsontext.Value(`true`)})
	if want := `{"b":{"x": [1, 2]},"c":3,"d":true}`; string(got) != want {
		t.Errorf("%s, want %s", got, want)
	}
}
