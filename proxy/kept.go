package proxy

import (
	"dragoman/proxy/check"
	"dragoman/translate"
)

// kept is what a server keeps of tools and schemas for the requests that send the same again. None of
// it changes an answer. The zero value keeps nothing.
type kept struct {
	tools  *translate.Memo
	checks *check.Schemas
}

// of returns what is kept of one key's requests.
func (k kept) of(key *heldKey) kept {
	if key == nil {
		return k
	}
	return kept{k.tools.Of(key.ID()), k.checks.Of(key.ID())}
}

func newKept() kept { return kept{translate.NewMemo(), check.NewSchemas()} }
