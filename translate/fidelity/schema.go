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
	var b strings.Builder
	m.write(&b, root, true)
	json = b.String()
	if len(m.defs) > 0 {
		var defs []string
		for i := 0; i < len(m.defs); i++ {
			var d strings.Builder
			m.write(&d, m.defs[i], true)
			defs = append(defs, fmt.Sprintf("%s:%s", str(m.defs[i].def).JSON(), d.String()))
		}
		json = json[:len(json)-1] + `,"$defs":{` + strings.Join(defs, ",") + "}}"
	}
	return root, json
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
		return m.enumNode()
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
		name := newName(m.chance)
		if slices.ContainsFunc(n.props, func(p prop) bool { return p.name == name }) {
			continue
		}
		n.props = append(n.props, prop{name, m.node(depth + 1), m.oneIn(2)})
	}
	if m.oneIn(4) {
		n.more = m.node(depth + 1)
	}
	return n
}

// enumNode makes an enum.
func (m *schemaMaker) enumNode() *node {
	n := &node{kind: kindEnum}
	for range 1 + m.IntN(4) {
		n.enum = append(n.enum, pick(m.chance, enumMembers))
	}
	return n
}

// enumMembers are members of enums, including strings that spell other members.
var enumMembers = []Value{str("celsius"), str("fahrenheit"), str(""), str("5"), number("5"), number("1.50"), yes, str("true"), null, str("null"),
	str("a b"), str(" a b "), str(`"quoted"`), str("日本"), str("<b>"), str("A"), str("a"), str("x\ny")}

// write writes a schema as JSON. It writes a definition only if whole is true, and otherwise a $ref to it.
func (m *schemaMaker) write(b *strings.Builder, n *node, whole bool) {
	if n.def != "" && !whole {
		escaped := strings.NewReplacer("~", "~0", "/", "~1").Replace(n.def)
		fmt.Fprintf(b, `{"$ref":%s}`, str("#/$defs/"+escaped).JSON())
		return
	}
	if n.nullable == "anyOf" {
		plain := *n
		plain.nullable = ""
		b.WriteString(`{"anyOf":[`)
		m.write(b, &plain, true)
		b.WriteString(`,{"type":"null"}]}`)
		return
	}
	b.WriteString(`{`)
	switch n.kind {
	case kindAny:
		b.WriteString(`"description":"Anything."`)
	case kindEnum:
		if len(n.enum) == 1 {
			fmt.Fprintf(b, `"const":%s`, n.enum[0].JSON())
		} else {
			fmt.Fprintf(b, `"enum":%s`, Value{Kind: '[', List: n.enum}.JSON())
		}
	case kindUnion:
		m.writeUnion(b, n)
	default:
		m.writeType(b, n)
	}
	b.WriteString(`}`)
}

// writeUnion writes the alternatives of a union.
func (m *schemaMaker) writeUnion(b *strings.Builder, n *node) {
	if n.union == "list" {
		var names []string
		for _, alt := range n.alts {
			names = append(names, `"`+kindNames[alt.kind]+`"`)
		}
		fmt.Fprintf(b, `"type":[%s]`, strings.Join(names, ","))
		return
	}
	fmt.Fprintf(b, `"%s":[`, n.union)
	for i, alt := range n.alts {
		if i > 0 {
			b.WriteByte(',')
		}
		m.write(b, alt, false)
	}
	b.WriteByte(']')
}

// writeType writes the type of a node and its keywords.
func (m *schemaMaker) writeType(b *strings.Builder, n *node) {
	switch n.nullable {
	case "list":
		fmt.Fprintf(b, `"type":["%s","null"]`, kindNames[n.kind])
	case "flag":
		fmt.Fprintf(b, `"type":"%s","nullable":true`, kindNames[n.kind])
	default:
		fmt.Fprintf(b, `"type":"%s"`, kindNames[n.kind])
	}
	if n.format != "" {
		fmt.Fprintf(b, `,"format":"%s"`, n.format)
	}
	if n.items != nil {
		b.WriteString(`,"items":`)
		m.write(b, n.items, false)
	}
	if n.kind != kindObject {
		return
	}
	half := len(n.props)
	if n.split {
		half /= 2
		b.WriteString(`,"allOf":[{`)
		m.writeProps(b, n.props[half:])
		b.WriteString(`}]`)
	}
	b.WriteByte(',')
	m.writeProps(b, n.props[:half])
	if n.more != nil {
		b.WriteString(`,"additionalProperties":`)
		m.write(b, n.more, false)
	}
}

// writeProps writes the properties and the list of required ones.
func (m *schemaMaker) writeProps(b *strings.Builder, props []prop) {
	b.WriteString(`"properties":{`)
	var required []Value
	for i, p := range props {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString(str(p.name).JSON() + ":")
		m.write(b, p.node, false)
		if p.required {
			required = append(required, str(p.name))
		}
	}
	fmt.Fprintf(b, `},"required":%s`, Value{Kind: '[', List: required}.JSON())
}
