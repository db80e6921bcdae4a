package config

import (
	"bytes"
	_ "embed"
	"encoding/json"
)

// schema is the JSON Schema on one line. The tests make it from the fields of [Config], their tags and their comments.
//
//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema of the configuration file, draft 2020-12. It covers what can be checked without the
// file's other values; [Load] checks more.
func Schema() []byte {
	var out bytes.Buffer
	if err := json.Indent(&out, schema, "", "  "); err != nil {
		panic(err) // the tests have made it
	}
	return out.Bytes()
}
