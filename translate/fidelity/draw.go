package fidelity

import (
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Draw returns the instance of a seed. Its calls fit their tools completely: the members of all objects are
// in the order of the schemas.
func Draw(seed uint64) *Instance {
	for c := seeded(seed); ; {
		inst, all := newInstance(c), true
		for i := range inst.Calls {
			call := &inst.Calls[i]
			ordered, fits := inOrder(call.Input, call.tool.root)
			call.Input, all = ordered, all && fits
		}
		if all {
			return inst
		}
	}
}

// inOrder returns a value with the members of its objects in the order of the schema. It returns false if
// the value does not fit its schema: a value at the limit of nesting is made without its members.
func inOrder(v Value, n *node) (Value, bool) {
	if n == nil || n.kind == kindAny || n.nullable != "" && v.Kind == 'n' {
		return v, true
	}
	switch n.kind {
	case kindUnion:
		for _, alt := range n.alts {
			if ordered, ok := inOrder(v, alt); ok {
				return ordered, true
			}
		}
		return v, false
	case kindEnum:
		return v, true // the value was picked from the schema
	case kindArray:
		list := make([]Value, len(v.List))
		for i, e := range v.List {
			ordered, ok := inOrder(e, n.items)
			if list[i] = ordered; !ok {
				return v, false
			}
		}
		v.List = list
		return v, v.Kind == '['
	case kindObject:
		return membersInOrder(v, n)
	case kindInteger:
		return v, v.Kind == '0' && !strings.ContainsAny(v.Text, ".eE")
	}
	return v, v.Kind == map[nodeKind]jsontext.Kind{kindString: '"', kindNumber: '0', kindNull: 'n'}[n.kind] || n.kind == kindBoolean && (v.Kind == 't' || v.Kind == 'f')
}

// membersInOrder does what inOrder does, for an object.
func membersInOrder(v Value, n *node) (Value, bool) {
	var members []Member
	for _, p := range n.props {
		value, given := v.member(p.name)
		if !given && !p.required {
			continue
		}
		ordered, ok := value, given
		if given {
			ordered, ok = inOrder(value, p.node)
		}
		if !ok {
			return v, false
		}
		members = append(members, Member{p.name, ordered})
	}
	for _, m := range v.Members {
		if n.declares(m.Name) {
			continue
		}
		ordered, ok := inOrder(m.Value, n.more)
		if !ok || n.more == nil {
			return v, false
		}
		members = append(members, Member{m.Name, ordered})
	}
	return Value{Kind: '{', Members: members}, v.Kind == '{'
}

// HasUnlisted reports whether the call has an argument that its tool does not declare.
func (c *Call) HasUnlisted() bool {
	return slices.ContainsFunc(c.Input.Members, func(m Member) bool { return !c.tool.root.declares(m.Name) })
}
