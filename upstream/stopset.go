package upstream

// stopSet finds the first of many sequences in a text in one pass over it, however many
// there are (Aho and Corasick, 1975). Its nodes are the beginnings of the sequences; the
// first node is the empty one.
type stopSet struct {
	stops []string
	nodes []stopNode
}

// stopNode is a beginning of a sequence. Links to other nodes are indexes, 0 where there
// is none: no link leads to the first node.
type stopNode struct {
	child   int32 // the first of the nodes that are this one and a byte more
	sibling int32 // the next node in such a list
	shorter int32 // the longest end of this node that is a node as well
	stop    int32 // the longest sequence that this node ends in, counted from 1
	depth   int32 // the node's length in bytes
	last    byte  // the node's last byte
}

// newStopSet returns the set of these sequences. Empty ones are never met.
func newStopSet(stops []string) *stopSet {
	size := 1
	for _, s := range stops {
		size += len(s)
	}
	set := &stopSet{stops: stops, nodes: make([]stopNode, 1, size)}
	for i, s := range stops {
		at := int32(0)
		for j := range len(s) {
			at = set.grow(at, s[j])
		}
		if at != 0 && set.nodes[at].stop == 0 {
			set.nodes[at].stop = int32(i + 1)
		}
	}
	set.link()
	return set
}

// grow returns the node that is longer than at by the byte c. It adds the node if need
// be.
func (set *stopSet) grow(at int32, c byte) int32 {
	if to := set.child(at, c); to != 0 {
		return to
	}
	to := int32(len(set.nodes))
	set.nodes = append(set.nodes, stopNode{sibling: set.nodes[at].child, depth: set.nodes[at].depth + 1, last: c})
	set.nodes[at].child = to
	return to
}

// child returns the node that is longer than at by the byte c, 0 if there is none.
func (set *stopSet) child(at int32, c byte) int32 {
	to := set.nodes[at].child
	for to != 0 && set.nodes[to].last != c {
		to = set.nodes[to].sibling
	}
	return to
}

// link sets shorter, and stop where a shorter node has one. It goes through the nodes from
// short ones to long ones, since it follows the links of the shorter ones.
func (set *stopSet) link() {
	queue := make([]int32, 1, len(set.nodes))
	for i := 0; i < len(queue); i++ {
		at := queue[i]
		for to := set.nodes[at].child; to != 0; to = set.nodes[to].sibling {
			node := &set.nodes[to]
			if at != 0 {
				node.shorter = set.next(set.nodes[at].shorter, node.last)
			}
			if node.stop == 0 {
				node.stop = set.nodes[node.shorter].stop
			}
			queue = append(queue, to)
		}
	}
}

// next returns the node that a search goes to when it is at the node at and reads the byte
// c: the longest node that the text of at followed by c ends in.
func (set *stopSet) next(at int32, c byte) int32 {
	for {
		if to := set.child(at, c); to != 0 || at == 0 {
			return to
		}
		at = set.nodes[at].shorter
	}
}

// met returns the longest sequence that the text of the node at ends in, or "".
func (set *stopSet) met(at int32) string {
	if stop := set.nodes[at].stop; stop != 0 {
		return set.stops[stop-1]
	}
	return ""
}
