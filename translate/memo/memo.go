// Package memo caches the results of pure functions.
//
// A cached result never changes an answer: it equals what the function would return. The key is the
// whole input, so two inputs are never confused. Tables have limits on entries and bytes, because
// clients choose the inputs. Each client has results of its own, so no client can learn from the
// timing what another one sent.
package memo

import (
	"sync"
	"sync/atomic"
)

// Table caches results by input. Several goroutines may use it at once. A nil Table caches nothing.
//
// If a new result needs room, the table drops results that were not used since it last looked for
// room. So inputs that come only once mostly displace each other, and rarely a result in use.
type Table[V any] struct {
	*store[V]
	owner string
}

// store is the room that the tables of all owners share.
type store[V any] struct {
	mostEntries, mostBytes, mostEach int

	mu      sync.RWMutex
	byInput map[key]*entry[V]
	entries []*entry[V] // the entries of byInput, in any order
	hand    int         // index in entries where the search for room continues
	bytes   int         // of all entries
}

// key identifies a result.
type key struct{ owner, input string }

// entry is one result.
type entry[V any] struct {
	key    key
	result V
	bytes  int
	asked  atomic.Bool // used since the search for room last came here
}

// overhead is about how many bytes an entry takes in addition to its input and result.
const overhead = 200

// New returns a table with at most mostEntries results and mostBytes bytes of inputs and results. A
// result of more than mostEach bytes is not cached, so that one input cannot displace all others.
func New[V any](mostEntries, mostBytes, mostEach int) *Table[V] {
	return &Table[V]{store: &store[V]{mostEntries: mostEntries, mostBytes: mostBytes, mostEach: mostEach, byInput: map[key]*entry[V]{}}}
}

// Of returns the table of one client. It shares the room of all tables, but not their results.
func (t *Table[V]) Of(client string) *Table[V] {
	if t == nil {
		return nil
	}
	return &Table[V]{t.store, client}
}

// Takes reports whether the table would cache a result that takes this many bytes with its input.
func (t *Table[V]) Takes(bytes int) bool { return t != nil && bytes+overhead <= t.mostEach }

// Find returns the cached result for an input.
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
	if !e.asked.Load() { // avoid a write that many readers would wait for
		e.asked.Store(true)
	}
	return e.result, true
}

// Keep caches the result for an input; both together take about this many bytes. The result must
// not change any more. Keep copies the input.
func (t *Table[V]) Keep(input []byte, result V, bytes int) {
	bytes += len(input) + overhead
	if !t.Takes(bytes - overhead) {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.byInput[key{t.owner, string(input)}] != nil {
		return // another goroutine was faster
	}
	for len(t.entries) == t.mostEntries || t.bytes+bytes > t.mostBytes {
		t.dropOne()
	}
	e := &entry[V]{key: key{t.owner, string(input)}, result: result, bytes: bytes}
	t.byInput[e.key] = e
	t.entries = append(t.entries, e)
	t.bytes += bytes
}

// Len returns the number of cached results.
func (t *Table[V]) Len() int {
	t.mu.RLock()
	defer t.mu.RUnlock()
	return len(t.entries)
}

// dropOne drops the next entry that was not used since the hand last passed it.
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
