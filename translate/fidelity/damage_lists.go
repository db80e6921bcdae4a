package fidelity

import (
	"slices"
	"strings"

	"dragoman/translate/messages"
)

// This file damages calls in lists, and calls that are literals of a language.

// Conditions that a kind of damage sets for a format.
func hasMarker(m *manner) bool    { return m.wrap[0] != "" }
func hasEndMarker(m *manner) bool { return m.wrap[1] != "" || m.call[2] != "" }
func hasBrackets(m *manner) bool  { return m.list[0] != "" }

// listDamage are the kinds of damage for such calls.
var listDamage = []struct {
	needs func(*manner) bool
	damage
}{
	{anyManner, damage{"not damaged", "Read.", func(*draft) bool { return true }}},
	{hasMarker, damage{"marker not opened", "Read as the whole answer, where such calls are; else text.", func(d *draft) bool { return d.drop(rWrapOpen) }}},
	{hasEndMarker, damage{"marker not closed", "The next call or the end of the answer closes it.", func(d *draft) bool { return d.dropOne(rWrapClose, rInvokeClose) }}},
	{hasEndMarker, damage{"marker closed twice", "Read once.", func(d *draft) bool {
		return d.replaceEach(func(t string) string { return t + t }, rWrapClose, rInvokeClose)
	}}},
	{hasBrackets, damage{"list not opened", "Read in markers; else text.", func(d *draft) bool { return d.drop(rParamsOpen) }}},
	{hasBrackets, damage{"list not closed", "The marker or the end of the answer closes it; else the calls are text.", func(d *draft) bool { return d.drop(rParamsClose) }}},
	{hasBrackets, damage{"list opened twice", "Text.", func(d *draft) bool {
		return d.replaceEach(func(t string) string { return t + t }, rParamsOpen)
	}}},
	{hasBrackets, damage{"list closed twice", "Read, in markers.", func(d *draft) bool {
		return d.replaceEach(func(t string) string { return t + t }, rParamsClose)
	}}},
	{hasBrackets, damage{"comma between calls lost", "Read, or text.", func(d *draft) bool {
		return len(d.inst.Calls) > 1 && d.replaceEach(func(t string) string { return strings.Replace(t, ", ", " ", 1) }, rProse)
	}}},
	{anyManner, damage{"last bracket of a call lost", "Read before a marker; else text, or the call is not whole.", func(d *draft) bool {
		return d.changeCall(func(t string) string { return t[:len(t)-1] })
	}}},
	{anyManner, damage{"last bracket of a call doubled", "Read, or text.", func(d *draft) bool {
		changed := d.changeCall(func(t string) string { return t + t[len(t)-1:] })
		d.asWritten = d.inst.Calls[:len(d.asWritten)+1]
		return changed
	}}},
	{anyManner, damage{"a bracket lost", "Text, or the call is not whole.", func(d *draft) bool {
		return d.changeMark("{}[]()", func(string) string { return "" })
	}}},
	{anyManner, damage{"a bracket doubled", "Text, or the call is not whole.", func(d *draft) bool {
		return d.changeMark("{}[]()", func(mark string) string { return mark + mark })
	}}},
	{anyManner, damage{"a comma lost", "Text, or the call is not whole.", func(d *draft) bool { return d.changeMark(",", func(string) string { return "" }) }}},
	{anyManner, damage{"a comma doubled", "Text, or the call is not whole.", func(d *draft) bool { return d.changeMark(",", func(string) string { return ",," }) }}},
	{anyManner, damage{"a colon lost", "Text, or the call is not whole.", func(d *draft) bool { return d.changeMark(":=", func(string) string { return "" }) }}},
	{anyManner, damage{"a quote lost", "Text, or the call is not whole, unless one quote alone could be missing.", func(d *draft) bool {
		return d.changeMark(`"<`, func(string) string { return "" })
	}}},
	{anyManner, damage{"words of another language", "Read.", func(d *draft) bool {
		return d.changeCall(func(t string) string {
			return bareWords(t, strings.NewReplacer("true", "True", "false", "False", "null", "None", "True", "true", "False", "false", "None", "null"))
		})
	}}},
	{anyManner, damage{"newlines in strings", "Read.", func(d *draft) bool {
		return d.changeCall(func(t string) string {
			if strings.Contains(t, gemmaQuote) {
				return t // this format escapes nothing
			}
			return unescape(t, 'n', "\n")
		})
	}}},
	{anyManner, damage{"name of a tool in another case", "Takes the offered spelling, if there is one such tool.", func(d *draft) bool {
		for i := range d.pieces {
			if p := &d.pieces[i]; p.role == rInvokeOpen || p.role == rJSONCall && d.manner.text != nil {
				name := d.inst.Calls[p.call].Name
				p.text = strings.Replace(p.text, name, strings.ToUpper(name), 1)
			}
		}
		return true
	}}},
	{anyManner, damage{"prose after the calls", "The answer ends with the calls; text, if they would be calls as the whole answer alone.", func(d *draft) bool {
		return d.surround("", "\n\nThis returns the weather.")
	}}},
	{anyManner, damage{"code fence around the calls", "Text: it is quoted; read as the whole answer, where such calls are.", func(d *draft) bool { return d.surround("```json\n", "\n```") }}},
	{anyManner, damage{"cut by the token limit", "`max_tokens`; calls before the cut stand.", func(d *draft) bool { return d.truncate(messages.StopMaxTokens, "") }}},
	{anyManner, damage{"cut, and said to be ended", "A call that was not read to its end is not whole, or text.", func(d *draft) bool {
		return !d.needsNoInput() && d.truncate(messages.StopEndTurn, "")
	}}},
}

// needsNoInput reports whether there is a call without parameters in a format without an end of calls. Such
// a call may be written without its input, so it is complete after its name.
func (d *draft) needsNoInput() bool {
	return d.manner.text == nil && d.manner.call[2] == "" && d.haveNone()
}

// damageToLists returns the kinds of damage for such calls.
func damageToLists() (kinds []DamageKind) {
	for _, damage := range listDamage {
		for i := range lists {
			if m := &lists[i]; damage.needs(m) {
				kinds = append(kinds, DamageKind{damage.name, m.format, damage.documented, writeList(m), damage.apply})
			}
		}
	}
	return kinds
}

// changeCall changes the text of one call. If the result is no longer a call, the calls before it still
// count.
func (d *draft) changeCall(change func(string) string) bool {
	p := &d.pieces[d.anyIndex(rJSONCall)]
	d.asWritten = d.inst.Calls[:p.call]
	before := p.text
	p.text = change(before)
	return p.text != before
}

// spells reports whether the damaged text is exactly what the format writes for calls.
func (d *draft) spells(calls []Call) bool {
	if d.manner == nil || !d.manner.isJSON() || len(calls) != len(d.inst.Calls) {
		return false
	}
	pieces := slices.Clone(d.pieces)
	for i := range pieces {
		if p := &pieces[i]; p.role == rJSONCall && d.manner.text != nil {
			p.text = d.manner.text(&calls[p.call])
		} else if p.role == rJSONCall {
			p.text = calls[p.call].Input.JSON()
		}
	}
	return joined(pieces) == joined(d.pieces)
}

// changeMark changes one mark of a call: one that begins with a byte in set.
func (d *draft) changeMark(set string, change func(mark string) string) bool {
	return !d.holdsACall() && d.changeCall(func(text string) string {
		var at [][2]int
		for _, m := range marksOf(text) {
			if strings.IndexByte(set, text[m[0]]) >= 0 {
				at = append(at, m)
			}
		}
		if len(at) == 0 {
			return text
		}
		m := pick(d.chance, at)
		return text[:m[0]] + change(text[m[0]:m[1]]) + text[m[1]:]
	})
}

// marksOf returns the positions of the marks in a literal: brackets, commas, colons and equals signs
// outside of strings, and quotes around strings.
func marksOf(text string) (at [][2]int) {
	quote := ""
	for i := 0; i < len(text); i++ {
		n := 1
		switch {
		case strings.HasPrefix(text[i:], gemmaQuote) && quote != `"`:
			n = len(gemmaQuote)
		case quote == `"` && text[i] == '\\':
			i++
			continue
		case quote != "" && !strings.HasPrefix(text[i:], quote), quote == "" && strings.IndexByte(`"{}[](),:=`, text[i]) < 0:
			continue
		}
		at = append(at, [2]int{i, i + n})
		if mark := text[i : i+n]; mark == quote {
			quote = ""
		} else if mark[0] == '"' || n > 1 {
			quote = mark
		}
		i += n - 1
	}
	return at
}
