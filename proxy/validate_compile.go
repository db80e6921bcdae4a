package proxy

import (
	"encoding/json"
	"strings"
)

// compileCost estimates what it takes to compile a schema, above budget if it is not to be
// compiled at all. The library keeps a pointer to each schema that it has seen, looks
// through all for every $id, and copies all for a $ref to a place that it does not know to
// hold a schema. For any other $ref it compares them, which takes a twentieth of that.
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

type schemaWalk struct {
	cost, objects int
	refs          int // all
	jumps         int // each $id, and each $ref to a place that may be any
	defs          int // each $ref to one of $defs, which drafts before 2019-09 do not know
	oldDraft      bool
	endless       bool
}

// keyword takes down a member of an object that is a text.
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
