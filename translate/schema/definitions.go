package schema

import (
	"bytes"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// Bounds on what a schema can make of itself: a level of nesting or of inlining
// costs a pass over what is below it, and definitions that name each other many
// times grow without end. What is beyond a bound keeps its $ref.
const (
	maxInlineDepth = 32
	inlineFactor   = 4
	inlineSlack    = 4 << 10
)

// definitions are the named schemas of a tool: its $defs and definitions. One
// that does not contain itself is written where a $ref names it; the others,
// and those that no $ref led to, are given by name.
type definitions struct {
	list    []definition
	index   map[definitionKey]int
	budget  int  // bytes that may still be inlined
	listAll bool // a $ref is left that may mean any of them
	noRefs  bool // there is no $ref at all
}

// named is where a definition stands: the keyword that holds it, and its name.
type definitionKey struct{ keyword, name string }

type definition struct {
	ref        string // that names it, as JSON
	schema     jsontext.Value
	types      []string // see refTypes
	state      uint8    // of the search for cycles
	recursive  bool     // contains itself: never inlined
	inlined    bool
	referenced bool // a $ref to it is left
	listed     bool
}

// The states of the search for cycles.
const (
	unvisited = iota
	visiting
	visited
)

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

// search marks definitions that lead back to themselves.
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

// eachRef calls visit for every $ref in a schema.
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

// find returns the definition that a $ref names, or -1, and whether it names
// the whole of it.
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

// inline returns the schema to write in the place of a $ref. If there is none,
// the $ref stays, and what it names is given.
func (d *definitions) inline(ref jsontext.Value, depth int) (schema jsontext.Value, ok bool) {
	i, whole := d.find(ref)
	if i < 0 {
		// "#" is the tool's whole input and "#/properties/…" a part: both are in view.
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

// given returns the definitions to be given by name, as an object; "" if there
// are none. What a given one names is given too.
func (d *definitions) listByName() string {
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
		return ""
	}
	return string(closeJSON(object, '}'))
}
