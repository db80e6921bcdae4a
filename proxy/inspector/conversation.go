package inspector

import (
	"bytes"
	"hash/maphash"
	"slices"

	"github.com/go-json-experiment/json/jsontext"
)

// conversation has hashes of a request's messages, so that the inspector recognizes the next turn.
type conversation struct {
	messages uint64 // all messages; 0 if there are none
	rest     uint64 // the rest of the body, which stays the same throughout a conversation
}

// movedMembers mark what may be cached. Clients move them from turn to turn.
var movedMembers = []string{`"cache_control"`, `"cachePoint"`}

// readConversation returns the conversation in a request's body, in any dialect. Before each message it calls begins
// with the hash of the messages so far: an earlier turn's conversation may end there. It reads the body once, and keeps
// nothing of it.
func readConversation(body []byte, seed maphash.Seed, begins func(messages uint64)) (c conversation) {
	var messages, rest maphash.Hash
	messages.SetSeed(seed)
	rest.SetSeed(seed)
	d := jsontext.NewDecoder(bytes.NewBuffer(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	if d.PeekKind() != '{' {
		return conversation{}
	}
	_, _ = d.ReadToken()
	for d.PeekKind() == '"' {
		name, _ := d.ReadValue()
		_, _ = rest.Write(name)
		if string(name) != `"messages"` || d.PeekKind() != '[' {
			if !hashValue(&rest, d) {
				return conversation{}
			}
			continue
		}
		_, _ = d.ReadToken()
		for d.PeekKind() != ']' {
			begins(messages.Sum64())
			if !hashValue(&messages, d) {
				return conversation{}
			}
			c.messages = messages.Sum64()
		}
		_, _ = d.ReadToken()
	}
	if _, err := d.ReadToken(); err != nil {
		return conversation{}
	}
	c.rest = rest.Sum64()
	return c
}

// hashValue adds a value to a hash, and reports whether the value was well-formed.
func hashValue(h *maphash.Hash, d *jsontext.Decoder) bool {
	kind := d.PeekKind()
	if kind != '{' && kind != '[' {
		v, err := d.ReadValue()
		_, _ = h.Write(v)
		_ = h.WriteByte(',')
		return err == nil
	}
	_, _ = d.ReadToken()
	end, empty := kind+2, true // as in ASCII
	for d.PeekKind() != end {
		var ok bool
		if kind == '[' {
			open(h, kind, &empty)
			ok = hashValue(h, d)
		} else {
			ok = hashMember(h, d, &empty)
		}
		if !ok {
			return false
		}
	}
	_, _ = d.ReadToken()
	if !empty { // a block with nothing but a cache mark does not count
		_ = h.WriteByte(byte(end))
	}
	return true
}

// open adds the beginning of an object or an array, if it has not been added yet.
func open(h *maphash.Hash, kind jsontext.Kind, empty *bool) {
	if *empty {
		_ = h.WriteByte(byte(kind))
	}
	*empty = false
}

// hashMember adds a field of an object, unless it is one that clients move. A plain string has the same hash as a text
// block, because clients turn one into the other to mark it.
func hashMember(h *maphash.Hash, d *jsontext.Decoder, empty *bool) bool {
	name, err := d.ReadValue()
	switch {
	case err != nil:
		return false
	case slices.Contains(movedMembers, string(name)):
		return d.SkipValue() == nil
	}
	open(h, '{', empty)
	_, _ = h.Write(name)
	if string(name) != `"content"` || d.PeekKind() != '"' {
		return hashValue(h, d)
	}
	_, _ = h.WriteString(`[{"type""text","text"`)
	ok := hashValue(h, d)
	_, _ = h.WriteString(`}]`)
	return ok
}
