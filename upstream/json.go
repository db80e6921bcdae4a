package upstream

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient spares the JSON decoder the look-up of every name among its siblings: a
// duplicate in what an upstream sends harms nobody.
var lenient = jsontext.AllowDuplicateNames(true)

// stringEnd returns where the JSON string ends that b begins with, len(b) if it does not
// end. The caller has to know that b begins with a quotation mark.
func stringEnd(b []byte) int {
	end := 1
	for end < len(b) && b[end] != '"' {
		if b[end] == '\\' {
			end++
		}
		end++
	}
	return min(end+1, len(b))
}

// digits returns how many digits of a number b begins with. Zeros do not stand before
// other digits in JSON: of "01" it is one.
func digits(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' && (n == 0 || b[0] != '0') {
		n++
	}
	return n
}

// asJSON returns v as JSON. It panics if v cannot be encoded, so it is only for values that
// always can be, such as ids and names that were checked.
func asJSON(v any) jsontext.Value {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
