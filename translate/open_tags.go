package translate

import (
	"bytes"

	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// openTags are the elements that are open in a value, of the names that matter: the parameter's own,
// other parameters', and those of a call. A closing tag of such a name belongs to the element that
// is open, and not to the call.
type openTags []openTag

type openTag struct {
	name string
	cost int // of the element, until it is closed
	more int // how many more of the name are open within it at once, at the same cost
}

// maxOpenTags bounds how many elements are followed in one value.
const maxOpenTags = 256

// open records an opening tag.
func (o *openTags) open(name []byte, cost int) {
	if n := len(*o); n > 0 && cost == (*o)[n-1].cost && (*o)[n-1].name == string(name) {
		(*o)[n-1].more++
		return
	}
	*o = append(*o, openTag{name: string(name), cost: cost})
}

// close records a closing tag. It returns the cost of the element that it closes, or false if none
// of the name is open. Elements within it that are still open stay so: not all markup is closed.
func (o *openTags) close(name []byte) (cost int, ok bool) {
	list := *o
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].name == string(name) {
			cost = list[i].cost
			if list[i].more > 0 {
				list[i].more--
				return cost, true
			}
			*o = append(list[:i], list[i+1:]...)
			return cost, true
		}
	}
	return 0, false
}

// cost returns what the elements that are open cost together.
func (o openTags) cost() (sum int) {
	for i := range o {
		sum += o[i].cost * (1 + o[i].more)
	}
	return sum
}

// keepCosts makes the elements that are open cost for good, whether they are closed or not.
func (o openTags) keepCosts() {
	for i := range o {
		o[i].cost = 0
	}
}

// has reports whether an element of the name is open.
func (o openTags) has(name string) bool {
	for i := range o {
		if o[i].name == name {
			return true
		}
	}
	return false
}

// wouldBeDoubtful reports whether the parser might find text doubtful as the value of the property
// own, whose schema is ps: because elements of other parameters in it do not pair up, or because it
// is no string and holds any. The renderer asks, since what it writes has to be read as the same (G5).
func wouldBeDoubtful(s *schema.Schema, text, own string, ps *schema.Schema) bool {
	var inside openTags
	for rest, any := []byte(text), false; ; rest = rest[1:] {
		i := bytes.IndexByte(rest, '<')
		if i < 0 {
			return len(inside) > 0 || any && !fitsText(ps, text)
		}
		rest = rest[i:]
		t, v := markup.MatchTag(rest, true)
		if v != markup.Match {
			continue
		}
		if name, _, declared := s.PropertyByTag(string(t.Full)); !declared && s.AdditionalProperties == nil || name == own {
			continue
		}
		any = true
		switch {
		case t.Empty:
		case !t.Closing && len(inside) == maxOpenTags:
			return true
		case !t.Closing:
			inside.open(t.Full, 0)
		default:
			if _, ok := inside.close(t.Full); !ok {
				return true
			}
		}
	}
}

// fitsText reports whether a value that is written as text fits its schema.
func fitsText(s *schema.Schema, text string) bool {
	_, fits := schema.AppendTyped(nil, s, text)
	return fits
}
