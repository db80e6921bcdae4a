package check

import (
	"encoding/json"
	"strings"
)

// compileCost estimates the work of compiling a schema; endless if it should not be compiled at all. The library keeps
// a pointer to each schema that it has seen. For every $id it searches all of them. For a $ref to a place where it does
// not expect a schema it copies all of them. For any other $ref it compares them, which takes a twentieth of that. The
// factors were measured.
func compileCost(doc any) int {
	var w schemaWalk
	w.walk(doc, 0, 0)
	if w.endless {
		return endless
	}
	if w.oldDraft {
		w.jumps += w.defs
	}
	return 30 + w.cost + w.jumps*w.objects/5 + w.refs*w.objects/100
}

// schemaWalk counts in one pass what makes a schema expensive.
type schemaWalk struct {
	cost, objects int
	refs          int  // of all kinds
	jumps         int  // each $id, and each $ref to a place that may not be a schema
	defs          int  // each $ref into $defs, where drafts before 2019-09 expect no schemas
	oldDraft      bool // $schema names a draft before 2019-09
	endless       bool // a number takes too much work: see isSmallNumber
}

// keyword counts a field of an object if it is a keyword with a string value.
func (w *schemaWalk) keyword(name, text string) {
	switch name {
	case "$schema":
		w.oldDraft = w.oldDraft || !strings.HasPrefix(text, "https://json-schema.org/draft/20")
	case "$id", "id":
		w.jumps++
	case "$ref":
		w.refs++
		table, of, _ := strings.Cut(strings.TrimPrefix(text, "#/"), "/")
		switch {
		case text == "#":
		case !strings.HasPrefix(text, "#/"), of == "", strings.ContainsAny(of, "/%"):
			w.jumps++
		case table == "$defs":
			w.defs++
		case table != "definitions":
			w.jumps++
		}
	}
}

// walk counts a value of the schema and all values inside it. depth is the number of values around it. pointer is the
// length of the JSON pointer to the value, in bytes: the library builds that pointer, so its length costs.
func (w *schemaWalk) walk(v any, depth, pointer int) {
	switch v := v.(type) {
	case map[string]any:
		w.objects++
		w.cost += 15 + depth + pointer/32
		for name, in := range v {
			if text, ok := in.(string); ok {
				w.keyword(name, text)
			}
			w.walk(in, depth+1, pointer+1+len(name))
		}
	case []any:
		w.cost += 1 + len(v)/4
		for _, in := range v {
			w.walk(in, depth+1, pointer+2)
		}
	case json.Number:
		w.endless = w.endless || !isSmallNumber(v)
	}
}
