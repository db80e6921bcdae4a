package translate

import "strings"

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
	list   []definition
	index  map[named]int
	budget int  // bytes that may still be inlined
	all    bool // a $ref is left that may mean any of them
	plain  bool // there is no $ref at all
}

// named is where a definition stands: the keyword that holds it, and its name.
type named struct{ keyword, name string }

type definition struct {
	name    string // the $ref as JSON
	schema  string
	types   []string // see refTypes
	state   uint8    // of the search for cycles
	keep    bool     // contains itself: never inlined
	inlined bool
	named   bool // a $ref to it is left
	given   bool
}

// The states of the search for cycles.
const (
	unvisited = iota
	visiting
	visited
)

func readDefinitions(root string) definitions {
	d := definitions{budget: inlineFactor*len(root) + inlineSlack, plain: !strings.Contains(root, `"$ref"`)}
	for m := range jsonMembers(root) {
		if m.name != `"$defs"` && m.name != `"definitions"` || m.value[0] != '{' {
			continue
		}
		keyword := unquote(m.name)
		for def := range jsonMembers(m.value) {
			if d.index == nil {
				d.index = make(map[named]int)
			}
			d.index[named{keyword, unquote(def.name)}] = len(d.list)
			d.list = append(d.list, definition{name: `"#/` + keyword + "/" + def.name[1:], schema: def.value})
		}
	}
	for i := range d.list {
		d.search(i, 0)
	}
	return d
}

// search marks definitions that lead back to themselves.
func (d *definitions) search(i, depth int) {
	if d.list[i].state != unvisited {
		return
	}
	d.list[i].state = visiting
	d.eachRef(d.list[i].schema, 0, func(ref string) {
		j, whole := d.find(ref)
		switch {
		case !whole:
		case d.list[j].state == visiting || depth == maxInlineDepth:
			d.list[j].keep = true
		default:
			d.search(j, depth+1)
		}
	})
	d.list[i].state = visited
}

// eachRef calls visit for every $ref in a schema.
func (d *definitions) eachRef(schema string, depth int, visit func(ref string)) {
	if depth > maxInlineDepth {
		d.all = true
		return
	}
	switch schema[0] {
	case '[':
		for s := range jsonElements(schema) {
			d.eachRef(s, depth+1, visit)
		}
	case '{':
		for m := range jsonMembers(schema) {
			switch kind := keywordHolds(m.name); {
			case m.name == `"$ref"` && m.value[0] == '"':
				visit(m.value)
			case kind == holdsNamed && m.value[0] == '{':
				for s := range jsonMembers(m.value) {
					d.eachRef(s.value, depth+1, visit)
				}
			case kind != holdsData:
				d.eachRef(m.value, depth+1, visit)
			}
		}
	}
}

// find returns the definition that a $ref names, or -1, and whether it names
// the whole of it.
func (d *definitions) find(ref string) (i int, whole bool) {
	pointer, ok := localRef(unquote(ref))
	if !ok || len(pointer) < 2 {
		return -1, false
	}
	i, ok = d.index[named{pointer[0], pointer[1]}]
	if !ok {
		return -1, false
	}
	return i, len(pointer) == 2
}

// inline returns the schema to write in the place of a $ref. If there is none,
// the $ref stays, and what it names is given.
func (d *definitions) inline(ref string, depth int) (string, bool) {
	i, whole := d.find(ref)
	if i < 0 {
		// "#" is the tool's whole input and "#/properties/…" a part: both are in view.
		d.all = d.all || ref != `"#"` && !strings.HasPrefix(ref, `"#/properties/`)
		return "", false
	}
	def := &d.list[i]
	if !whole || def.keep || depth >= maxInlineDepth || d.budget < len(def.schema) {
		def.named = true
		return "", false
	}
	d.budget -= len(def.schema)
	def.inlined = true
	return def.schema, true
}

// given returns the definitions to be given by name, as an object; "" if there
// are none. What a given one names is given too.
func (d *definitions) given() string {
	var queue []int
	give := func(i int) {
		if i >= 0 && !d.list[i].given {
			d.list[i].given = true
			queue = append(queue, i)
		}
	}
	for i, def := range d.list {
		if def.named || !def.inlined {
			give(i)
		}
	}
	for len(queue) > 0 {
		i := queue[0]
		queue = queue[1:]
		d.eachRef(d.list[i].schema, 0, func(ref string) {
			j, _ := d.find(ref)
			give(j)
		})
	}
	object := []byte{'{'}
	for _, def := range d.list {
		if def.given || d.all {
			object = append(append(object, def.name...), ':')
			object = append(append(object, def.schema...), ',')
		}
	}
	if len(object) == 1 {
		return ""
	}
	return string(closeJSON(object, '}'))
}
