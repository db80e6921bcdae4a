package format

import (
	"sync"

	"dragoman/translate/markup"
)

// CallTags returns the tags of calls in all formats that the parser can read.
var CallTags = sync.OnceValue(func() markup.CallTags {
	var all []*markup.Spelling
	for _, f := range All() {
		all = append(all, f.spellings()...)
	}
	return markup.NewCallTags(all)
})
