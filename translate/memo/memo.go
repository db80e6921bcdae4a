// Package memo keeps the results of pure functions for when the same input comes again.
//
// What is kept changes no result: it says what a function would say once more. It is looked up by
// all bytes of the input, so that no input is taken for another, and it is bounded in number and in
// bytes, whoever chooses the inputs. What one client sent shows to no other by the time that a result
// takes: each has results of its own.
package memo

import (
	"sync"
	"sync/atomic"
)

// Table keeps results by their input. It may be used by several goroutines at once; a nil Table keeps
// nothing.
//
// Where there is no room for a result, those are dropped that were not asked for again since the
// table last looked for room. So inputs that come once each drop each other, and seldom one that is
// in use.
type Table[V any] struct {
	*store[V]
	owner string
}

// store is what the tables of all owners have in common: the room.
type store[V any] struct {
	mostEntries, mostBytes, mostEach int

	mu      sync.RWMutex
	byInput map[key]*entry[V]
	entries []*entry[V] // those of byInput, in no order
	hand    int         // the place in entries where room is looked for next
	bytes   int         // of all entries
}

// key is what a result is looked up by.
type key struct{ owner, input string }

// entry is one result.
type entry[V any] struct {
	key    key
	result V
	bytes  int
	asked  atomic.Bool // since room was looked for here
}

// overhead is about what an entry takes in memory besides its input and its result, in bytes.
const overhead = 200

// New returns a table that keeps at most so many results, and so many bytes of inputs and results. One
// that would take more than mostEach bytes is not kept, so that no input takes the place of all others.
func New[V any](mostEntries, mostBytes, mostEach int) *Table[V] {
	return &Table[V]{store: &store[V]{mostEntries: mostEntries, mostBytes: mostBytes, mostEach: mostEach, byInput: map[key]*entry[V]{}}}
}

// Of returns the table of one client. It shares its room with the tables of all others, and no result.
func (t *Table[V]) Of(client string) *Table[V] {
	if t == nil {
		return nil
	}
	return &Table[V]{t.store, client}
}

// Takes reports whether a result may be kept that takes so many bytes with its input.
func (t *Table[V]) Takes(bytes int) bool { return t != nil && bytes+overhead <= t.mostEach }

// Find returns the result that is kept for an input, if there is one.
func (t *Table[V]) Find(input []byte) (result V, ok bool) {
	if t == nil {
		return result, false
	}
	t.mu.RLock()
	defer t.mu.RUnlock()
	e := t.byInput[key{t.owner, string(input)}]
	if e == nil {
		return result, false
	}
	if !e.asked.Load() { // what many read is not written without need
		e.asked.Store(true)
	}
	return e.result, true
}

// Keep keeps the result for an input, which takes about so many bytes of memory. Nobody may change the
// result any more. The input is copied.
func (t *Table[V]) Keep(input []byte, result V, bytes int) {
	bytes += len(input) + overhead
	if !t.Takes(bytes - overhead) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byInput[key{t.owner, string(input)}] != nil {
		return // another has just made the same
	}
	for len(t.entries) == t.mostEntries || t.bytes+bytes > t.mostBytes {
		t.dropOne()
	}
	e := &entry[V]{key: key{t.owner, string(input)}, result: result, bytes: bytes}
	t.byInput[e.key] = e
	t.entries = append(t.entries, e)
	t.bytes += bytes
}

// Len returns how many results are kept.
func (t *Table[V]) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.entries)
}

// dropOne drops the next entry that was not asked for since the hand last passed it.
func (t *store[V]) dropOne() {
	for {
		if t.hand >= len(t.entries) {
			t.hand = 0
		}
		e := t.entries[t.hand]
		if !e.asked.Swap(false) {
			delete(t.byInput, e.key)
			last := len(t.entries) - 1
			t.entries[t.hand], t.entries[last] = t.entries[last], nil
			t.entries = t.entries[:last]
			t.bytes -= e.bytes
			return
		}
		t.hand++
	}
}
