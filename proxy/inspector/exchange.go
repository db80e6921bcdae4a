package inspector

import (
	"sync"
	"time"

	"dragoman/translate/messages"
)

// Line is an exchange in the list. Durations are in microseconds.
type Line struct {
	ID      string `json:"id"` // the id of the request
	Number  int64  `json:"number"`
	At      int64  `json:"at"` // when the exchange began, in milliseconds since 1970
	Open    bool   `json:"open"`
	Mark    Mark   `json:"mark,omitzero"`      // "" while the exchange runs
	Kept    bool   `json:"kept"`               // the exchange can be opened
	LeftOut int64  `json:"left_out,omitzero"`  // bytes above the limit for one exchange, which are not kept
	Replay  string `json:"replay_of,omitzero"` // the id of the exchange that this one replays

	// Continues is the id of the exchange with the turn before.
	Continues string `json:"continues,omitzero"`

	Client  string `json:"client,omitzero"` // its User-Agent
	Method  string `json:"method"`
	Path    string `json:"path"`
	Dialect string `json:"dialect,omitzero"`
	KeyID   string `json:"key_id,omitzero"`

	Model         string `json:"model,omitzero"`
	Route         string `json:"route,omitzero"`
	Upstream      string `json:"upstream,omitzero"`
	UpstreamModel string `json:"upstream_model,omitzero"`
	Format        string `json:"format,omitzero"`

	Status     int      `json:"status,omitzero"`
	ErrorType  string   `json:"error_type,omitzero"`
	Terminal   string   `json:"terminal,omitzero"`
	Stream     bool     `json:"stream,omitzero"`
	StopReason string   `json:"stop_reason,omitzero"`
	Tools      []string `json:"tools,omitzero"`   // the first tools that were called
	Misread    []string `json:"misread,omitzero"` // how calls were read, if not clean or if repeated, without duplicates: "invalid missing_parameters"
	Dropped    []string `json:"dropped,omitzero"`
	Unmet      []string `json:"unmet,omitzero"`
	mayCall    bool     // the model may call a tool, and does not answer results

	InputTokens  int   `json:"input_tokens"`           // of the whole prompt
	CachedTokens int   `json:"cached_tokens,omitzero"` // of these, the tokens that the upstream read from its cache
	OutputTokens int   `json:"output_tokens"`
	FirstEvent   int64 `json:"first_event,omitzero"`
	Silent       int64 `json:"silent,omitzero"` // the longest time without a byte from a called upstream
	Duration     int64 `json:"duration,omitzero"`
	Calls        int   `json:"calls"`      // of upstreams
	Prompts      int   `json:"prompts"`    // that were asked
	Completion   int64 `json:"completion"` // bytes that models wrote
	Events       int   `json:"events"`
}

// keptExchange is one exchange in the store.
type keptExchange struct {
	began time.Time

	// Guarded by store.mu:
	held int64 // bytes that are kept
	let  bool  // the content must not be kept any more
	said conversation

	mu   sync.Mutex
	line Line
	gone bool // the content has been dropped
	content
}

// content is what is kept of an exchange until it is dropped.
type content struct {
	header    []headerField
	body      text
	prompts   []*prompt
	calls     []*keptCall
	events    []event
	eventText text
	outcomes  []outcome
	failure   *failure
	overhead  overhead
}

// headerField is a kept header of the request.
type headerField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// failure is the error that the client got, instead of an answer or at its end.
type failure struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// outcome is how one call in a completion was read.
type outcome struct {
	Kind   string          `json:"kind"`
	Tool   string          `json:"tool,omitzero"`
	Reason messages.Reason `json:"reason"`
}

// isLost reports whether the call stayed text in the answer.
func (o outcome) isLost() bool {
	return o.Kind == string(messages.OutcomeRefused) || o.Kind == string(messages.OutcomeLeaked)
}

// outcomeOf returns an outcome in the page's form.
func outcomeOf(o messages.Outcome) outcome {
	return outcome{string(o.Kind), clip(o.Tool), o.Reason}
}

// String returns the kind, and the reason if there is one.
func (o outcome) String() string {
	if o.Reason == messages.ReasonNone {
		return o.Kind
	}
	return o.Kind + " " + o.Reason.String()
}

// overhead is the time that the proxy's own work took, in microseconds.
type overhead struct {
	Decode int64 `json:"decode"`
	Render int64 `json:"render"`
	Parse  int64 `json:"parse"`
	Encode int64 `json:"encode"`
}

// piece is a chunk of a completion: when it arrived, and where it ends.
type piece struct {
	at                int64
	end, endOfThought int64
}

// event is an event that the client got. Its text is in eventText, from the end of the event before: the text of a
// delta, or the JSON of any other event.
type event struct {
	at, end int64
	name    string
	delta   string
	index   int
}

// The approximate sizes of these in memory.
const pieceSize, spanSize, eventSize, sourceSize, sectionSize, outcomeSize = 24, 48, 64, 64, 160, 128

// elapsed returns the microseconds since the exchange began.
func (x *keptExchange) elapsed() int64 { return time.Since(x.began).Microseconds() }

// drop drops the content. The goroutine of the exchange may still hold its last prompt, so that is emptied, too.
func (x *keptExchange) drop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range x.prompts {
		*p = prompt{}
	}
	x.content, x.line.Kept, x.gone = content{}, false, true
}

// summary returns the exchange's line in the list.
func (x *keptExchange) summary() Line {
	x.mu.Lock()
	defer x.mu.Unlock()
	line := x.line
	line.Mark = line.mark()
	if line.Open {
		line.Duration = x.elapsed()
	}
	return line
}

// isGone reports whether the content has been dropped.
func (x *keptExchange) isGone() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.gone
}

// keptCall is a call to an upstream. Times are in microseconds since the exchange began; 0 means not yet, or never.
type keptCall struct {
	at, ended       int64
	upstream, model string
	err             string

	// The times of the connection, if there is one.
	connecting, connected int64 // including name resolution and TLS
	reused                bool
	sent                  int64 // the request was written
	firstByte             int64 // of the response
	firstChunk            int64 // of the completion
}
