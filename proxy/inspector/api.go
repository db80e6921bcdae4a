package inspector

import (
	"net/http"
	"strconv"
	"unicode/utf8"
)

// The limits of a page of lines or events.
const mostLines, mostEvents = 1000, 2000

// list answers with the lines of exchanges, newest first: those before a number, or the newest of all.
func (in *Inspector) list(w http.ResponseWriter, r *http.Request) error {
	before, err := number(r, "before", 0)
	if err != nil {
		return err
	}
	limit, err := number(r, "limit", mostLines)
	if err != nil {
		return err
	}
	lines := []Line{}
	for _, x := range in.store.before(before, int(min(limit, mostLines))) {
		lines = append(lines, x.summary())
	}
	respond(w, http.StatusOK, struct {
		Lines []Line `json:"lines"`
	}{lines})
	return nil
}

// clear removes all exchanges.
func (in *Inspector) clear(w http.ResponseWriter, _ *http.Request) error {
	in.store.clear()
	w.WriteHeader(http.StatusNoContent)
	return nil
}

// text answers with a piece of a text of the exchange, from an offset in bytes. The query's part is "request", or for
// the prompt with number asked, "prompt", "completion" or "thinking". A text longer than [mostPart] takes several
// requests, each from the end of the last piece.
func (in *Inspector) text(w http.ResponseWriter, r *http.Request) error {
	x, from, err := in.openedFrom(r)
	if err != nil {
		return err
	}
	x.mu.Lock()
	defer x.mu.Unlock()
	t, err := x.part(r)
	if err != nil {
		return err
	}
	data := t.read(from, mostPart)
	if from+int64(len(data)) < t.size {
		data = whole(data)
	}
	w.Header().Set("X-Text-Size", strconv.FormatInt(t.size, 10))
	respondText(w, data)
	return nil
}

// part returns the text that the query names. The caller holds the lock.
func (x *keptExchange) part(r *http.Request) (*text, error) {
	part := r.URL.Query().Get("part")
	if part == "request" {
		return &x.body, nil
	}
	p, err := x.prompt(r)
	if err != nil {
		return nil, err
	}
	switch part {
	case "prompt":
		return &p.text, nil
	case "completion":
		return &p.completion, nil
	case "thinking":
		return &p.thinking, nil
	}
	return nil, &problem{http.StatusBadRequest, "part: write request, prompt, completion or thinking"}
}

// prompt returns the prompt with the number in the query. The caller holds the lock.
func (x *keptExchange) prompt(r *http.Request) (*prompt, error) {
	n, err := number(r, "asked", 0)
	if err != nil {
		return nil, err
	}
	return x.promptAt(n)
}

// promptAt returns the prompt with this number. The caller holds the lock.
func (x *keptExchange) promptAt(n int64) (*prompt, error) {
	if n >= int64(len(x.prompts)) {
		return nil, &problem{http.StatusNotFound, "asked: no prompt has this number"}
	}
	return x.prompts[n], nil
}

// whole returns data without an incomplete character at its end.
func whole(data []byte) []byte {
	for i := 1; i < utf8.UTFMax && i < len(data); i++ {
		if b := data[len(data)-i]; utf8.RuneStart(b) {
			if !utf8.FullRune(data[len(data)-i:]) {
				return data[:len(data)-i]
			}
			break
		}
	}
	return data
}

// shownEvent is an event in the form that the page gets.
type shownEvent struct {
	At    int64  `json:"at"`
	Name  string `json:"name"`
	Delta string `json:"delta,omitzero"`
	Index int    `json:"index"`
	Data  string `json:"data"` // the text of a delta; for other events, their JSON
}

// events answers with events, beginning at a number.
func (in *Inspector) events(w http.ResponseWriter, r *http.Request) error {
	x, from, err := in.openedFrom(r)
	if err != nil {
		return err
	}
	x.mu.Lock()
	out, total := x.eventsFrom(int(min(from, mostPieces))), len(x.events)
	x.mu.Unlock()
	respond(w, http.StatusOK, struct {
		Events []shownEvent `json:"events"`
		Total  int          `json:"total"`
	}{out, total})
	return nil
}

// eventsFrom returns a page of events. The caller holds the lock.
func (x *keptExchange) eventsFrom(from int) []shownEvent {
	out := []shownEvent{}
	from = min(from, len(x.events))
	begin := int64(0)
	if from > 0 {
		begin = x.events[from-1].end
	}
	last := from
	for last < len(x.events) && last-from < mostEvents && (last == from || x.events[last].end-begin <= mostPart) {
		last++
	}
	if last == from {
		return out
	}
	data := x.eventText.read(begin, int(x.events[last-1].end-begin))
	for _, e := range x.events[from:last] {
		out = append(out, shownEvent{e.at, e.name, e.delta, e.index, string(data[:e.end-begin])})
		data, begin = data[e.end-begin:], e.end
	}
	return out
}

// openedFrom returns the exchange in the path, and the offset or number to begin at.
func (in *Inspector) openedFrom(r *http.Request) (x *keptExchange, from int64, err error) {
	if x, err = in.opened(r); err != nil {
		return nil, 0, err
	}
	from, err = number(r, "from", 0)
	return x, from, err
}

// spans answers with how the parser read a completion, beginning at an offset in bytes.
func (in *Inspector) spans(w http.ResponseWriter, r *http.Request) error {
	x, from, err := in.openedFrom(r)
	if err != nil {
		return err
	}
	x.mu.Lock()
	p, err := x.prompt(r)
	out := []Span{}
	if err == nil {
		for _, s := range p.spans {
			if s.End > from {
				out = append(out, s)
			}
		}
	}
	x.mu.Unlock()
	if err != nil {
		return err
	}
	respond(w, http.StatusOK, struct {
		Spans []Span `json:"spans"`
	}{out})
	return nil
}
