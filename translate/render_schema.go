package translate

import "slices"

// holds tells what the value of a keyword of JSON Schema is made of.
type holds uint8

const (
	holdsSchemas holds = iota // a schema, a list of schemas, or something plain
	holdsNamed                // schemas by name
	holdsData                 // values that only look like schemas
)

func keywordHolds(name string) holds {
	switch name {
	case `"properties"`, `"patternProperties"`, `"$defs"`, `"definitions"`, `"dependentSchemas"`, `"dependencies"`:
		return holdsNamed
	case `"enum"`, `"const"`, `"default"`, `"examples"`, `"example"`:
		return holdsData
	}
	return holdsSchemas
}

// flat returns the members of a schema, with those of the definition it refers
// to where the two do not clash; where they do, the $ref is still among them.
func (d *definitions) flat(schema string) []jsonMember {
	members := slices.Collect(jsonMembers(schema))
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
		if s[0] != '{' || clash(own, s) {
			break
		}
		members = slices.AppendSeq(own, jsonMembers(s))
	}
	return members
}

func isRef(m jsonMember) bool { return m.name == `"$ref"` && m.value[0] == '"' }

// clash tells whether members and those of schema cannot stand as one list. A
// description may stand twice: the nearer one is the property's.
func clash(members []jsonMember, schema string) bool {
	own := make(map[string]int, len(members))
	for _, m := range members {
		own[m.name]++
	}
	for m := range jsonMembers(schema) {
		if n := own[m.name]; n > 1 || n == 1 && m.name != `"description"` {
			return true
		}
	}
	return false
}

// appendSchema writes a schema with its definitions inlined.
func (d *definitions) appendSchema(dst []byte, schema string, depth int) []byte {
	switch {
	case d.plain || schema[0] != '{' && schema[0] != '[':
		return append(dst, schema...)
	case depth > maxInlineDepth:
		d.all = true
		return append(dst, schema...)
	case schema[0] == '{':
		members := slices.Collect(jsonMembers(schema))
		if len(members) == 1 && isRef(members[0]) {
			if s, ok := d.inline(members[0].value, depth); ok {
				return d.appendSchema(dst, s, depth+1)
			}
			return append(dst, schema...)
		}
		return d.appendObject(dst, members, depth)
	}
	dst = append(dst, '[')
	for s := range jsonElements(schema) {
		dst = append(d.appendSchema(dst, s, depth+1), ',')
	}
	return closeJSON(dst, ']')
}

// appendObject writes a schema of several members. A $ref beside others becomes
// an allOf, which says the same, unless there is one.
func (d *definitions) appendObject(dst []byte, members []jsonMember, depth int) []byte {
	taken := slices.ContainsFunc(members, func(m jsonMember) bool { return m.name == `"allOf"` })
	dst = append(dst, '{')
	for _, m := range members {
		if isRef(m) && !taken {
			if s, ok := d.inline(m.value, depth); ok {
				dst = append(dst, `"allOf":[`...)
				dst = append(d.appendSchema(dst, s, depth+1), "],"...)
				continue
			}
		} else if isRef(m) {
			d.inline(m.value, maxInlineDepth) // it stays
		}
		dst = append(append(dst, m.name...), ':')
		dst = append(d.appendKeyword(dst, m, depth), ',')
	}
	return closeJSON(dst, '}')
}

// appendKeyword writes the value of a keyword.
func (d *definitions) appendKeyword(dst []byte, m jsonMember, depth int) []byte {
	switch kind := keywordHolds(m.name); {
	case kind == holdsData:
		return append(dst, m.value...)
	case kind == holdsSchemas || m.value[0] != '{':
		return d.appendSchema(dst, m.value, depth+1)
	}
	dst = append(dst, '{')
	for s := range jsonMembers(m.value) {
		dst = append(append(dst, s.name...), ':')
		dst = append(d.appendSchema(dst, s.value, depth+1), ',')
	}
	return closeJSON(dst, '}')
}

// closeJSON ends a list whose every element has a comma after it.
func closeJSON(dst []byte, closer byte) []byte {
	if dst[len(dst)-1] == ',' {
		dst[len(dst)-1] = closer
		return dst
	}
	return append(dst, closer)
}
