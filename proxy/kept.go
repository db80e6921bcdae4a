package proxy

import (
	"github.com/santhosh-tekuri/jsonschema/v6"

	"dragoman/translate"
	"dragoman/translate/memo"
)

// kept is what a server keeps of tools and schemas for the requests that send the same again. None of
// it changes an answer. The zero value keeps nothing.
type kept struct {
	tools  *translate.Memo
	checks *memo.Table[compiledCheck] // by the text of the schema
}

// of returns what is kept of one key's requests.
func (k kept) of(key *heldKey) kept {
	if key == nil {
		return k
	}
	return kept{k.tools.Of(key.ID()), k.checks.Of(key.ID())}
}

// newKept returns a kept that is empty. Of schemas to check by it has no more than so many, and so
// many bytes.
func newKept() kept {
	const schemas, bytes, most = 256, 4 << 20, 512 << 10
	return kept{translate.NewMemo(), memo.New[compiledCheck](schemas, bytes, most)}
}

// compiledCheck is a schema to check by, nil if it makes no sense, and what it took to compile it:
// each request pays for it, so that none depends on those before.
type compiledCheck struct {
	schema *jsonschema.Schema
	cost   int
}

// memory returns about how many bytes a compiled schema takes: the library has more than half a
// kilobyte for each object.
func (c compiledCheck) memory(text []byte) int { return 64*c.cost + 8*len(text) }
