package fidelity

import (
	"slices"
	"strings"
)

// This file damages the values of parameters.

// padValues writes white space around all values, or around one.
func (d *draft) padValues() bool {
	pad := pick(d.chance, []string{" ", "  ", "\t"})
	only := -1
	if d.oneIn(4) {
		only = d.anyIndex(rValue)
	}
	for i, p := range d.pieces {
		if p.role != rValue || d.isRepeated(p) || only >= 0 && i != only {
			continue
		}
		if v, _ := d.meant(p); v.Kind == '[' || strings.HasPrefix(p.text, "<![CDATA[") || strings.ContainsAny(p.text[:min(1, len(p.text))], "\r\n") {
			continue
		}
		d.pieces[i].text = pad + p.text + pad
	}
	d.saysSo = func(got, meant Value) bool {
		return got.Kind == '"' && meant.Kind == '"' && strings.TrimSpace(got.Text) == strings.TrimSpace(meant.Text)
	}
	return len(d.indexes(rValue)) > 0
}

// entities escapes a value as XML would.
func (d *draft) entities() bool {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace
	i := d.anyPlainString()
	if i < 0 {
		return false
	}
	p := d.pieces[i]
	v, _ := d.meant(p)
	d.setWritten(p.call, p.name, str(escape(v.Text)))
	d.pieces[i].text = escape(p.text)
	return d.pieces[i].text != p.text
}

// cdata writes strings as CDATA sections.
func (d *draft) cdata() bool {
	done := false
	for i, p := range d.pieces {
		if p.role == rValue && d.isPlainString(p) {
			v, _ := d.meant(p)
			d.pieces[i].text = cdataOf(v.Text)
			if !d.spelling().CDATA {
				d.setWritten(p.call, p.name, str(d.pieces[i].text))
			}
			done = true
		}
	}
	return done
}

// readsTo reports whether a string spells the JSON that was meant, with or without quotes.
func readsTo(got, meant Value) bool {
	text := got.Text
	if v, err := ReadValue([]byte(text)); err == nil && v.Kind == '"' {
		text = v.Text
	}
	v, err := ReadValue([]byte(text))
	if strings.EqualFold(text, "true") || strings.EqualFold(text, "false") {
		v, err = ReadValue([]byte(strings.ToLower(text)))
	}
	return got.Kind == '"' && err == nil && v.Equal(meant)
}

// quotedScalars writes numbers and booleans in quotes.
func (d *draft) quotedScalars() bool {
	done := false
	for i, p := range d.pieces {
		if v, _ := d.meant(p); p.role == rValue && (v.Kind == '0' || v.Kind == 't' || v.Kind == 'f') {
			d.pieces[i].text = `"` + strings.TrimSpace(p.text) + `"`
			done = true
		}
	}
	d.saysSo = readsTo
	return done
}

// singleItem writes a list with one string as the string.
func (d *draft) singleItem() bool {
	for i, p := range d.pieces {
		if p.role != rValue || d.isRepeated(p) {
			continue
		}
		if _, n := d.meant(p); n.kind == kindArray && n.nullable == "" && n.itemNode().isPlainString() {
			d.pieces[i].text = pick(d.chance, plainNames)
			d.setMeant(p.call, p.name, list(str(d.pieces[i].text)))
			d.setWritten(p.call, p.name, str(d.pieces[i].text))
			return true
		}
	}
	return false
}

// elements writes values as elements instead of JSON.
func (d *draft) elements() bool {
	done := false
	for i, p := range d.pieces {
		if p.role != rValue || d.isRepeated(p) {
			continue
		}
		v, n := d.meant(p)
		if !strings.HasPrefix(strings.TrimSpace(p.text), "{") && !strings.HasPrefix(strings.TrimSpace(p.text), "[") {
			continue
		}
		if text, ok := elementsOf(d.chance, n, v); ok && !misleads(text, []string{tagOf(p.name), "parameter", "parameters", "invoke"}) {
			d.pieces[i].text = text
			done = true
		}
	}
	return done
}

// quotedEnum writes quotes around members of an enum that contain no quotes.
func (d *draft) quotedEnum() bool {
	quote := pick(d.chance, []string{`"`, "'"})
	done := false
	for i, p := range d.pieces {
		if p.role != rValue || d.isRepeated(p) {
			continue
		}
		v, n := d.meant(p)
		if v.Kind != '"' || n.kind != kindEnum || strings.ContainsAny(v.Text, "\"'\n") || looksLikeOther(n, v.Text) {
			continue
		}
		d.pieces[i].text = quote + v.Text + quote
		done = true
	}
	return done
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
