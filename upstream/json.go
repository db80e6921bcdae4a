package upstream

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// lenient lets the JSON decoder accept duplicate names, which saves looking up every name. Duplicates in data
// of an upstream do no harm.
var lenient = jsontext.AllowDuplicateNames(true)

// digits returns how many leading bytes of b form a JSON integer. In JSON no digit follows a leading zero, so
// for "01" it returns 1.
func digits(b []byte) int {
	n := 0
	for n < len(b) && b[n] >= '0' && b[n] <= '9' && (n == 0 || b[0] != '0') {
		n++
	}
	return n
}

// encodeBody returns the body of a request as JSON. If a text is not UTF-8 or a source is not JSON, the error
// is an [*Error].
func encodeBody(body any) ([]byte, error) {
	data, err := json.Marshal(body, lenient)
	if err != nil {
		e := invalidRequest.error("the prompt cannot be written as JSON: a text is not UTF-8, or a source is not JSON")
		e.Err = err
		return nil, e
	}
	return data, nil
}

// asJSON returns v as JSON. It panics if v cannot be encoded, so use it only for values such as checked ids
// and names.
func asJSON(v any) jsontext.Value {
	data, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return data
}
