package inspector

import (
	"cmp"
	"hash/maphash"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// Limits of the store. Lines of the list are short, so the list has more exchanges than can be opened.
const (
	mostListed = 10_000    // exchanges in the list
	mostOfOne  = 32 << 20  // bytes of one exchange; more bytes are counted but not kept
	mostPieces = 100_000   // chunks of one prompt, and events of one exchange; later ones are added to the last
	mostLine   = 200       // bytes of a client's text in the list
	mostPath   = 2 << 10   // bytes of a path, which a replay needs
	mostFeeds  = 32        // pages with a live feed
	mostPart   = 256 << 10 // bytes of a text in one answer
)

// Limits are how much is kept of exchanges, in addition to the list.
type Limits struct {
	Exchanges int   // that can be opened
	Bytes     int64 // of all of them together
}

// DefaultLimits apply where nothing else is set.
var DefaultLimits = Limits{Exchanges: 1000, Bytes: 64 << 20}

// store has the exchanges. While its lock is held, no other lock is taken.
type store struct {
	limits Limits
	mu     sync.Mutex
	listed []*keptExchange // the oldest first
	kept   []*keptExchange // exchanges with content, oldest first
	byID   map[string]*keptExchange
	bytes  int64 // that are kept
	number int64 // of the last exchange
	seed   maphash.Seed
	spoken map[uint64][]*keptExchange // exchanges with content, by the hash of their messages, oldest first

	feeds    map[*feed]bool
	watching atomic.Int32 // the number of feeds
}

func newStore(limits Limits) *store {
	return &store{
		limits: limits, byID: map[string]*keptExchange{}, feeds: map[*feed]bool{},
		seed: maphash.MakeSeed(), spoken: map[uint64][]*keptExchange{},
	}
}

// begin adds an exchange.
func (s *store) begin(line Line) *keptExchange {
	x := &keptExchange{began: time.Now()}
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

// reserve returns how many of n bytes may be kept for an exchange. It drops the oldest exchanges to make room.
func (s *store) reserve(x *keptExchange, n int) int {
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
	var old []*keptExchange
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

// letGo removes an exchange from the kept ones. The caller holds the lock.
func (s *store) letGo(i int) *keptExchange {
	x := s.kept[i]
	s.kept = slices.Delete(s.kept, i, i+1)
	s.bytes -= x.held
	x.held, x.let = 0, true
	said := slices.DeleteFunc(s.spoken[x.said.messages], func(other *keptExchange) bool { return other == x })
	if s.spoken[x.said.messages] = said; len(said) == 0 {
		delete(s.spoken, x.said.messages)
	}
	return x
}

// listen returns a request's conversation, and the id of the exchange with the turn before, "" for none. That is the
// exchange with the most messages that the request begins with. If several have the same messages, one with the same
// rest of the body wins, then the newest.
func (s *store) listen(body []byte) (c conversation, before string) {
	var earlier []*keptExchange
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

// say notes the conversation of a kept exchange, so that a later exchange can continue it.
func (s *store) say(x *keptExchange, c conversation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if x.held > 0 && x.said.messages == 0 && c.messages != 0 {
		x.said = c
		s.spoken[c.messages] = append(s.spoken[c.messages], x)
	}
}

// clear removes all exchanges. Exchanges in progress are no longer kept, either.
func (s *store) clear() {
	s.mu.Lock()
	var old []*keptExchange
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
func (s *store) find(id string) *keptExchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.byID[id]
}

// before returns up to n exchanges with numbers below number, newest first; for 0, the newest of all.
func (s *store) before(number int64, n int) []*keptExchange {
	s.mu.Lock()
	defer s.mu.Unlock()
	end := len(s.listed)
	if number > 0 {
		end, _ = slices.BinarySearchFunc(s.listed, number, func(x *keptExchange, n int64) int { return int(x.line.Number - n) })
	}
	page := slices.Clone(s.listed[max(0, end-n):end])
	slices.Reverse(page)
	return page
}

// touch tells all feeds that an exchange has changed. It waits for none of them.
func (s *store) touch(x *keptExchange) {
	if s.watching.Load() == 0 {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID[x.line.ID] != x { // no longer in the list
		return
	}
	for f := range s.feeds {
		f.touch(x)
	}
}

// watch returns a feed of all changes from now on, or nil if there are too many feeds.
func (s *store) watch() *feed {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.feeds) >= mostFeeds {
		return nil
	}
	f := &feed{changed: map[*keptExchange]bool{}, wake: make(chan struct{}, 1)}
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

// feed has the changes that one page has not received yet. It has each exchange only once, however often the exchange
// changes: a slow page gets fewer updates, and nobody waits for it. The store's lock guards it.
type feed struct {
	changed map[*keptExchange]bool
	cleared bool
	wake    chan struct{} // has an element while there are changes
}

// touch notes that an exchange has changed. With more changes than the list is long, the page begins anew.
func (f *feed) touch(x *keptExchange) {
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

// take removes the changes from the feed and returns them, oldest exchange first.
func (s *store) take(f *feed) (changed []*keptExchange, cleared bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for x := range f.changed {
		changed = append(changed, x)
	}
	slices.SortFunc(changed, func(a, b *keptExchange) int { return cmp.Compare(a.line.Number, b.line.Number) })
	cleared = f.cleared
	clear(f.changed)
	f.cleared = false
	return changed, cleared
}
