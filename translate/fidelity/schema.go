package fidelity

import (
	"fmt"
	"slices"
	"strings"
)

// This file makes schemas of tools.

// nodeKind is the type of a node.
type nodeKind uint8

const (
	kindString nodeKind = iota
	kindInteger
	kindNumber
	kindBoolean
	kindNull
	kindArray
	kindObject
	kindEnum  // enum or const
	kindUnion // anyOf, oneOf or a list of types
	kindAny   // no type
)

// kindNames are the names of the kinds that are types of JSON Schema.
var kindNames = [...]string{"string", "integer", "number", "boolean", "null", "array", "object"}

// node is a part of a JSON Schema. It has everything to make and write values of it.
type node struct {
	kind     nodeKind
	nullable string // how the schema allows null: "" (not at all), "list", "flag" or "anyOf"
	format   string
	items    *node
	props    []prop
	split    bool  // an allOf holds half of the properties
	more     *node // additionalProperties, or nil
	enum     []Value
	alts     []*node
	union    string // how alternatives are written: "anyOf", "oneOf" or "list"
	def      string // its name in $defs, for $ref; "" for none
}

// prop is a declared property.
type prop struct {
	name     string
	node     *node
	required bool
}

// schemaMaker makes the schema of one tool.
type schemaMaker struct {
	chance
	defs []*node
	left int // number of nodes that it may still make
}

// newSchema makes the schema of a tool's input, and its JSON.
func newSchema(c chance) (root *node, json string) {
	m := schemaMaker{chance: c, left: 24}
	root = m.object(0)
	root.def, root.nullable = "", ""
	whole, defs := root.whole(), object()
	for _, n := range m.defs {
		defs.add(n.def, n.whole())
	}
	if len(m.defs) > 0 {
		whole.add("$defs", defs)
	}
	return root, whole.JSON()
}

// node makes a schema or refers to a definition, maybe to one that surrounds it.
func (m *schemaMaker) node(depth int) *node {
	m.left--
	if len(m.defs) > 0 && m.oneIn(8) {
		return pick(m.chance, m.defs) // a $ref
	}
	n := m.newNode(depth)
	if n.kind != kindNull && n.kind != kindAny && n.kind != kindUnion && m.oneIn(6) {
		n.nullable = pick(m.chance, []string{"list", "flag", "anyOf"})
		if n.kind == kindEnum {
			n.nullable = "anyOf"
		}
	}
	return n
}

// newNode makes a schema. depth is the number of schemas around it.
func (m *schemaMaker) newNode(depth int) *node {
	leaf := depth >= 4 || m.left <= 0
	switch k := m.IntN(20); {
	case k < 6:
		return &node{kind: kindString, format: pick(m.chance, []string{"", "", "", "date-time", "uri", "uuid"})}
	case k < 8:
		return &node{kind: kindInteger, format: pick(m.chance, []string{"", "int32", "int64", "uint64"})}
	case k < 10:
		return &node{kind: kindNumber, format: pick(m.chance, []string{"", "float", "double"})}
	case k < 11:
		return &node{kind: kindBoolean}
	case k < 12:
		n := &node{kind: kindEnum}
		for range 1 + m.IntN(4) {
			n.enum = append(n.enum, pick(m.chance, enumMembers))
		}
		return n
	case k < 13:
		return &node{kind: kindAny}
	case leaf:
		return &node{kind: kindString}
	case k < 15:
		n := m.defined(&node{kind: kindArray})
		n.items = m.node(depth + 1)
		return n
	case k < 18:
		return m.object(depth)
	case k < 19:
		n := &node{kind: kindUnion, union: pick(m.chance, []string{"anyOf", "oneOf"})}
		for range 2 + m.IntN(2) {
			n.alts = append(n.alts, m.node(depth+1))
		}
		return n
	}
	n := &node{kind: kindUnion, union: "list"}
	for _, k := range m.Perm(6)[:2+m.IntN(2)] {
		n.alts = append(n.alts, &node{kind: nodeKind(k)})
	}
	return n
}

// defined puts some nodes among the definitions. At this point the node is incomplete, so its own parts can
// refer to it.
func (m *schemaMaker) defined(n *node) *node {
	if m.oneIn(4) {
		n.def = fmt.Sprintf("%s%d", pick(m.chance, []string{"Def", "a/b~", "Ünit "}), len(m.defs))
		m.defs = append(m.defs, n)
	}
	return n
}

// object makes the schema of an object.
func (m *schemaMaker) object(depth int) *node {
	n := &node{kind: kindObject, split: m.oneIn(8)}
	if depth > 0 {
		m.defined(n)
	}
	for range m.IntN(5) {
		if name := newName(m.chance); !n.declares(name) {
			n.props = append(n.props, prop{name, m.node(depth + 1), m.oneIn(2)})
		}
	}
	if m.oneIn(4) {
		n.more = m.node(depth + 1)
	}
	return n
}

// enumMembers are members of enums, including strings that spell other members.
var enumMembers = []Value{str("celsius"), str("fahrenheit"), str(""), str("5"), number("5"), number("1.50"), yes, str("true"), null, str("null"),
	str("a b"), str(" a b "), str(`"quoted"`), str("日本"), str("<b>"), str("A"), str("a"), str("x\ny")}

// json returns the schema as JSON: a $ref if it is a definition.
func (n *node) json() Value {
	if n.def == "" {
		return n.whole()
	}
	return object(Member{"$ref", str("#/$defs/" + strings.NewReplacer("~", "~0", "/", "~1").Replace(n.def))})
}

// whole does what json does, without a $ref.
func (n *node) whole() Value {
	if n.nullable == "anyOf" {
		plain := *n
		plain.nullable = ""
		return object(Member{"anyOf", list(plain.whole(), typed("null"))})
	}
	switch {
	case n.kind == kindAny:
		return object(Member{"description", str("Anything.")})
	case n.kind == kindEnum && len(n.enum) == 1:
		return object(Member{"const", n.enum[0]})
	case n.kind == kindEnum:
		return object(Member{"enum", list(n.enum...)})
	case n.union == "list":
		var names []Value
		for _, alt := range n.alts {
			names = append(names, str(kindNames[alt.kind]))
		}
		return object(Member{"type", list(names...)})
	case n.kind == kindUnion:
		var alts []Value
		for _, alt := range n.alts {
			alts = append(alts, alt.json())
		}
		return object(Member{n.union, list(alts...)})
	}
	return n.withType()
}

// typed returns the schema of a type.
func typed(name string) Value { return object(Member{"type", str(name)}) }

// withType returns the type of a node and its keywords.
func (n *node) withType() Value {
	v := typed(kindNames[n.kind])
	switch n.nullable {
	case "list":
		v.Members[0].Value = list(v.Members[0].Value, str("null"))
	case "flag":
		v.add("nullable", yes)
	}
	if n.format != "" {
		v.add("format", str(n.format))
	}
	if n.items != nil {
		v.add("items", n.items.json())
	}
	if n.kind != kindObject {
		return v
	}
	half := len(n.props)
	if n.split {
		half /= 2
		v.add("allOf", list(object(propsOf(n.props[half:])...)))
	}
	v.Members = append(v.Members, propsOf(n.props[:half])...)
	if n.more != nil {
		v.add("additionalProperties", n.more.json())
	}
	return v
}

// propsOf returns the keywords for properties.
func propsOf(props []prop) []Member {
	declared, required := object(), list()
	for _, p := range props {
		declared.add(p.name, p.node.json())
		if p.required {
			required.List = append(required.List, str(p.name))
		}
	}
	return []Member{{"properties", declared}, {"required", required}}
}

// itemNode returns the schema of an array's elements.
func (n *node) itemNode() *node {
	if n.items == nil {
		return &node{kind: kindAny}
	}
	return n.items
}

// memberNode returns the schema of a member of an object, or nil.
func (n *node) memberNode(name string) *node {
	for _, p := range n.props {
		if p.name == name {
			return p.node
		}
	}
	return n.more
}

// declares reports whether a property is declared.
func (n *node) declares(name string) bool {
	return slices.ContainsFunc(n.props, func(p prop) bool { return p.name == name })
}

// any reports whether is accepts n or one of its alternatives.
func (n *node) any(is func(*node) bool, depth int) bool {
	return is(n) || depth < maxDepth && slices.ContainsFunc(n.alts, func(alt *node) bool { return alt.any(is, depth+1) })
}
