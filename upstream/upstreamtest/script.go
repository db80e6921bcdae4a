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

// Script is the model behind a server: it completes a prompt. The server calls it once for each request, in
// the goroutine of that request.
type Script func(model string, p *translate.Prompt) Completion

// Completion is what a server answers.
type Completion struct {
	// Text is the model's whole text. The server cuts it before the first of the request's stop sequences.
	Text string
	// Thinking is the model's thinking before the text. Text completions omit it.
	Thinking string
	// Stop is why the text ends; "" is the end of the turn.
	Stop         messages.Stop
	StopSequence string
	// Pieces is the number of text deltas; 0 means one for about each 8 bytes. No delta cuts a character.
	Pieces int
	// Usage has the token counts that the server reports; the zero value means a token for each 4 bytes of
	// the completion.
	Usage messages.Usage
	// Fragment is how many bytes of the body are sent at once, even if that cuts frames and characters; 0
	// sends one frame at once.
	Fragment int
	// Fault is how the answer fails; nil for no failure.
	Fault *Fault
	// before is a text before Text, in the first of its pieces.
	before string
	// parts are the text and the calls into which a [Chat] has parsed the text.
	parts []chatSegment
}

// Fault is a failure on cue. Create it with the functions of this package.
type Fault struct {
	kind       faultKind
	after      int // events, or bytes of the body
	status     int
	typ        string
	message    string
	retryAfter string
}

// faultKind is a kind of fault. It decides which fields of a [Fault] count.
type faultKind int

// The kinds of fault, each named after its function.
const (
	refuse faultKind = iota + 1
	stall
	fail
	corrupt
	cut
	end
	reply
)

// Refuse answers with an HTTP status and an error of this type: the name of an exception
// ("ThrottlingException") on Bedrock, an error type ("rate_limit_error") of the Messages API. retryAfter is
// the value of that header, "" for none.
func Refuse(status int, typ, message, retryAfter string) *Fault {
	return &Fault{kind: refuse, status: status, typ: typ, message: message, retryAfter: retryAfter}
}

// Reply answers with this status, content type and body, whatever the request is.
func Reply(status int, contentType, body string) *Fault {
	return &Fault{kind: reply, status: status, typ: contentType, message: body}
}

// Stall sends this many events of the answer, and then waits until the client leaves. With 0, it does not
// even send the status.
func Stall(events int) *Fault { return &Fault{kind: stall, after: events} }

// Fail sends this many events of the answer, and then an error of this type, which is named as for [Refuse].
func Fail(events int, typ, message string) *Fault {
	return &Fault{kind: fail, after: events, typ: typ, message: message}
}

// Corrupt damages the event after this many events: its checksum does not match (Bedrock), or its JSON is
// invalid (Messages).
func Corrupt(events int) *Fault { return &Fault{kind: corrupt, after: events} }

// Cut breaks the connection after this many bytes of the answer's body.
func Cut(bytes int) *Fault { return &Fault{kind: cut, after: bytes} }

// End ends the answer's body without an error after this many bytes.
func End(bytes int) *Fault { return &Fault{kind: end, after: bytes} }

// early reports whether the fault replaces the answer.
func (f *Fault) early() bool { return f != nil && (f.kind == refuse || f.kind == reply) }

// before returns the fault for an answer in one piece: a failure in its middle becomes a failure in place of
// the answer.
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

// statusWithin maps failures in the middle of an answer to the HTTP status that they have in place of an
// answer: exceptions (docs/reference/bedrock.md §4), and the errors of a [Chat].
var statusWithin = map[string]int{
	"ValidationException":         http.StatusBadRequest,
	"ModelErrorException":         http.StatusFailedDependency,
	"ThrottlingException":         http.StatusTooManyRequests,
	"ServiceUnavailableException": http.StatusServiceUnavailable,
	"rate_limit_exceeded":         http.StatusTooManyRequests,
	"overloaded_error":            http.StatusServiceUnavailable,
}

// respond writes the response of a fault that is [Fault.early]. errorBody returns the JSON of an error in the
// server's API.
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

// reply writes the response of [Reply]: typ is its content type and message its body.
func (f *Fault) reply(w http.ResponseWriter) {
	w.Header().Set("content-type", f.typ)
	w.WriteHeader(f.status)
	fmt.Fprint(w, f.message)
}

// Answer returns a script that answers every prompt with c.
func Answer(c Completion) Script {
	return func(string, *translate.Prompt) Completion { return c }
}

// Simulated is the script of the simulated model, for prompts in the legacy format. The server receives text,
// and reconstructs the request for the simulated model from it. In another format, the simulated model knows
// only the turns and calls no tool.
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

// settle returns the completion as the server sends it for the prompt: cut before the first stop sequence,
// with a stop reason and token counts.
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

// pieces returns the text, cut into its deltas.
func (c Completion) pieces() []string { return c.piecesOf(c.Text) }

// piecesOf returns a part of the text, cut into deltas.
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
