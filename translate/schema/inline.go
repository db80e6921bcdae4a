package schema

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file writes a schema with its definitions inlined.

// flatten returns the members of a schema, with its $ref replaced by the members of the definition.
// If both have a member of the same name, the $ref stays.
func (d *definitions) flatten(schema jsontext.Value) []quotedMember {
	members := membersOf(schema)
	for range maxInlineDepth {
		at := slices.IndexFunc(members, isRef)
		if at < 0 {
			break
		}
		s, ok := d.inline(members[at].value, 0)
		if !ok {
			break
		}
		own := slices.Delete(slices.Clone(members), at, at+1)
		if s[0] != '{' || clashes(own, s) {
			break
		}
		members = appendMembers(own, s)
	}
	return members
}

// clashes reports whether members and schema share a name, so that they cannot form one list. Both
// may have a description: the property's own comes first.
func clashes(members []quotedMember, schema jsontext.Value) bool {
	own := make(map[string]int, len(members))
	for _, m := range members {
		own[string(m.name)]++
	}
	for name := range rawjson.Members(schema) {
		if n := own[string(name)]; n > 1 || n == 1 && string(name) != `"description"` {
			return true
		}
	}
	return false
}

// appendSchema appends a schema with its definitions inlined.
func (d *definitions) appendSchema(dst []byte, schema jsontext.Value, depth int) []byte {
	switch {
	case d.noRefs || schema[0] != '{' && schema[0] != '[':
		return append(dst, schema...)
	case depth > maxInlineDepth:
		d.listAll = true
		return append(dst, schema...)
	case schema[0] == '{':
		members := membersOf(schema)
		if len(members) == 1 && isRef(members[0]) {
			if s, ok := d.inline(members[0].value, depth); ok {
				return d.appendSchema(dst, s, depth+1)
			}
			return append(dst, schema...)
		}
		return d.appendObject(dst, members, depth)
	}
	dst = append(dst, '[')
	for s := range rawjson.Elements(schema) {
		dst = append(d.appendSchema(dst, s, depth+1), ',')
	}
	return closeJSON(dst, ']')
}

// appendObject appends a schema with several members. If one of them is a $ref, it becomes an allOf
// with the definition, which means the same, unless there is an allOf already.
func (d *definitions) appendObject(dst []byte, members []quotedMember, depth int) []byte {
	taken := slices.ContainsFunc(members, func(m quotedMember) bool { return string(m.name) == `"allOf"` })
	dst = append(dst, '{')
	for _, m := range members {
		if isRef(m) && !taken {
			if s, ok := d.inline(m.value, depth); ok {
				dst = append(dst, `"allOf":[`...)
				dst = append(d.appendSchema(dst, s, depth+1), "],"...)
				continue
			}
		} else if isRef(m) {
			d.inline(m.value, maxInlineDepth) // the $ref stays
		}
		dst = append(append(dst, m.name...), ':')
		dst = append(d.appendKeyword(dst, m, depth), ',')
	}
	return closeJSON(dst, '}')
}

// appendKeyword appends the value of a keyword.
func (d *definitions) appendKeyword(dst []byte, m quotedMember, depth int) []byte {
	switch kind := contentOf(m.name); {
	case kind == holdsData:
		return append(dst, m.value...)
	case kind == holdsSchemas || m.value[0] != '{':
		return d.appendSchema(dst, m.value, depth+1)
	}
	dst = append(dst, '{')
	for name, schema := range rawjson.Members(m.value) {
		dst = append(append(dst, name...), ':')
		dst = append(d.appendSchema(dst, schema, depth+1), ',')
	}
	return closeJSON(dst, '}')
}
