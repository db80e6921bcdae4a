package upstreamtest

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
)

// Script is the model behind a server: it completes a prompt. The server calls
// it once for each request, from that request's goroutine.
type Script func(model string, p *translate.Prompt) Completion

// Completion is what a server answers.
type Completion struct {
	// Text is everything the model would write. The server cuts it before the
	// first of the request's stop sequences.
	Text string
	// Thinking is what the model thinks before it. Text completions have no place
	// for it.
	Thinking string
	// Stop is why the text ends; "" means that the model had no more to say.
	Stop         messages.Stop
	StopSequence string
	// Pieces is in how many text deltas the text comes; 0 means one for about
	// each 8 bytes. No character is cut.
	Pieces int
	// Usage is what the server reports; zero means a token for each 4 bytes of
	// the completion.
	Usage messages.Usage
	// Fragment is how many bytes of the body go out at once, wherever that cuts
	// frames and characters; 0 means one frame at once.
	Fragment int
	// Fault is what goes wrong; nil means nothing does.
	Fault *Fault
	// before comes before the text, in the first of its pieces.
	before string
	// parts are what a [Chat] has made of the text.
	parts []chatSegment
}

// Fault is a failure on cue. The functions of this package make them.
type Fault struct {
	kind       faultKind
	after      int // events, or bytes of the body
	status     int
	typ        string
	message    string
	retryAfter string
}

// faultKind is what a fault does. It decides which fields of a [Fault] count.
type faultKind int

// The kinds of fault, each with the function of its name.
const (
	refuse faultKind = iota + 1
	stall
	fail
	corrupt
	cut
	end
	reply
)

// Refuse answers with an HTTP status and an error of this type: the name of an
// exception ("ThrottlingException") on Bedrock, an error type of the Messages
// API ("rate_limit_error") there. retryAfter is the header of that name, "" for none.
func Refuse(status int, typ, message, retryAfter string) *Fault {
	return &Fault{kind: refuse, status: status, typ: typ, message: message, retryAfter: retryAfter}
}

// Reply answers with this status, content type and body, whatever was asked.
func Reply(status int, contentType, body string) *Fault {
	return &Fault{kind: reply, status: status, typ: contentType, message: body}
}

// Stall sends this many events of the answer and then waits until the client has
// gone; with 0 not even the status goes out.
func Stall(events int) *Fault { return &Fault{kind: stall, after: events} }

// Fail sends this many events of the answer and then an error of this type, which
// is named as for [Refuse].
func Fail(events int, typ, message string) *Fault {
	return &Fault{kind: fail, after: events, typ: typ, message: message}
}

// Corrupt damages the event after this many: its checksum does not match (Bedrock)
// or its JSON cannot be read (Messages).
func Corrupt(events int) *Fault { return &Fault{kind: corrupt, after: events} }

// Cut loses the connection after this many bytes of the answer's body.
func Cut(bytes int) *Fault { return &Fault{kind: cut, after: bytes} }

// End ends the answer's body in good order after this many bytes.
func End(bytes int) *Fault { return &Fault{kind: end, after: bytes} }

// early reports whether the fault comes instead of an answer.
func (f *Fault) early() bool { return f != nil && (f.kind == refuse || f.kind == reply) }

// before returns the fault for an answer that comes in one piece: a failure within it
// becomes one instead of it.
func (f *Fault) before() *Fault {
	if f == nil || f.kind != fail {
		return f
	}
	status, known := statusWithin[f.typ]
	if !known {
		status = http.StatusInternalServerError
	}
	return Refuse(status, f.typ, f.message, "")
}

// statusWithin is the HTTP status of failures within an answer, for those that come
// instead of one: exceptions (docs/reference/bedrock.md §4), and the errors of a [Chat].
var statusWithin = map[string]int{
	"ValidationException":         http.StatusBadRequest,
	"ModelErrorException":         http.StatusFailedDependency,
	"ThrottlingException":         http.StatusTooManyRequests,
	"ServiceUnavailableException": http.StatusServiceUnavailable,
	"rate_limit_exceeded":         http.StatusTooManyRequests,
	"overloaded_error":            http.StatusServiceUnavailable,
}

// respond writes the response of a fault that is [Fault.early]. errorBody returns the JSON
// of an error, as the API of the server has it.
func (f *Fault) respond(w http.ResponseWriter, errorBody func(typ, message string) []byte) {
	if f.kind == reply {
		f.reply(w)
		return
	}
	h := w.Header()
	h.Set("content-type", "application/json")
	if f.retryAfter != "" {
		h.Set("retry-after", f.retryAfter)
	}
	w.WriteHeader(f.status)
	w.Write(errorBody(f.typ, f.message))
}

// reply writes the response of [Reply], whose content type is in typ and whose body in
// message.
func (f *Fault) reply(w http.ResponseWriter) {
	w.Header().Set("content-type", f.typ)
	w.WriteHeader(f.status)
	fmt.Fprint(w, f.message)
}

// Answer returns a script that answers every prompt with c.
func Answer(c Completion) Script {
	return func(string, *translate.Prompt) Completion { return c }
}

// Simulated is the script of the simulated model, for prompts in the legacy format: a server
// receives text, and the request that the simulated model answers is read back from the text.
// Of a prompt in another format the simulated model knows the turns alone, and calls no tool.
func Simulated(model string, p *translate.Prompt) Completion {
	var c Completion
	for chunk, err := range simulated.New().Func(context.Background(), upstream.Model{ID: model}, withRequest(p)) {
		if err != nil {
			panic(err) // the context never ends, and nothing else can fail
		}
		c.Text += chunk.Text
		c.Stop, c.StopSequence = chunk.Stop, chunk.StopSequence
		c.Usage.InputTokens = max(c.Usage.InputTokens, chunk.Usage.InputTokens)
		c.Usage.OutputTokens = max(c.Usage.OutputTokens, chunk.Usage.OutputTokens)
	}
	return c
}

// settle returns the completion as it is sent in answer to the prompt: cut before the
// first of its stop sequences, and with a stop and counters.
func (c Completion) settle(p *translate.Prompt) Completion {
	first := len(c.Text) + 1
	for _, stop := range p.StopSequences {
		if at := strings.Index(c.Text, stop); at >= 0 && at+len(stop) < first {
			first = at + len(stop)
			c.Stop, c.StopSequence = messages.StopSequence, stop
		}
	}
	if first <= len(c.Text) {
		c.Text = c.Text[:first-len(c.StopSequence)]
	}
	if c.Stop == "" {
		c.Stop = messages.StopEndTurn
	}
	if c.Usage == (messages.Usage{}) {
		c.Usage.OutputTokens = (len(c.Text) + 3) / 4
	}
	return c
}

// pieces returns the text in the pieces of its deltas.
func (c Completion) pieces() []string { return c.piecesOf(c.Text) }

// piecesOf returns a part of the text in the pieces of its deltas.
func (c Completion) piecesOf(text string) []string {
	n := c.Pieces
	if n == 0 {
		n = (len(text) + 7) / 8
	}
	var pieces []string
	for rest := text; rest != ""; n-- {
		size := len(rest) / max(n, 1)
		for size < len(rest) && (size == 0 || !utf8.RuneStart(rest[size])) {
			size++
		}
		pieces = append(pieces, rest[:size])
		rest = rest[size:]
	}
	switch {
	case len(pieces) > 0:
		pieces[0] = c.before + pieces[0]
	case c.before != "":
		pieces = []string{c.before}
	}
	return pieces
}
