package schema

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file decides which definitions of a tool's schema replace the $ref to them, and which are
// listed by name after the parameters.

// Limits on inlining. Each level of nesting costs a pass over everything below it, and definitions
// that refer to each other often would grow without end. Beyond a limit, a $ref stays.
const (
	maxInlineDepth = 32
	inlineFactor   = 4
	inlineSlack    = 4 << 10
)

// definitions are the named schemas of a tool: its $defs and definitions. A definition that does
// not contain itself replaces each $ref to it, while the budget lasts. All others, and definitions
// without a $ref to them, are listed by name.
//
// They are found in the text itself, not in places: every tool of every request is described, and
// most tools have no definitions.
type definitions struct {
	list    []definition
	index   map[definitionKey]int
	budget  int  // bytes that may still be inlined
	listAll bool // a remaining $ref may lead into any definition
	noRefs  bool // the schema has no $ref
}

// definitionKey identifies a definition: the keyword that holds it, and its name.
type definitionKey struct{ keyword, name string }

// definition is one named schema.
type definition struct {
	ref        string // the quoted $ref that leads to it
	schema     jsontext.Value
	types      []string // see refTypes; nil if not known yet
	state      uint8    // state of the search for cycles
	recursive  bool     // it leads back to itself, so it is never inlined
	inlined    bool     // it has replaced a $ref
	referenced bool     // a $ref to it was written
	listed     bool     // it will be listed by name
}

// The states of the search for cycles.
const (
	unvisited = iota
	visiting
	visited
)

// readDefinitions returns the definitions of a tool's schema.
func readDefinitions(root jsontext.Value) definitions {
	d := definitions{budget: inlineFactor*len(root) + inlineSlack, noRefs: !bytes.Contains(root, []byte(`"$ref"`))}
	for name, table := range rawjson.Members(root) {
		if string(name) != `"$defs"` && string(name) != `"definitions"` {
			continue
		}
		keyword := rawjson.Unquote(name)
		for name, schema := range rawjson.Members(table) {
			if d.index == nil {
				d.index = make(map[definitionKey]int)
			}
			d.index[definitionKey{keyword, rawjson.Unquote(name)}] = len(d.list)
			d.list = append(d.list, definition{ref: `"#/` + keyword + "/" + string(name[1:]), schema: schema})
		}
	}
	for i := range d.list {
		d.markRecursive(i, 0)
	}
	return d
}

// markRecursive marks the definitions that lead back to themselves, starting with the ith one.
func (d *definitions) markRecursive(i, depth int) {
	if d.list[i].state != unvisited {
		return
	}
	d.list[i].state = visiting
	d.eachRef(d.list[i].schema, 0, func(ref jsontext.Value) {
		j, whole := d.find(ref)
		switch {
		case !whole:
		case d.list[j].state == visiting || depth == maxInlineDepth:
			d.list[j].recursive = true
		default:
			d.markRecursive(j, depth+1)
		}
	})
	d.list[i].state = visited
}

// eachRef calls visit with the value of each $ref in a schema.
func (d *definitions) eachRef(schema jsontext.Value, depth int, visit func(ref jsontext.Value)) {
	if depth > maxInlineDepth {
		d.listAll = true
		return
	}
	for s := range rawjson.Elements(schema) {
		d.eachRef(s, depth+1, visit)
	}
	for name, value := range rawjson.Members(schema) {
		switch kind := contentOf(name); {
		case isRef(quotedMember{name, value}):
			visit(value)
		case kind == holdsNamed && value[0] == '{':
			for _, s := range rawjson.Members(value) {
				d.eachRef(s, depth+1, visit)
			}
		case kind != holdsData:
			d.eachRef(value, depth+1, visit)
		}
	}
}

// find returns the index of the definition that a $ref leads to or into, or -1. whole reports
// whether the $ref leads to the whole definition.
func (d *definitions) find(ref jsontext.Value) (i int, whole bool) {
	pointer, ok := localRef(ref)
	if !ok || len(pointer) < 2 {
		return -1, false
	}
	i, ok = d.index[definitionKey{pointer[0], pointer[1]}]
	if !ok {
		return -1, false
	}
	return i, len(pointer) == 2
}

// inline returns the schema that replaces a $ref. If it returns false, the caller writes the $ref,
// and the definition will be listed by name.
func (d *definitions) inline(ref jsontext.Value, depth int) (schema jsontext.Value, ok bool) {
	i, whole := d.find(ref)
	if i < 0 {
		// The model sees "#", the tool's whole input, and "#/properties/…", a part of it.
		d.listAll = d.listAll || string(ref) != `"#"` && !bytes.HasPrefix(ref, []byte(`"#/properties/`))
		return nil, false
	}
	def := &d.list[i]
	if !whole || def.recursive || depth >= maxInlineDepth || d.budget < len(def.schema) {
		def.referenced = true
		return nil, false
	}
	d.budget -= len(def.schema)
	def.inlined = true
	return def.schema, true
}

// listByName returns the definitions to list by name, as an object from $ref to schema, or nil. It
// also lists definitions that listed ones refer to.
func (d *definitions) listByName() jsontext.Value {
	var queue []int
	give := func(i int) {
		if i >= 0 && !d.list[i].listed {
			d.list[i].listed = true
			queue = append(queue, i)
		}
	}
	for i, def := range d.list {
		if def.referenced || !def.inlined {
			give(i)
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		d.eachRef(d.list[i].schema, 0, func(ref jsontext.Value) {
			j, _ := d.find(ref)
			give(j)
		})
	}
	object := []byte{'{'}
	for _, def := range d.list {
		if def.listed || d.listAll {
			object = append(append(object, def.ref...), ':')
			object = append(append(object, def.schema...), ',')
		}
	}
	if len(object) == 1 {
		return nil
	}
	return closeJSON(object, '}')
}
