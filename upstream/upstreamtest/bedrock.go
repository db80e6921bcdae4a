package upstreamtest

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"unicode"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/upstream"
)

// Bedrock is a server that speaks InvokeModelWithResponseStream (reference/bedrock.md
// §2, §3), with the Anthropic Messages body or, where the body has a prompt, that
// of text completions, and ConverseStream and Converse (§5). It wants requests
// signed, and if they are signed as [AccessKeyID] it verifies the signature.
type Bedrock struct {
	// Lacks is what the models refuse over Converse: of System, StopSequences,
	// Streaming, Images and Documents. Set it before serving.
	Lacks upstream.Features
	// Native has the models answer the Messages body with tools of their own. Set it
	// before serving.
	Native Native
	*log
	script Script
}

// NewBedrock returns a server with this script; nil means [Simulated].
func NewBedrock(script Script) *Bedrock {
	if script == nil {
		script = Simulated
	}
	return &Bedrock{log: newLog(), script: script}
}

// requestID is the id that the servers of this package give to every request.
const requestID = "req-of-the-fake"

// bedrockCall is a request to an operation, and how that answers.
type bedrockCall struct {
	prompt *translate.Prompt
	events func(Completion) []event
	frames func(http.ResponseWriter, *body) frames
	whole  bool // the answer comes in one piece, so that nothing fails within it
}

// ServeHTTP answers POST /model/{id}/invoke-with-response-stream, /converse-stream,
// /converse and /count-tokens.
func (b *Bedrock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("x-amzn-RequestId", requestID)
	data, err := io.ReadAll(r.Body)
	if err != nil {
		b.left()
		return
	}
	model, operation, ok := modelOf(r.URL.EscapedPath())
	if !ok || r.Method != http.MethodPost {
		bedrockRefusal(w, Refuse(http.StatusNotFound, "UnknownOperationException", "", ""))
		return
	}
	if fault := verify(r, data); fault != nil {
		bedrockRefusal(w, fault)
		return
	}
	if operation == countTokens {
		b.count(w, r, model, data)
		return
	}
	call, problem := b.read(operation, model, data)
	var guardrail *upstream.Guardrail
	if problem == nil {
		guardrail, problem = readGuardrail(operation, r.Header, data)
	}
	if problem != nil {
		bedrockRefusal(w, Refuse(http.StatusBadRequest, "ValidationException", problem.bedrock(), ""))
		return
	}
	b.add(Request{model, r.Header.Clone(), data, call.prompt, guardrail})
	c := b.script(model, call.prompt).settle(call.prompt)
	if call.whole {
		c.Fault = c.Fault.before()
	}
	if c.Fault.early() {
		bedrockRefusal(w, c.Fault)
		return
	}
	untilEnd(func() { b.play(r.Context(), call.frames(w, newBody(w, c)), call.events(c), c.Fault) })
}

// count answers a request for a count, with an estimate; its script has the fault.
func (b *Bedrock) count(w http.ResponseWriter, r *http.Request, model string, data []byte) {
	prompt, problem := b.readCount(model, data)
	if problem != nil {
		bedrockRefusal(w, Refuse(http.StatusBadRequest, "ValidationException", problem.bedrock(), ""))
		return
	}
	b.add(Request{Model: model, Header: r.Header.Clone(), Body: data, Prompt: prompt})
	if c := b.script(model, prompt); c.Fault.early() {
		bedrockRefusal(w, c.Fault)
		return
	}
	writeCount(w, "inputTokens", prompt.EstimateTokens())
}

// The operations.
const (
	invokeStream   = "invoke-with-response-stream"
	converseStream = "converse-stream"
	converse       = "converse"
)

// read reads the body of a request to an operation.
func (b *Bedrock) read(operation, model string, data []byte) (call bedrockCall, problem *malformed) {
	if operation != invokeStream {
		return b.readConverse(operation, model, data)
	}
	call.frames = func(w http.ResponseWriter, body *body) frames { return &bedrockFrames{w, body} }
	if hasPrompt(data) {
		call.prompt, problem = readText(data)
		call.events = func(c Completion) []event { return c.textEvents(call.prompt) }
		return call, problem
	}
	if b.Native != nil {
		call.prompt, problem = nativePrompt, checkNative(model, data)
		call.events = func(Completion) []event { return b.Native.call(model, data) }
		return call, problem
	}
	call.prompt, problem = readMessages(data)
	call.events = Completion.events
	return call, problem
}

// checkNative checks what the Messages body has on Bedrock, and what it has not
// (reference/bedrock.md §2a).
func checkNative(model string, data []byte) *malformed {
	var request struct {
		Version string         `json:"anthropic_version"`
		Beta    []string       `json:"anthropic_beta"`
		Model   jsontext.Value `json:"model"`
		Stream  jsontext.Value `json:"stream"`
	}
	if err := json.Unmarshal(data, &request); err != nil {
		return &malformed{text: err.Error()}
	}
	newer := strings.Contains(model, "claude-opus-4-7") || strings.Contains(model, "claude-sonnet-5")
	switch {
	case request.Model != nil:
		return &malformed{key: "model"}
	case request.Stream != nil:
		return &malformed{key: "stream"}
	case request.Version != bedrockVersion && !(newer && request.Version == "2026-10-21"):
		return &malformed{text: "anthropic_version: " + request.Version + " is not known to this model"}
	}
	return nil
}

// bedrockVersion is the anthropic_version that a body has.
const bedrockVersion = "bedrock-2023-05-31"

// readMessages reads the Anthropic Messages body (reference/bedrock.md §2a).
func readMessages(data []byte) (*translate.Prompt, *malformed) {
	var request struct {
		messagesBody
		Version   string         `json:"anthropic_version"`
		Beta      []string       `json:"anthropic_beta"`
		Guardrail jsontext.Value `json:"amazon-bedrock-guardrailConfig"`
	}
	problem := decode(data, &request)
	if problem == nil && request.Version != bedrockVersion {
		problem = &malformed{text: "anthropic_version: only " + bedrockVersion + " is known"}
	}
	if problem != nil {
		return nil, problem
	}
	return request.prompt()
}

// modelOf returns the model id and the operation in an escaped path. The id is one
// segment, in which even '/' is escaped.
func modelOf(path string) (model, operation string, ok bool) {
	path, ok = strings.CutPrefix(path, "/model/")
	path, operation, _ = strings.Cut(path, "/")
	model, err := url.PathUnescape(path)
	known := slices.Contains([]string{invokeStream, converseStream, converse, countTokens}, operation)
	return model, operation, ok && known && err == nil && model != ""
}

// bedrock is the problem in Bedrock's words (reference/bedrock.md §2a).
func (p *malformed) bedrock() string {
	switch {
	case p.missing:
		return fmt.Sprintf("Malformed input request: #%s: required key [%s] not found, please reformat your input and try again.", p.pointer, p.key)
	case p.key != "":
		return fmt.Sprintf("Malformed input request: #%s: extraneous key [%s] is not permitted, please reformat your input and try again.", p.pointer, p.key)
	}
	return p.text
}

// bedrockRefusal answers with an exception (reference/bedrock.md §4).
func bedrockRefusal(w http.ResponseWriter, f *Fault) {
	if f.kind == reply {
		f.reply(w)
		return
	}
	h := w.Header()
	h.Set("content-type", "application/json")
	h.Set("x-amzn-ErrorType", f.typ+":http://internal.amazon.com/coral/com.amazon.bedrock/")
	if f.retryAfter != "" {
		h.Set("retry-after", f.retryAfter)
	}
	w.WriteHeader(f.status)
	fmt.Fprintf(w, `{"message":%s}`, quote(f.message))
}

// bedrockFrames writes AWS event-stream frames.
type bedrockFrames struct {
	w    http.ResponseWriter
	body *body
}

func (f *bedrockFrames) start() {
	f.w.Header().Set("content-type", "application/vnd.amazon.eventstream")
	f.w.Header().Set("x-amzn-bedrock-content-type", "application/json")
	f.body.flush()
}

// padding is what the member p of a chunk is cut from.
const padding = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"

func (f *bedrockFrames) event(name string, data []byte, damaged bool) {
	if name == "message_stop" {
		data = fmt.Appendf(nil, `%s,"amazon-bedrock-invocationMetrics":{"inputTokenCount":7,"outputTokenCount":1,"invocationLatency":40,"firstByteLatency":10}}`,
			bytes.TrimSuffix(data, []byte("}")))
	}
	payload, err := json.Marshal(struct {
		Bytes   []byte `json:"bytes"`
		Padding string `json:"p"`
	}{data, padding[:len(data)%len(padding)]})
	if err != nil {
		panic(err) // bytes and ASCII
	}
	f.frame(payload, damaged, eventstreamapi.MessageTypeHeader, eventstreamapi.EventMessageType,
		eventstreamapi.EventTypeHeader, "chunk")
}

func (f *bedrockFrames) fail(typ, message string) {
	name := []rune(typ)
	name[0] = unicode.ToLower(name[0])
	f.frame(fmt.Appendf(nil, `{"message":%s}`, quote(message)), false,
		eventstreamapi.MessageTypeHeader, eventstreamapi.ExceptionMessageType,
		eventstreamapi.ExceptionTypeHeader, string(name))
}

// frame writes one frame with these headers, given as names and values in turn.
func (f *bedrockFrames) frame(payload []byte, damaged bool, headers ...string) {
	m := eventstream.Message{Payload: payload}
	m.Headers.Set(eventstreamapi.ContentTypeHeader, eventstream.StringValue("application/json"))
	for i := 0; i < len(headers); i += 2 {
		m.Headers.Set(headers[i], eventstream.StringValue(headers[i+1]))
	}
	var out strings.Builder
	if err := eventstream.NewEncoder().Encode(&out, m); err != nil {
		panic(err) // a builder takes everything
	}
	data := []byte(out.String())
	if damaged {
		data[len(data)/2] ^= 1
	}
	_, _ = f.body.Write(data) // a client that went shows in the context
}
