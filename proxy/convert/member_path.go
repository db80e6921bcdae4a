package convert

import (
	"strconv"
	"strings"
)

// memberPath is the place of a value in the client's request: its last step, and in up, the steps before. A nil path is
// the request itself. Every value has a path, but a path is written as text only for an error or a dropped field.
type memberPath struct {
	up    *memberPath
	name  string // of an object's field
	index int    // of an array's element; -1 for a field
}

// member returns the path of a field of the object at p.
func (p *memberPath) member(name string) *memberPath { return &memberPath{p, name, -1} }

// element returns the path of an element of the array at p.
func (p *memberPath) element(i int) *memberPath { return &memberPath{p, "", i} }

// String returns the path as in errors: "messages.0.content.2.toolUse".
func (p *memberPath) String() string { return p.text(true) }

// field returns the path without its indexes, as in x-dragoman-dropped: "messages.content.toolUse".
func (p *memberPath) field() string { return p.text(false) }

// text returns the first 128 bytes of the path. The length is limited because the client chose the names in it.
func (p *memberPath) text(indexes bool) string {
	const longest = 128
	path := p.appendTo(nil, indexes)
	return strings.ToValidUTF8(string(path[:min(len(path), longest)]), "")
}

func (p *memberPath) appendTo(dst []byte, indexes bool) []byte {
	if p == nil {
		return dst
	}
	dst = p.up.appendTo(dst, indexes)
	if p.index >= 0 && !indexes {
		return dst
	}
	if len(dst) > 0 {
		dst = append(dst, '.')
	}
	if p.index >= 0 {
		return strconv.AppendInt(dst, int64(p.index), 10)
	}
	return append(dst, p.name...)
}

// gap is an element of a list that the converted body omits. All later elements have a smaller index there than in the
// client's request.
type gap struct {
	list  int32 // index of the message whose content the list is, or one of the constants below
	index int32 // in the client's list
}

// The lists that are not the content of a message.
const (
	systemList = -1 - iota
	toolsList
	innerList // inside a block; errors name only the block, so gaps do not matter
)

// gaps are in the order in which they were found, which is ascending within a list.
type gaps []gap

func (g *gaps) add(list, index int) { *g = append(*g, gap{int32(list), int32(index)}) }

// clientIndex converts an index in a converted list to the index in the client's list. It returns anything but a number
// unchanged.
func (g gaps) clientIndex(list int, index string) string {
	i, err := strconv.Atoi(index)
	if err != nil {
		return index
	}
	for _, gap := range g {
		if int(gap.list) == list && int(gap.index) <= i {
			i++
		}
	}
	return strconv.Itoa(i)
}
