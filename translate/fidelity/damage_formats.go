package fidelity

import (
	"slices"
	"strings"
)

// This file damages calls in other makers' formats. It uses the kinds of damage for our calls that fit
// these formats, and adds some of its own.

// Conditions that a kind of damage sets for a format.
func anyManner(*manner) bool     { return true }
func inTags(m *manner) bool      { return !m.isJSON() }
func inWrapper(m *manner) bool   { return m.wrap[0] != "" }
func inOneObject(m *manner) bool { return m.isJSON() }

// sharedDamage lists the kinds of damage for our calls that other makers' formats share.
var sharedDamage = []struct {
	needs func(*manner) bool
	names []string
}{
	{inWrapper, []string{"no wrapper", "wrapper not opened", "wrapper not closed", "wrapper doubled", "prose before the call, in the wrapper"}},
	{anyManner, []string{"invoke doubled", "invoke not closed", "nothing closed after the values", "prose after the calls", "code fence around the calls",
		"code span around the calls", "bold type around the calls", "a quotation around the calls", "extra white space between tags",
		"name of a tool in another case", "the whole call with entities", "the whole call in CDATA", "cut by the token limit", "cut, and said to be ended",
		"cut by a stop sequence of the client's", "head of the calls lost"}},
	{inTags, []string{"a value not closed", "no value closed", "a value closed by a word", "a value closed by the other form", "opening tag instead of the closing one",
		"prose between parameters", "comments", "white space in tags", "white space around values", "values with entities", "values in CDATA",
		"a parameter given twice", "name of a parameter in another case", "a tool that was not offered", "JSON for the parameters",
		"JSON in a code fence for the parameters", "JSON with a comma too many", "JSON with single quotes", "JSON with words of Python", "JSON in a JSON string",
		"scalars in quotes", "elements for JSON", "the other form's parameters", "elements of its own name in a value", "undeclared parameters inline", "enum in quotes"}},
}

// ownDamage are the kinds of damage only for calls in other makers' formats.
var ownDamage = []struct {
	needs func(*manner) bool
	damage
}{
	{anyManner, damage{"not damaged", "Read.", func(*draft) bool { return true }}},
	{anyManner, damage{"call closed twice", "Read once.", func(d *draft) bool {
		return d.replaceEach(func(t string) string { return t + t[strings.LastIndexByte(t, '<'):] }, rInvokeClose)
	}}},
	{inWrapper, damage{"call and wrapper closed in the wrong order", "Read.", (*draft).swapEnds}},
	{inTags, damage{"value and call closed in the wrong order", "Read where the type tells; else the first tag is text of the value, which the second closes.", (*draft).swapLast}},
	{inTags, damage{"prose before the parameters", "Passed over in a wrapper, else text; the answer ends with the calls before it.", (*draft).proseAtStart}},
	{inTags, damage{"prose after the parameters", "Passed over, unless it may be all the input that there is.", (*draft).proseAtEnd}},
	{anyManner, damage{"results invented", "The answer ends with the calls.", func(d *draft) bool {
		return d.surround("", "\n<tool_response>\n1\n</tool_response>\n\nIt is 1.")
	}}},
	{inTags, damage{"JSON for the call", "Read, in a wrapper.", (*draft).hermes}},
	{func(m *manner) bool { return strings.HasSuffix(m.param[0], "=") }, damage{"names in attributes", "Read.", (*draft).nameAttributes}},
	{func(m *manner) bool { return strings.HasSuffix(m.param[0], "=") }, damage{"names in quotes", "Read.", (*draft).quoteNames}},
	{func(m *manner) bool { return strings.Contains(m.param[1], "\n<") }, damage{"a value not opened", "Read.", (*draft).dropValueOpen}},
	{inOneObject, damage{"JSON with a comma too many", "Read.", func(d *draft) bool { return d.changeJSON(d.addComma) }}},
	{inOneObject, damage{"JSON with single quotes", "Read.", func(d *draft) bool {
		return !d.holdsCall() && d.changeJSON(asPython)
	}}},
	{inOneObject, damage{"JSON with words of Python", "Read.", func(d *draft) bool {
		return d.changeJSON(func(t string) string {
			return bareWords(t, strings.NewReplacer("true", "True", "false", "False", "null", "None"))
		})
	}}},
	{inOneObject, damage{"JSON without its last brace", "Read.", func(d *draft) bool {
		return d.changeJSON(func(t string) string { return strings.TrimRight(t[:len(t)-1], " \n") })
	}}},
	{inOneObject, damage{"JSON with newlines in strings", "Read.", func(d *draft) bool {
		return d.changeJSON(func(t string) string { return unescape(t, 'n', "\n") })
	}}},
	{inOneObject, damage{"JSON with comments", "Text, or the call is not whole.", func(d *draft) bool { return d.changeJSON(d.addComment) }}},
	{inOneObject, damage{"JSON in a JSON string", "Read.", func(d *draft) bool {
		return d.rewriteInputs(func(c Call) string { return str(c.Input.JSON()).JSON() })
	}}},
	{inOneObject, damage{"a key given twice", "Text, or the call is not whole.", (*draft).sameInputKey}},
	{inOneObject, damage{"JSON in a code fence", "Read.", func(d *draft) bool {
		return !d.manner.fixed && d.replaceEach(func(t string) string { return "\n```json\n" + t + "\n```\n" }, rJSONCall)
	}}},
	{inOneObject, damage{"separator missing", "Read, if the input begins there.", func(d *draft) bool {
		return !d.manner.fixed && d.replaceEach(func(t string) string { return t[:strings.LastIndexByte(t, '<')] }, rInvokeOpen)
	}}},
	{func(m *manner) bool { return m.id != "" }, damage{"id spelled otherwise", "The name in it is found.", (*draft).otherID}},
}

// damageToFormats returns the kinds of damage for calls in other makers' formats.
func damageToFormats() (kinds []DamageKind) {
	for _, d := range ownDamage {
		kinds = append(kinds, damageWhere(d.needs, d.damage)...)
	}
	for _, shared := range sharedDamage {
		for _, name := range shared.names {
			i := slices.IndexFunc(tagDamage, func(d damage) bool { return d.name == name })
			kinds = append(kinds, damageWhere(shared.needs, tagDamage[i])...)
		}
	}
	return kinds
}

// damageWhere returns the damage once for each format that meets the condition.
func damageWhere(needs func(*manner) bool, d damage) (kinds []DamageKind) {
	for i := range manners {
		m := &manners[i]
		if needs(m) && !slices.ContainsFunc(kinds, func(k DamageKind) bool { return k.Format == m.format }) {
			kinds = append(kinds, DamageKind{d.name, m.format, d.documented, writeIn(m.format), func(w *draft) bool { return !w.hasOwnNames() && d.apply(w) }})
		}
	}
	return kinds
}

// hasOwnNames reports whether a parameter, declared or written, has the name of a tag of the format. In a
// damaged call, no reader could tell the two apart.
func (d *draft) hasOwnNames() bool {
	isOwn := func(name string) bool {
		return slices.ContainsFunc(d.manner.closers(), func(own string) bool { return strings.EqualFold(name, own) })
	}
	return slices.ContainsFunc(d.inst.Calls, func(c Call) bool {
		return slices.ContainsFunc(c.tool.root.props, func(p prop) bool { return isOwn(p.name) }) ||
			slices.ContainsFunc(c.Input.Members, func(m Member) bool { return isOwn(m.Name) })
	})
}

// swapEnds swaps the closing tags of the last call and of its wrapper.
func (d *draft) swapEnds() bool {
	calls, wraps := d.indexes(rInvokeClose), d.indexes(rWrapClose)
	a, b := &d.pieces[calls[len(calls)-1]], &d.pieces[wraps[len(wraps)-1]]
	a.text, b.text = b.text, a.text
	return true
}

// swapLast swaps the closing tags of a call and of its last value.
func (d *draft) swapLast() bool {
	i := d.anyIndex(rInvokeClose)
	a, b := &d.pieces[i-1], &d.pieces[i]
	if a.role != rParamClose || d.endIsLost(i-1) || d.holdsHalfACall() {
		return false
	}
	a.text, b.text = b.text, a.text
	d.saysSo = func(got, _ Value) bool {
		return strings.Contains(got.JSON(), strings.TrimSpace(a.text))
	}
	return true
}

// proseAtStart writes prose between the name of a tool and the first parameter.
func (d *draft) proseAtStart() bool {
	if d.holdsACall() {
		return false
	}
	i := d.anyIndex(rInvokeOpen)
	d.pieces[i].space += "\nNow the parameters:\n"
	d.asWritten = d.inst.Calls[:d.pieces[i].call]
	return !d.haveNone()
}

// proseAtEnd writes prose between the last parameter of a call and its closing tag.
func (d *draft) proseAtEnd() bool {
	p := &d.pieces[d.anyIndex(rInvokeClose)-1]
	if p.role != rParamClose || d.holdsHalfACall() {
		return false
	}
	p.space = "\nThat is all.\n"
	return true
}

// upperNames writes tool names in capitals, if they are in the tags of the calls.
func (d *draft) upperNames() bool {
	changed := false
	for _, i := range d.indexes(rInvokeOpen) {
		before, name, after := cutName(d.pieces[i].text, d.inst.Calls[d.pieces[i].call].Name)
		d.pieces[i].text = before + strings.ToUpper(name) + after
		changed = changed || strings.ToUpper(name) != name
	}
	return changed
}

// hermes writes whole calls as JSON, in the format's wrapper. If the format has no wrapper, hermes uses
// <tool_call>.
func (d *draft) hermes() bool {
	var out []piece
	for _, p := range d.pieces {
		switch p.role {
		case rInvokeOpen:
			text := "{" + callMember("name", str(d.inst.Calls[p.call].Name).JSON()) + ", " + callMember("arguments", d.inst.Calls[p.call].Input.JSON()) + "}"
			if d.manner.wrap[0] == "" {
				text = "<tool_call>\n" + text + "\n</tool_call>"
			}
			out = append(out, piece{role: rJSONCall, text: text, space: "\n", call: p.call})
		case rProse, rWrapOpen, rWrapClose:
			out = append(out, p)
		}
	}
	d.pieces = out
	return true
}

// nameAttributes writes <function name="f"> instead of <function=f>.
func (d *draft) nameAttributes() bool {
	return d.replaceEach(func(t string) string {
		before, after, _ := strings.Cut(t, "=")
		name, rest, _ := strings.Cut(after, ">")
		return before + ` name="` + name + `">` + rest
	}, rInvokeOpen, rParamOpen)
}

// quoteNames writes <function="f"> instead of <function=f>.
func (d *draft) quoteNames() bool {
	return d.replaceEach(func(t string) string {
		before, after, _ := strings.Cut(t, "=")
		name, rest, _ := strings.Cut(after, ">")
		return before + `="` + name + `">` + rest
	}, rInvokeOpen, rParamOpen)
}

// dropValueOpen removes the opening tag of a value, in formats where values have tags of their own.
func (d *draft) dropValueOpen() bool {
	i := d.anyIndex(rParamOpen)
	if i < 0 || strings.TrimLeft(d.pieces[i+1].text, " \t\r\n") != d.pieces[i+1].text || d.holdsHalfACall() {
		return false // the white space around the tag would mix with the white space of the value
	}
	d.pieces[i].text = d.pieces[i].text[:strings.LastIndexByte(d.pieces[i].text, '<')]
	d.saysSo = startsPadded
	return true
}

// startsPadded reports whether a string, or each string in a list, equals the meant one except for white
// space before it.
func startsPadded(got, meant Value) bool {
	switch {
	case got.Kind == '"' && meant.Kind == '"':
		return strings.TrimLeft(got.Text, " \r\n") == strings.TrimLeft(meant.Text, " \r\n")
	case got.Kind == '[' && meant.Kind == '[':
		return slices.EqualFunc(got.List, meant.List, func(g, m Value) bool { return g.Equal(m) || startsPadded(g, m) })
	}
	return false
}

// holdsCall reports whether the JSON of a call contains the start of a call. Outside of a string, that
// would begin a call.
func (d *draft) holdsCall() bool {
	return slices.ContainsFunc(d.pieces, func(p piece) bool { return p.role == rJSONCall && strings.Contains(p.text, d.manner.call[0]) })
}

// rewriteInputs replaces the input of each call with text.
func (d *draft) rewriteInputs(text func(Call) string) bool {
	for _, i := range d.indexes(rJSONCall) {
		d.pieces[i].text = text(d.inst.Calls[d.pieces[i].call])
	}
	return true
}

// sameInputKey writes a member of each call's input a second time, with another value.
func (d *draft) sameInputKey() bool {
	return !d.haveNone() && d.rewriteInputs(func(c Call) string {
		members := slices.Clone(c.Input.Members)
		return Value{Kind: '{', Members: append(members, Member{pick(d.chance, members).Name, str("other")})}.JSON()
	})
}

// otherID writes the id of each call in another form that models have used.
func (d *draft) otherID() bool {
	form := pick(d.chance, []string{"NAME:0", " functions.NAME:0 ", "functions_NAME_0", "functionsNAME0", "NAME"})
	for _, i := range d.indexes(rInvokeOpen) {
		p := &d.pieces[i]
		before, rest, _ := strings.Cut(p.text, ">")
		_, after, _ := strings.Cut(rest, "<")
		p.text = before + ">" + strings.Replace(form, "NAME", d.inst.Calls[p.call].Name, 1) + "<" + after
	}
	return true
}
