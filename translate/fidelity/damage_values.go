package fidelity

import "strings"

// This file damages the values of parameters.

// padValues writes white space around values.
func (d *draft) padValues() bool {
	pad := pick(d.chance, []string{" ", "  ", "\t"})
	for i, p := range d.pieces {
		if p.role != rValue || d.isRepeated(p) {
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
			if d.manner != nil && !d.manner.cdata {
				d.setWritten(p.call, p.name, str(d.pieces[i].text))
			}
			done = true
		}
	}
	return done
}

// inJSON changes the text of a value written as JSON.
func (d *draft) inJSON(change func(string) string) bool {
	for i, p := range d.pieces {
		if p.role != rValue || d.isRepeated(p) {
			continue
		}
		v, _ := d.meant(p)
		if text := strings.TrimSpace(p.text); (v.Kind == '[' && len(v.List) > 0 || v.Kind == '{' && len(v.Members) > 0) && (strings.HasPrefix(text, "[") || strings.HasPrefix(text, "{")) {
			d.pieces[i].text = change(text)
			return d.pieces[i].text != text
		}
	}
	return false
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

// doubled writes the JSON of a value as a JSON string.
func (d *draft) doubled() bool {
	d.saysSo = readsTo
	return d.inJSON(func(t string) string { return str(t).JSON() })
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

// bareWords replaces words of JSON, but not in strings.
func bareWords(text string, r *strings.Replacer) string {
	var b strings.Builder
	for text != "" {
		n := strings.IndexByte(text, '"')
		if n < 0 {
			n = len(text)
		}
		b.WriteString(r.Replace(text[:n]))
		end := n
		for end++; end < len(text) && text[end] != '"'; end++ {
			if text[end] == '\\' {
				end++
			}
		}
		end = min(end+1, len(text))
		b.WriteString(text[n:max(n, end)])
		text = text[max(n, end):]
	}
	return b.String()
}
