package fidelity

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// closedBy closes a value with another tag.
func (d *damaged) closedBy(tag string) bool {
	i := d.any(rParamClose)
	if i < 0 || d.pieces[i].text == tag || d.seemsClosed(i) {
		return false
	}
	d.pieces[i].text = tag
	return true
}

// seemsClosed tells whether the value before a closing tag ends in what would end it if
// the real one were missing, and nothing tells the two apart: a closing tag, or a newline,
// which then stands before the closing tag of the call.
func (d *damaged) seemsClosed(i int) bool {
	text := d.pieces[i-1].text
	if strings.TrimLeft(text, "\r\n") == text && strings.TrimRight(text, "\r\n") != text {
		return true
	}
	text = strings.TrimRight(text, " \t\r\n>")
	return strings.LastIndex(text, "</") > strings.LastIndex(text, ">")
}

func (d *damaged) swapClosers() bool {
	at := d.all(rParamClose)
	if d.Attribute || len(at) < 2 || d.values("<") {
		return false
	}
	i := d.IntN(len(at) - 1)
	a, b := &d.pieces[at[i]], &d.pieces[at[i+1]]
	a.text, b.text = b.text, a.text
	return a.text != b.text
}

// proseBetween writes prose behind a parameter that another one follows.
func (d *damaged) proseBetween() bool {
	var at []int
	for _, i := range d.all(rParamClose) {
		if d.pieces[i+1].role == rParamOpen {
			at = append(at, i)
		}
	}
	if len(at) == 0 {
		return false
	}
	d.pieces[pick(d.chance, at)].space = "\nAnd the next one:\n"
	return true
}

// indent indents each line between tags.
func (d *damaged) indent() bool {
	for i := range d.pieces {
		p := &d.pieces[i]
		p.space = strings.ReplaceAll(p.space, "\n", "\n    ")
	}
	return true
}

func (d *damaged) padValues() bool {
	pad := pick(d.chance, []string{" ", "  ", "\t"})
	for i, p := range d.pieces {
		if p.role != rValue || d.repeated(p) {
			continue
		}
		if v, _ := d.meant(p); v.Kind == '[' || strings.HasPrefix(p.text, "<![CDATA[") || strings.ContainsAny(p.text[:min(1, len(p.text))], "\r\n") {
			continue
		}
		d.pieces[i].text = pad + p.text + pad
	}
	d.says = func(got, meant Value) bool {
		return got.Kind == '"' && meant.Kind == '"' && strings.TrimSpace(got.Text) == strings.TrimSpace(meant.Text)
	}
	return len(d.all(rValue)) > 0
}

func (d *damaged) entities() bool {
	escape := strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", `"`, "&quot;").Replace
	i := d.string()
	if i < 0 {
		return false
	}
	p := d.pieces[i]
	v, _ := d.meant(p)
	d.saying(p.call, p.name, str(escape(v.Text)))
	d.pieces[i].text = escape(p.text)
	return d.pieces[i].text != p.text
}

func (d *damaged) cdata() bool {
	done := false
	for i, p := range d.pieces {
		if p.role == rValue && d.plainString(p) {
			v, _ := d.meant(p)
			d.pieces[i].text = "<![CDATA[" + strings.ReplaceAll(v.Text, "]]>", "]]]]><![CDATA[>") + "]]>"
			done = true
		}
	}
	return done
}

// truncate cuts the text anywhere behind the wrapper's beginning.
func (d *damaged) truncate(stop messages.Stop, sequence string) bool {
	text := joined(d.pieces)
	from := len(joined(d.pieces[:d.all(rWrapOpen)[0]]))
	at := from + d.IntN(len(text)-from)
	for !utf8.RuneStart(text[at]) {
		at--
	}
	d.answer = &Answer{text[:at], stop, sequence}
	d.means = []Call{}
	for i, p := range d.pieces {
		if (p.role == rInvokeClose || p.role == rParamsClose) && len(joined(d.pieces[:i]))+len(p.text) <= at {
			d.means = d.inst.Calls[:p.call+1]
		}
	}
	return true
}

// behead cuts the beginning of the calls off.
func (d *damaged) behead() bool {
	if d.values("<invoke") {
		return false // as text of the answer it is a call
	}
	first := d.all(rWrapOpen)[0]
	text := joined(d.pieces[first:])
	end := len(joined(d.pieces[first : d.all(rInvokeOpen)[0]+1]))
	at := 1 + d.IntN(end)
	a := whole(joined(d.pieces[:first]) + text[min(at, len(text)):])
	d.answer = &a
	return true
}

func (d *damaged) twice() bool {
	i := d.any(rParamClose)
	if i < 0 {
		return false
	}
	p := d.pieces[i]
	at := slices.IndexFunc(d.pieces, func(q piece) bool { return q.role == rParamOpen && q.call == p.call && q.name == p.name })
	if d.pieces[at+2].role != rParamClose || slices.ContainsFunc(d.pieces[at+3:], func(q piece) bool { return q.call == p.call && q.name == p.name }) {
		return false // it is repeated already
	}
	last := at
	for j, q := range d.pieces {
		if q.role == rParamClose && q.call == p.call {
			last = j
		}
	}
	if last == at+2 {
		return false // twice in a row is text of the value, or a list
	}
	again := []piece{d.pieces[at], d.pieces[at+1], d.pieces[at+2]}
	again[1].text = "other"
	d.pieces = slices.Insert(d.pieces, last+1, again...)
	return true
}

// cutName finds the name of a parameter in its tag.
func cutName(tag, name string) (before, found, after string) {
	i := strings.LastIndex(tag, name)
	if i < 0 {
		return tag, "", ""
	}
	return tag[:i], name, tag[i+len(name):]
}

func (d *damaged) otherCase() bool {
	i := d.any(rParamOpen)
	if i < 0 {
		return false
	}
	p := d.pieces[i]
	upper := strings.ToUpper(p.name)
	root := d.inst.Calls[p.call].tool.root
	if !d.plainString(d.pieces[i+1]) || !isElementName(p.name) || upper == p.name || root.more != nil || root.declares(upper) {
		return false
	}
	for _, j := range []int{i, i + 2} {
		open, name, shut := cutName(d.pieces[j].text, p.name)
		d.pieces[j].text = open + strings.ToUpper(name) + shut
	}
	d.means = slices.Clone(d.inst.Calls)
	members := slices.Clone(d.means[p.call].Input.Members)
	for j := range members {
		if members[j].Name == p.name {
			members[j].Name = upper
		}
	}
	d.means[p.call].Input.Members = members
	return true
}

// otherTool calls a tool that nobody offered, with strings.
func (d *damaged) otherTool() bool {
	i := d.any(rInvokeOpen)
	call := d.pieces[i].call
	for _, p := range d.pieces {
		if p.call == call && (p.role == rJSON || p.role == rValue && !d.plainString(p)) {
			return false
		}
	}
	for j, p := range d.pieces {
		if p.call == call && (p.role == rInvokeOpen || p.role == rName) {
			d.pieces[j].text = strings.Replace(p.text, d.inst.Calls[call].Name, "never_offered", 1)
		}
	}
	d.means = slices.Clone(d.inst.Calls)
	d.means[call].Name = "never_offered"
	return true
}

// nameAsTag writes <name>…</name> in place of <invoke>.
func (d *damaged) nameAsTag() bool {
	for i, p := range d.pieces {
		name := d.inst.Calls[p.call].Name
		switch p.role {
		case rInvokeOpen:
			d.pieces[i].text = "<" + name + ">"
		case rInvokeClose:
			d.pieces[i].text = "</" + name + ">"
		case rNameOpen, rName, rNameClose:
			d.pieces[i].text, d.pieces[i].space = "", ""
		}
	}
	return true
}

func (d *damaged) nameFirst() bool {
	if d.Attribute {
		return false
	}
	for _, i := range d.all(rInvokeOpen) {
		open := d.pieces[i]
		copy(d.pieces[i:], d.pieces[i+1:i+4])
		d.pieces[i+3] = open
	}
	return true
}

// inputs replaces the parameters of every call.
func (d *damaged) inputs(text func(Call) string) bool {
	var out []piece
	done := -1
	for _, p := range d.pieces {
		switch p.role {
		case rParamOpen, rValue, rParamClose, rJSON:
			if done != p.call {
				done = p.call
				out = append(out, piece{role: rJSON, call: p.call, text: text(d.inst.Calls[p.call]), space: "\n"})
			}
		default:
			out = append(out, p)
		}
	}
	d.pieces = out
	return done >= 0
}

func (d *damaged) jsonInput() bool {
	return d.inputs(func(c Call) string { return string(c.Input.append(nil, layout{space: true, slash: d.one(2)}, 0)) })
}

func (d *damaged) fencedInput() bool {
	return d.inputs(func(c Call) string { return "```json\n" + c.Input.JSON() + "\n```" })
}

func (d *damaged) jsonCall() bool {
	first := d.all(rWrapOpen)[0]
	var b strings.Builder
	for _, c := range d.inst.Calls {
		fmt.Fprintf(&b, `{"name": "%s", "arguments": %s}`+"\n", c.Name, c.Input.JSON())
	}
	d.pieces = append(d.pieces[:first+1:first+1], piece{text: b.String()}, piece{text: translate.CallsEnd})
	return true
}

// inJSON changes the text of a value that stands as JSON.
func (d *damaged) inJSON(change func(string) string) bool {
	for i, p := range d.pieces {
		if p.role != rValue || d.repeated(p) {
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

// readsTo tells whether a string, in quotes or not, is what was meant as JSON.
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

func (d *damaged) doubled() bool {
	d.says = readsTo
	return d.inJSON(func(t string) string { return str(t).JSON() })
}

func (d *damaged) quotedScalars() bool {
	done := false
	for i, p := range d.pieces {
		if v, _ := d.meant(p); p.role == rValue && (v.Kind == '0' || v.Kind == 't' || v.Kind == 'f') {
			d.pieces[i].text = `"` + strings.TrimSpace(p.text) + `"`
			done = true
		}
	}
	d.says = readsTo
	return done
}

// elements writes values that stand as JSON as elements.
func (d *damaged) elements() bool {
	done := false
	for i, p := range d.pieces {
		if p.role != rValue || d.repeated(p) {
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

// mixForms writes the parameters of one form in the frame of the other.
func (d *damaged) mixForms() bool {
	if d.values("</") {
		return false // other closing tags count in the other form
	}
	for i, p := range d.pieces {
		tag := tagOf(p.name)
		switch {
		case p.role == rParamOpen && d.Attribute:
			d.pieces[i].text = "<" + tag + ">"
		case p.role == rParamOpen:
			d.pieces[i].text = `<parameter name="` + tag + `">`
		case p.role == rParamClose && d.Attribute:
			d.pieces[i].text = "</" + tag + ">"
		case p.role == rParamClose:
			d.pieces[i].text = "</parameter>"
		}
	}
	return len(d.all(rParamOpen)) > 0
}

// bareWords changes the words of JSON, outside strings.
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
