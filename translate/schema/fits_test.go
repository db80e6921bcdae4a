package schema

import (
	"testing"

	"github.com/go-json-experiment/json/jsontext"
)

// TestMisfits checks which members of an input have a value of another type.
func TestMisfits(t *testing.T) {
	s := Compile(jsontext.Value(`{"type":"object","properties":{
		"s":{"type":"string"},"i":{"type":"integer"},"n":{"type":"number"},"b":{"type":"boolean"},
		"l":{"type":"array","items":{"type":"integer"}},"o":{"type":"object"},"any":{},"maybe":{"type":["integer","null"]},
		"e":{"enum":["x",2]},"color":{"type":"string","enum":["red"]},"or":{"anyOf":[{"type":"integer"},{"enum":["all"]}]}}}`))
	for input, misfits := range map[string]bool{
		`{}`: false,
		`{"s":"a","i":3,"n":2.5,"b":true,"l":[],"o":{},"any":[1],"e":"x","color":"red","or":1}`: false,
		`{"i":3.0}`:                 false,
		`{"maybe":null}`:            false,
		`{"or":"all"}`:              false,
		`{"e":2}`:                   false,
		`{"l":["a"]}`:               false, // as in AppendTyped
		`{"other":7}`:               false, // the names are checked elsewhere
		`{"i":[true]}`:              true,
		`{"i":"3"}`:                 true,
		`{"i":2.5}`:                 true,
		`{"i":null}`:                true,
		`{"s":5}`:                   true,
		`{"s":{"a":1}}`:             true,
		`{"b":"true"}`:              true,
		`{"l":{}}`:                  true,
		`{"o":"a"}`:                 true,
		`{"s":"a","b":true,"i":""}`: true,
	} {
		if s.Misfits(jsontext.Value(input)) != misfits {
			t.Errorf("%s: %v", input, !misfits)
		}
	}
}
