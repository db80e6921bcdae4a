package bedrock

import (
	"strconv"
	"strings"
)

// memberPath says where a value stands in the client's request: its last step and, in
// up, the steps before it. A nil path is that of the request itself. Every value that is
// read has a path; the path is written as text only for an error or a dropped field.
type memberPath struct {
	up    *memberPath
	name  string // of a member of an object
	index int    // of an element of an array; -1 for a member
}

// member returns the path of a member of the object at p.
func (p *memberPath) member(name string) *memberPath { return &memberPath{p, name, -1} }

// element returns the path of an element of the array at p.
func (p *memberPath) element(i int) *memberPath { return &memberPath{p, "", i} }

// String returns the path as errors name it: "messages.0.content.2.toolUse".
func (p *memberPath) String() string { return p.text(true) }

// field returns the path without its indexes, as x-dragoman-dropped names it:
// "messages.content.toolUse".
func (p *memberPath) field() string { return p.text(false) }

// text returns the first 128 bytes of the path: the client chose the names in it.
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

// gap is an element of a list that is left out of the converted body. All elements
// after it have a smaller index there than in the client's request.
type gap struct {
	list  int32 // index of the message whose content the list is, or one of the constants below
	index int32 // in the client's list
}

// The lists that are not the content of a message.
const (
	systemList = -1 - iota
	toolsList
	innerList // of a block; errors in it are named by the block, so its gaps do not matter
)

// gaps are in the order in which they were found, which is ascending within a list.
type gaps []gap

func (g *gaps) add(list, index int) { *g = append(*g, gap{int32(list), int32(index)}) }

// clientIndex returns the index in the client's list of the element that stands at
// index in the converted one. What is not a number is returned as it is.
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
