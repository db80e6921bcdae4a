package upstream

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient spares the JSON decoder the look-up of every name among its siblings: a
// duplicate in what an upstream sends harms nobody.
var lenient = jsontext.AllowDuplicateNames(true)

// digits returns how many digits of a number b begins with. Zeros do not stand before
// other digits in JSON: of "01" it is one.
func digits(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' && (n == 0 || b[0] != '0') {
		n++
	}
	return n
}

// encodeBody returns the body of a request as JSON. It is an [*Error] if a text in it is not UTF-8, or a source is
// not JSON.
func encodeBody(body any) ([]byte, error) {
	data, err := json.Marshal(body, lenient)
	if err != nil {
		e := invalidRequest.error("the prompt cannot be written as JSON")
		e.Err = err
		return nil, e
	}
	return data, nil
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
