package format

// OpenTags are the open elements in a value whose names matter: the parameter's own name, the names
// of other parameters, and the tags of a call. A closing tag with such a name closes the open
// element, not the call.
type OpenTags []openTag

type openTag struct {
	name string
	Cost int // of the element, until it is closed
	more int // how many more elements of the same name and cost are open inside it
}

// MaxOpenTags limits the open elements in one value.
const MaxOpenTags = 256

// Open records an opening tag.
func (o *OpenTags) Open(name []byte, cost int) {
	if n := len(*o); n > 0 && cost == (*o)[n-1].Cost && (*o)[n-1].name == string(name) {
		(*o)[n-1].more++
		return
	}
	*o = append(*o, openTag{name: string(name), Cost: cost})
}

// Close records a closing tag. It returns the cost of the element that it closes, or false if no
// element of the name is open. Elements inside it may stay open, because not all markup closes its
// elements.
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

// Cost returns the total cost of the open elements.
func (o OpenTags) Cost() (sum int) {
	for i := range o {
		sum += o[i].Cost * (1 + o[i].more)
	}
	return sum
}

// KeepCosts makes the cost of the open elements permanent, closed or not.
func (o OpenTags) KeepCosts() {
	for i := range o {
		o[i].Cost = 0
	}
}

// Has reports whether an element with this name is open.
func (o OpenTags) Has(name string) bool {
	for i := range o {
		if o[i].name == name {
			return true
		}
	}
	return false
}
