package format

// openTags are the open elements in a value that have the names of other parameters. A closing tag with such a name
// closes the open element, not the call.
type openTags []openTag

type openTag struct {
	name string
	more int // how many more elements of the same name are open inside it
}

// maxOpenTags limits the open elements in one value.
const maxOpenTags = 256

// open records an opening tag.
func (o *openTags) open(name []byte) {
	if n := len(*o); n > 0 && (*o)[n-1].name == string(name) {
		(*o)[n-1].more++
		return
	}
	*o = append(*o, openTag{name: string(name)})
}

// close records a closing tag. It returns false if no element of the name is open. Elements inside it may stay open,
// because not all markup closes its elements.
func (o *openTags) close(name []byte) bool {
	list := *o
	for i := len(list) - 1; i >= 0; i-- {
		if list[i].name != string(name) {
			continue
		}
		if list[i].more > 0 {
			list[i].more--
		} else {
			*o = append(list[:i], list[i+1:]...)
		}
		return true
	}
	return false
}
