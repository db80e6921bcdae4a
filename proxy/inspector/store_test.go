package inspector

import (
	"bytes"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"runtime"
	"strings"
	"sync"
	"testing"

	"dragoman/metrics"
	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
)

// Reading a text returns what was written, however it was written and wherever reading begins.
func TestText(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var kept text
		var want []byte
		for range rnd.IntN(40) {
			piece := bytes.Repeat([]byte{byte('a' + rnd.IntN(26))}, rnd.IntN(3000))
			next := 0
			if more := len(piece) - kept.room(); more > 0 {
				next = kept.block(more)
				if rnd.IntN(4) == 0 {
					next = rnd.IntN(next + 1) // not everything is granted
				}
			}
			want = append(want, piece[:write(&kept, piece, next)]...)
		}
		if !bytes.Equal(kept.all(), want) {
			t.Fatal("another text is read")
		}
		from, most := rnd.IntN(len(want)+10), rnd.IntN(5000)
		if got := kept.read(int64(from), most); !bytes.Equal(got, want[min(from, len(want)):min(len(want), from+most)]) {
			t.Fatalf("from %d up to %d of %d: %d", from, most, len(want), len(got))
		}
	}
}

// serve shows the inspector an exchange with a completion of this size.
func (in *Inspector) serve(id string, size int) {
	r, err := http.NewRequest("POST", "/v1/messages", nil)
	if err != nil {
		panic(err)
	}
	o := in.Observe(r, &metrics.Exchange{RequestID: id})
	m := proxy.UpstreamModel{Upstream: "east", Model: "m"}
	req := &messages.Request{Model: "m", MaxTokens: 1, Messages: []messages.MessageParam{
		{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "?"}}},
	}}
	p, err := translate.Render(req, translate.Target{})
	if err != nil {
		panic(err)
	}
	o.Received([]byte(`{"a":1}`))
	o.Rendered(m, req, p)
	o.Calling(context.Background(), m)
	const piece = 64 << 10
	for at := 0; at < size; at += piece {
		text := strings.Repeat("x", min(piece, size-at))
		o.Chunk(&translate.Chunk{Text: text})
		o.Event(&messages.Event{Type: messages.ContentBlockDelta, Delta: messages.TextDelta, Text: []byte(text)})
	}
	o.Called(nil)
	o.Ended(&metrics.Exchange{RequestID: id, Status: 200})
}

// heldBytes returns how much is kept, by the store's count and by the texts themselves.
func (s *store) heldBytes() (kept int, counted, texts int64) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, x := range s.kept {
		counted += x.held
		x.mu.Lock()
		texts += x.body.size + x.eventText.size
		for _, p := range x.prompts {
			texts += p.text.size + p.completion.size + p.thinking.size
		}
		x.mu.Unlock()
	}
	if counted != s.bytes {
		return -1, s.bytes, counted
	}
	return len(s.kept), counted, texts
}

// What is kept has a limit, however many and long the exchanges are, and the newest are kept.
func TestBounds(t *testing.T) {
	in := New(few)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for j := range 60 {
				in.serve(fmt.Sprintf("req_%d_%d", i, j), 300<<10)
				if kept, counted, texts := in.store.heldBytes(); kept > few.Exchanges || kept < 0 || counted > few.Bytes || texts > counted {
					t.Errorf("%d exchanges with %d bytes, %d of texts", kept, counted, texts)
				}
				for _, x := range in.store.before(0, 20) {
					x.shown()
				}
			}
		})
	}
	all.Wait()
	in.serve("req_last", 100)
	x := in.store.find("req_last")
	if kept, _, _ := in.store.heldBytes(); kept == 0 || x == nil || x.isGone() || x.completionSize() != 100 {
		t.Errorf("%d are kept", kept)
	}
	if n := len(in.store.before(0, 1<<20)); n != 481 {
		t.Errorf("%d are in the list", n)
	}
}

func (x *keptExchange) completionSize() int64 {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.prompts[0].completion.size
}

// One exchange keeps at most its share, and reports what is left out.
func TestLongExchange(t *testing.T) {
	in := New(few)
	in.serve("req_long", 40<<20)
	x := in.store.find("req_long")
	line := x.summary()
	_, counted, texts := in.store.heldBytes()
	if counted > mostOfOne || line.LeftOut == 0 || line.Completion != 40<<20 || texts+line.LeftOut != 80<<20+7+1 {
		t.Errorf("%d bytes, %d of texts; %+v", counted, texts, line)
	}
	if !line.Kept || line.Open {
		t.Errorf("%+v", line)
	}
}

// The list is longer than the kept exchanges, but also limited.
func TestListEnds(t *testing.T) {
	in := New(few)
	for i := range mostListed + 50 {
		in.store.begin(Line{ID: fmt.Sprint(i)})
	}
	lines := in.store.before(0, 1<<20)
	if len(lines) != mostListed || in.store.find("49") != nil || in.store.find("50") == nil || len(in.store.byID) != mostListed {
		t.Errorf("%d lines, %d by their ids", len(lines), len(in.store.byID))
	}
	if page := in.store.before(lines[10].line.Number, 5); len(page) != 5 || page[0] != lines[11] {
		t.Error("another page")
	}
}

// However a completion arrives in pieces, it is finally shown as it was read.
func TestSpans(t *testing.T) {
	const completion = "Look: <b>\n\n<function_calls>\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n<a>1 </a> 2</a>\n<b>x</b>\n</parameters>\n</invoke>\n</function_calls> and more"
	req := &messages.Request{Model: "m", MaxTokens: 1, Tools: []messages.Tool{{Name: "f", InputSchema: []byte(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"}}}`)}},
		Messages: []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "?"}}}}}
	asked, err := translate.Render(req, translate.Target{})
	if err != nil {
		t.Fatal(err)
	}
	var want string
	for size := len(completion); size > 0; size-- {
		trace, spans := translate.NewTrace(req, asked), []Span(nil)
		for at := 0; at < len(completion); at += size {
			spans = readAs(spans, trace.Read(translate.Chunk{Text: completion[at:min(len(completion), at+size)]}))
			if n := len(spans); n == 0 || spans[n-1].End > int64(len(completion)) {
				t.Fatalf("pieces of %d: %v", size, spans)
			}
		}
		spans = readAs(spans, trace.Read(translate.Chunk{Stop: messages.StopEndTurn}))
		if got := fmt.Sprint(spans); want == "" {
			want = got
		} else if got != want {
			t.Errorf("pieces of %d are read as %s, at once %s", size, got, want)
		}
	}
}

// A line of the list keeps only its own text in memory, not the query of its path.
func TestLinesAreSmall(t *testing.T) {
	in := New(few)
	const exchanges = 1000
	before := heap()
	for i := range exchanges {
		line := "/v1/messages?" + strings.Repeat("x", 60<<10) + fmt.Sprint(i)
		target, err := url.ParseRequestURI(line)
		if err != nil {
			t.Fatal(err)
		}
		in.Observe(&http.Request{Method: "POST", URL: target}, &metrics.Exchange{RequestID: fmt.Sprint(i)})
	}
	if each := (heap() - before) / exchanges; each > 8<<10 {
		t.Errorf("a line of the list keeps %d bytes", each)
	}
	runtime.KeepAlive(in)
}

// heap returns how many bytes are in use.
func heap() int64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}

// Everything else that is kept of an exchange is also counted or limited: a request may have many long stop sequences,
// and a prompt many parts.
func TestSmallThingsAreBounded(t *testing.T) {
	in := New(few)
	const exchanges, stops, parts = 20, 10_000, 20_000
	before := heap()
	for i := range exchanges {
		id := fmt.Sprint(i)
		r, err := http.NewRequest("POST", "/v1/messages", nil)
		if err != nil {
			t.Fatal(err)
		}
		p := &translate.Prompt{}
		for range stops {
			p.StopSequences = append(p.StopSequences, strings.Repeat("s", 1000))
		}
		for range parts {
			p.System = append(p.System, translate.Text{})
		}
		o := in.Observe(r, &metrics.Exchange{RequestID: id})
		o.Rendered(proxy.UpstreamModel{}, &messages.Request{}, p)
		delta := messages.Event{Type: messages.MessageDelta, Message: &messages.Message{}}
		delta.Message.Outcomes = make([]messages.Outcome, 10_000)
		o.Event(&delta)
		o.Ended(&metrics.Exchange{RequestID: id})
	}
	_, counted, _ := in.store.heldBytes()
	if used := heap() - before; used > 2*counted+8<<20 {
		t.Errorf("%d bytes are kept of which %d are counted", used, counted)
	}
	runtime.KeepAlive(in)
}

// A panic during a change leaves the exchange unlocked: it still has to end, and others may drop it.
func TestPanicLeavesNoLock(t *testing.T) {
	x := &keptExchange{}
	c := &capture{keptExchange: x, store: newStore(few)}
	func() {
		defer func() { _ = recover() }()
		c.change(func() { panic("a mistake") })
	}()
	if !x.mu.TryLock() {
		t.Error("the exchange is locked")
	}
}
