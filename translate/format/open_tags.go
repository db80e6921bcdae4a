package format

// OpenTags are the elements that are open in a value, of the names that matter: the parameter's own,
// other parameters', and those of a call. A closing tag of such a name belongs to the element that
// is open, and not to the call.
type OpenTags []openTag

type openTag struct {
	name string
	Cost int // of the element, until it is closed
	more int // how many more of the name are open within it at once, at the same cost
}

// MaxOpenTags bounds how many elements are followed in one value.
const MaxOpenTags = 256

// Open records an opening tag.
func (o *OpenTags) Open(name []byte, cost int) {
	if n := len(*o); n > 0 && cost == (*o)[n-1].Cost && (*o)[n-1].name == string(name) {
		(*o)[n-1].more++
		return
	}
	*o = append(*o, openTag{name: string(name), Cost: cost})
}

// Close records a closing tag. It returns the cost of the element that it closes, or false if none
// of the name is open. Elements within it that are still open stay so: not all markup is closed.
func (o *OpenTags) Close(name []byte) (cost int, ok bool) {
	list := *o
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].name == string(name) {
			cost = list[i].Cost
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

// Cost returns what the elements that are open cost together.
func (o OpenTags) Cost() (sum int) {
	for i := range o {
		sum += o[i].Cost * (1 + o[i].more)
	}
	return sum
}

// KeepCosts makes the elements that are open cost for good, whether they are closed or not.
func (o OpenTags) KeepCosts() {
	for i := range o {
		o[i].Cost = 0
	}
}

// Has reports whether an element of the name is open.
func (o OpenTags) Has(name string) bool {
	for i := range o {
		if o[i].name == name {
			return true
		}
	}
	return false
}
