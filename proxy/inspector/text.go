package inspector

// text is a text that grows at its end. Written bytes are never copied again.
type text struct {
	blocks [][]byte
	size   int64
}

// The sizes of a block. The first block is as long as it needs to be, and each later one about as long as all before
// it.
const leastBlock, mostBlock = 1 << 9, 1 << 16

// room returns how many bytes fit without another block.
func (t *text) room() int {
	if n := len(t.blocks); n > 0 {
		return cap(t.blocks[n-1]) - len(t.blocks[n-1])
	}
	return 0
}

// block returns the size of the next block, for an append of n more bytes than fit.
func (t *text) block(n int) int { return max(n, min(max(int(t.size), leastBlock), mostBlock)) }

// add adds a block of this size.
func (t *text) add(size int) { t.blocks = append(t.blocks, make([]byte, 0, size)) }

// write appends as much as fits in the last block and in a new block of size next; 0 means no new block. It returns the
// number of bytes.
func write[S ~string | ~[]byte](t *text, s S, next int) int {
	n := min(len(s), t.room())
	if n > 0 {
		last := &t.blocks[len(t.blocks)-1]
		*last = append(*last, s[:n]...)
	}
	if rest := min(len(s)-n, next); rest > 0 {
		t.add(next)
		last := &t.blocks[len(t.blocks)-1]
		*last = append(*last, s[n:n+rest]...)
		n += rest
	}
	t.size += int64(n)
	return n
}

// read returns a copy of up to most bytes, beginning at an offset.
func (t *text) read(from int64, most int) []byte {
	from = max(from, 0)
	out := make([]byte, 0, min(max(t.size-from, 0), int64(most)))
	for _, b := range t.blocks {
		if from >= int64(len(b)) {
			from -= int64(len(b))
			continue
		}
		out = append(out, b[from:min(int64(len(b)), from+int64(cap(out)-len(out)))]...)
		if from = 0; len(out) == cap(out) {
			break
		}
	}
	return out
}

// all returns the whole text.
func (t *text) all() []byte { return t.read(0, int(t.size)) }
