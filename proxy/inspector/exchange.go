package inspector

import (
	"sync"
	"time"

	"dragoman/translate/messages"
)

// Line is what the list says of an exchange. Times that are not points in time are in microseconds.
type Line struct {
	ID      string `json:"id"` // the id of the request
	Number  int64  `json:"number"`
	At      int64  `json:"at"` // when it began, in milliseconds since 1970
	Open    bool   `json:"open"`
	Mark    Mark   `json:"mark,omitzero"`      // "" while it goes on
	Kept    bool   `json:"kept"`               // it can be opened
	LeftOut int64  `json:"left_out,omitzero"`  // bytes that are beyond what is kept of one exchange
	Replay  string `json:"replay_of,omitzero"` // the id of the exchange that is sent again

	// Continues is the id of the exchange that was the turn before.
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
	Tools      []string `json:"tools,omitzero"`   // that were called, the first of them
	Misread    []string `json:"misread,omitzero"` // how calls were read that are not clean, each once: "invalid missing_parameters"
	Dropped    []string `json:"dropped,omitzero"`
	Unmet      []string `json:"unmet,omitzero"`

	InputTokens  int   `json:"input_tokens"`
	OutputTokens int   `json:"output_tokens"`
	FirstEvent   int64 `json:"first_event,omitzero"`
	Silent       int64 `json:"silent,omitzero"` // the longest time without a byte from an upstream that was asked
	Duration     int64 `json:"duration,omitzero"`
	Calls        int   `json:"calls"`      // of upstreams
	Prompts      int   `json:"prompts"`    // that were asked
	Completion   int64 `json:"completion"` // bytes that models wrote
	Events       int   `json:"events"`
}

// exchange is what is kept of one exchange.
type exchange struct {
	began time.Time

	// Guarded by store.mu:
	held int64 // bytes that are kept
	let  bool  // nothing is kept any more
	said conversation

	mu   sync.Mutex
	line Line
	gone bool // what was kept has been let go
	content
}

// content is what is kept of an exchange until it is let go.
type content struct {
	header    []headerField
	body      text
	prompts   []*prompt
	calls     []*call
	events    []event
	eventText text
	outcomes  []outcome
	failure   *failure
	overhead  overhead
}

// headerField is a field of the request's header that is kept.
type headerField struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// failure is what the client was told in place of an answer, or at its end.
type failure struct {
	Type    string `json:"type"`
	Message string `json:"message"`
}

// outcome is how one call in a completion was read.
type outcome struct {
	Kind   string `json:"kind"`
	Tool   string `json:"tool,omitzero"`
	Reason string `json:"reason"`
}

// isLost reports whether the call is text of the answer in place of a call.
func (o outcome) isLost() bool {
	return o.Kind == string(messages.OutcomeRefused) || o.Kind == string(messages.OutcomeLeaked)
}

// outcomeOf returns what is shown of an outcome.
func outcomeOf(o messages.Outcome) outcome {
	return outcome{string(o.Kind), clip(o.Tool), o.ReasonLabel()}
}

// String returns the kind, and the reason if there is one.
func (o outcome) String() string {
	if o.Reason == messages.ReasonNone {
		return o.Kind
	}
	return o.Kind + " " + o.Reason
}

// overhead is the time that the proxy's own work took, in microseconds.
type overhead struct {
	Decode int64 `json:"decode"`
	Render int64 `json:"render"`
	Parse  int64 `json:"parse"`
	Encode int64 `json:"encode"`
}

// piece is a chunk of a completion: when it came, and where it ends.
type piece struct {
	at                int64
	end, endOfThought int64
}

// event is an event that the client got. Its text is that of eventText from the end of the event
// before: the text of a delta, and the JSON of any other event.
type event struct {
	at, end int64
	name    string
	delta   string
	index   int
}

// The bytes that these take, roughly.
const pieceSize, spanSize, eventSize, sourceSize, sectionSize, outcomeSize = 24, 48, 64, 64, 160, 128

// elapsed returns the microseconds since the exchange began.
func (x *exchange) elapsed() int64 { return time.Since(x.began).Microseconds() }

// drop lets go of what is kept. Whoever serves the exchange may still hold its last prompt: that is
// emptied, too.
func (x *exchange) drop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, p := range x.prompts {
		*p = prompt{}
	}
	x.content, x.line.Kept, x.gone = content{}, false, true
}

// summary returns what the list says of the exchange.
func (x *exchange) summary() Line {
	x.mu.Lock()
	defer x.mu.Unlock()
	line := x.line
	line.Mark = line.mark()
	if line.Open {
		line.Duration = x.elapsed()
	}
	return line
}

// isGone reports whether what was kept has been let go.
func (x *exchange) isGone() bool {
	x.mu.Lock()
	defer x.mu.Unlock()
	return x.gone
}

// call is a call of an upstream. Times are in microseconds since the exchange began; 0 is not yet, or
// never.
type call struct {
	at, ended       int64
	upstream, model string
	err             string

	// What the connection did, where there is one.
	connecting, connected int64 // with the resolution of the name, and with TLS
	reused                bool
	sent                  int64 // the request was written
	firstByte             int64 // of the response
	firstChunk            int64 // of the completion
}
