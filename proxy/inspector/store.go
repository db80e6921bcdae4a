package inspector

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// What is kept of exchanges. The lines of the list are short, so that there are more of them than of
// exchanges that can be opened.
const (
	mostListed = 10_000    // exchanges in the list
	mostOfOne  = 32 << 20  // of one exchange; what is beyond is counted and not kept
	mostPieces = 100_000   // chunks of one prompt, and events of one exchange; what comes then is added to the last
	mostLine   = 200       // bytes of a text in the list that a client has chosen
	mostPath   = 2 << 10   // likewise of a path, with which the request is sent again
	mostFeeds  = 32        // pages that are told of changes at once
	mostPart   = 256 << 10 // bytes of a text that are sent at once
)

// Limits are how much is kept of exchanges beside their lines in the list.
type Limits struct {
	Exchanges int   // that can be opened
	Bytes     int64 // of all of them
}

// DefaultLimits are those where nobody sets others.
var DefaultLimits = Limits{Exchanges: 1000, Bytes: 64 << 20}

// store has the exchanges. Its lock is never held while another is taken.
type store struct {
	limits Limits
	mu     sync.Mutex
	listed []*exchange // the oldest first
	kept   []*exchange // of which something is kept: the oldest first
	byID   map[string]*exchange
	bytes  int64 // that are kept
	number int64 // of the last exchange
	seed   maphash.Seed
	spoken map[uint64][]*exchange // those that are kept, by the hash of their messages: the oldest first

	feeds    map[*feed]bool
	watching atomic.Int32 // how many feeds there are
}

func newStore(limits Limits) *store {
	return &store{
		limits: limits, byID: map[string]*exchange{}, feeds: map[*feed]bool{},
		seed: maphash.MakeSeed(), spoken: map[uint64][]*exchange{},
	}
}

// begin adds an exchange.
func (s *store) begin(line Line) *exchange {
	x := &exchange{began: time.Now()}
	s.mu.Lock()
	s.number++
	line.Number, line.At, line.Open = s.number, x.began.UnixMilli(), true
	x.line = line
	s.listed = append(s.listed, x)
	s.byID[line.ID] = x
	if len(s.listed) > mostListed {
		old := s.listed[0]
		s.listed = s.listed[1:]
		delete(s.byID, old.line.ID)
	}
	s.mu.Unlock()
	s.touch(x)
	return x
}

// reserve returns how many of n bytes may be kept for an exchange. The oldest ones are let go for it.
func (s *store) reserve(x *exchange, n int) int {
	s.mu.Lock()
	if x.let || n <= 0 || s.byID[x.line.ID] != x {
		s.mu.Unlock()
		return 0
	}
	n = int(min(int64(n), min(mostOfOne, s.limits.Bytes)-x.held))
	if x.held == 0 && n > 0 {
		s.kept = append(s.kept, x)
	}
	x.held += int64(n)
	s.bytes += int64(n)
	var old []*exchange
	for len(s.kept) > s.limits.Exchanges || s.bytes > s.limits.Bytes {
		old = append(old, s.letGo(0))
	}
	s.mu.Unlock()
	for _, x := range old {
		x.drop()
		s.touch(x)
	}
	return n
}

// letGo takes an exchange out of those that are kept. The lock is held.
func (s *store) letGo(i int) *exchange {
	x := s.kept[i]
	s.kept = slices.Delete(s.kept, i, i+1)
	s.bytes -= x.held
	x.held, x.let = 0, true
	said := slices.DeleteFunc(s.spoken[x.said.messages], func(other *exchange) bool { return other == x })
	if s.spoken[x.said.messages] = said; len(said) == 0 {
		delete(s.spoken, x.said.messages)
	}
	return x
}

// listen returns what a request holds, and the id of the exchange of the turn before, "" for none: that
// whose messages are the most of those that the request begins with. Of several with the same it is the
// newest, but one of which the rest is the same as well comes first.
func (s *store) listen(body []byte) (c conversation, before string) {
	var earlier []*exchange
	c = readConversation(body, s.seed, func(messages uint64) {
		s.mu.Lock()
		defer s.mu.Unlock()
		if said := s.spoken[messages]; said != nil {
			earlier = slices.Clone(said)
		}
	})
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range slices.Backward(earlier) {
		if x.said.rest == c.rest {
			return c, x.line.ID
		}
		before = cmp.Or(before, x.line.ID)
	}
	return c, before
}

// say notes what an exchange that is kept holds, so that another may continue it.
func (s *store) say(x *exchange, c conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.held > 0 && x.said.messages == 0 && c.messages != 0 {
		x.said = c
		s.spoken[c.messages] = append(s.spoken[c.messages], x)
	}
}

// clear forgets all exchanges. Of those that go on nothing more is kept.
func (s *store) clear() {
	s.mu.Lock()
	var old []*exchange
	for len(s.kept) > 0 {
		old = append(old, s.letGo(0))
	}
	s.listed = nil
	clear(s.byID)
	for f := range s.feeds {
		f.clear()
	}
	s.mu.Unlock()
	for _, x := range old {
		x.drop()
	}
}

// find returns an exchange of the list, or nil.
func (s *store) find(id string) *exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id]
}

// before returns up to n exchanges whose number is less than one, the newest first; 0 is the newest
// of all.
func (s *store) before(number int64, n int) []*exchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := len(s.listed)
	if number > 0 {
		end, _ = slices.BinarySearchFunc(s.listed, number, func(x *exchange, n int64) int { return int(x.line.Number - n) })
	}
	page := slices.Clone(s.listed[max(0, end-n):end])
	slices.Reverse(page)
	return page
}

// touch tells all feeds that an exchange has changed. It waits for none of them.
func (s *store) touch(x *exchange) {
	if s.watching.Load() == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID[x.line.ID] != x { // it is in the list no more
		return
	}
	for f := range s.feeds {
		f.touch(x)
	}
}

// watch returns a feed of all changes from now on, or nil if there are too many.
func (s *store) watch() *feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.feeds) >= mostFeeds {
		return nil
	}
	f := &feed{changed: map[*exchange]bool{}, wake: make(chan struct{}, 1)}
	s.feeds[f] = true
	s.watching.Store(int32(len(s.feeds)))
	return f
}

// leave ends a feed.
func (s *store) leave(f *feed) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.feeds, f)
	s.watching.Store(int32(len(s.feeds)))
}

// feed is what one page has not been told of yet. It holds each exchange once, however often it has
// changed: a page that reads slowly is told less, and nobody waits for it. It is guarded by the lock
// of the store.
type feed struct {
	changed map[*exchange]bool
	cleared bool
	wake    chan struct{} // has an element while there is something to tell
}

// touch notes that an exchange has changed. Beyond as many as the list has, the page begins anew.
func (f *feed) touch(x *exchange) {
	f.changed[x] = true
	if len(f.changed) > mostListed {
		f.clear()
	}
	f.rouse()
}

// clear notes that the list begins anew.
func (f *feed) clear() {
	clear(f.changed)
	f.cleared = true
	f.rouse()
}

func (f *feed) rouse() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// take returns what is to be told, the oldest exchange first, and forgets it.
func (s *store) take(f *feed) (changed []*exchange, cleared bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for x := range f.changed {
		changed = append(changed, x)
	}
	slices.SortFunc(changed, func(a, b *exchange) int { return cmp.Compare(a.line.Number, b.line.Number) })
	cleared = f.cleared
	clear(f.changed)
	f.cleared = false
	return changed, cleared
}
