package upstreamtest

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/upstream"
)

// Bedrock is a server with the operations InvokeModelWithResponseStream (docs/reference/bedrock.md §2, §3),
// ConverseStream and Converse (§5), and CountTokens (§6). InvokeModelWithResponseStream takes the Anthropic
// Messages body. If the body has a prompt, it is a body of text completions. Requests must be signed; the
// server verifies the signatures of [AccessKeyID].
type Bedrock struct {
	// Lacks are the features that the models reject over Converse: some of System, StopSequences, Streaming,
	// Images and Documents. Set it before serving.
	Lacks upstream.Features
	// Native makes the models answer the Messages body through a tool API of their own. Set it before
	// serving.
	Native Native
	// Roles issues the credentials that the server accepts, and sets its clock; optional. The server also
	// serves its routes. Set it before serving.
	Roles *Roles
	// Models are the listed models; optional. Set it before serving.
	Models Listing
	// Imports are the imported models, by their ARNs. Bases are the foundation models behind the ARNs of
	// deployments, provisioned throughput and inference profiles. Denies makes the control plane reject
	// requests for both. Set them before serving.
	Imports map[string]*Import
	Bases   map[string]string
	Denies  bool
	// Cold is how many calls of an imported model, probes included, fail with "not ready". It may be set
	// while serving.
	Cold atomic.Int32
	// Told counts the requests to the control plane, and the probes.
	Told atomic.Int32
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

// ServeHTTP answers POST /model/{id}/invoke-with-response-stream, /invoke (for raw prompts and chat
// completions), /converse-stream, /converse and /count-tokens. It also answers GET /foundation-models,
// /inference-profiles, and requests about ARNs.
func (b *Bedrock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("x-amzn-RequestId", requestID)
	data, err := io.ReadAll(r.Body)
	if err != nil {
		b.left()
		return
	}
	if b.Roles != nil && !strings.HasPrefix(r.URL.Path, "/model/") {
		r.Body = io.NopCloser(bytes.NewReader(data))
		b.Roles.ServeHTTP(w, r)
		return
	}
	model, operation, ok := modelOf(r.URL.EscapedPath())
	if operation == invokeWhole && b.Imports[model] == nil && rawBodyOf(cmp.Or(b.Bases[model], model)) == nil { // the other models are only asked for streams
		ok = false
	}
	lists := b.Models != nil && r.Method == http.MethodGet && (r.URL.Path == "/foundation-models" || r.URL.Path == "/inference-profiles")
	tells := !lists && r.Method == http.MethodGet && (b.Imports != nil || b.Bases != nil)
	if !lists && !tells && (!ok || r.Method != http.MethodPost) {
		refuseBedrock(w, Refuse(http.StatusNotFound, "UnknownOperationException", "", ""))
		return
	}
	fault := verify(r, data)
	if b.Roles != nil {
		w.Header().Set("date", b.Roles.now().UTC().Format(http.TimeFormat))
		fault = b.Roles.verify(r, data, "bedrock")
	}
	if fault != nil {
		refuseBedrock(w, fault)
		return
	}
	if lists {
		b.Models.bedrockList(w, r)
		return
	}
	if tells {
		b.tell(w, r.URL.EscapedPath())
		return
	}
	if operation == countTokens {
		b.count(w, r, model, data)
		return
	}
	if b.Imports[model] != nil {
		if string(data) == "{}" {
			b.Told.Add(1)
		}
		if b.Cold.Add(-1) >= 0 {
			refuseBedrock(w, Refuse(http.StatusTooManyRequests, "ModelNotReadyException", "Model is not ready for inference. Wait and try your request again.", ""))
			return
		}
	}
	call, problem := b.read(operation, model, data)
	var guardrail *upstream.Guardrail
	if problem == nil {
		guardrail, problem = readGuardrail(operation, r.Header, data)
	}
	if problem != nil {
		refuseBedrock(w, Refuse(http.StatusBadRequest, "ValidationException", problem.bedrock(), ""))
		return
	}
	b.add(Request{model, r.Header.Clone(), data, call.prompt, guardrail})
	c := b.script(model, call.prompt).settle(call.prompt)
	if call.whole {
		c.Fault = c.Fault.before()
	}
	if c.Fault.early() {
		refuseBedrock(w, c.Fault)
		return
	}
	untilEnd(func() { b.play(r.Context(), call.frames(w, newBody(w, c)), call.events(c), c.Fault) })
}

// count answers a request for a token count with an estimate. Of the script's answer, only the fault counts.
func (b *Bedrock) count(w http.ResponseWriter, r *http.Request, model string, data []byte) {
	prompt, problem := b.readCount(model, data)
	if problem != nil {
		refuseBedrock(w, Refuse(http.StatusBadRequest, "ValidationException", problem.bedrock(), ""))
		return
	}
	b.add(Request{Model: model, Header: r.Header.Clone(), Body: data, Prompt: prompt})
	if c := b.script(model, prompt); c.Fault.early() {
		refuseBedrock(w, c.Fault)
		return
	}
	writeCount(w, "inputTokens", prompt.EstimateTokens())
}

// read reads the body of a request for an answer.
func (b *Bedrock) read(operation, model string, data []byte) (call bedrockCall, problem *malformed) {
	if operation == invokeStream || operation == invokeWhole {
		if call, handled, problem := b.readRaw(operation, model, data); handled {
			return call, problem
		}
	}
	if operation != invokeStream {
		return readConverse(operation, model, data, b.Lacks)
	}
	call.frames = func(w http.ResponseWriter, body *body) wireWriter { return &bedrockFrames{w, body} }
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

// modelOf returns the model id and the operation in an escaped path. The id is one segment, so even its '/'
// is escaped.
func modelOf(path string) (model, operation string, ok bool) {
	path, ok = strings.CutPrefix(path, "/model/")
	path, operation, _ = strings.Cut(path, "/")
	model, err := url.PathUnescape(path)
	known := slices.Contains([]string{invokeStream, invokeWhole, converseStream, converse, countTokens}, operation)
	return model, operation, ok && known && err == nil && model != ""
}

// tell answers a GET of the control plane. The id is one segment of the path.
func (b *Bedrock) tell(w http.ResponseWriter, path string) {
	b.Told.Add(1)
	if b.Denies {
		refuseBedrock(w, Refuse(http.StatusForbidden, "AccessDeniedException", "User is not authorized to perform this action", ""))
		return
	}
	path = strings.TrimPrefix(path, "/")
	if model, found := strings.CutPrefix(path, "custom-models/"); found {
		model, _ = url.PathUnescape(model)
		writeList(w, map[string]any{"modelArn": model, "baseModelArn": "arn:aws:bedrock:us-east-1::foundation-model/" + model[strings.LastIndexByte(model, '/')+1:]})
		return
	}
	kind, id := path, ""
	if at := strings.LastIndexByte(path, '/'); at >= 0 {
		kind, id = path[:at], path[at+1:]
	}
	id, _ = url.PathUnescape(id)
	if !b.control(w, kind, id) {
		refuseBedrock(w, Refuse(http.StatusNotFound, "ResourceNotFoundException", "Could not find "+kind, ""))
	}
}

// bedrock returns the problem in the words of Bedrock (docs/reference/bedrock.md §2a).
func (p *malformed) bedrock() string {
	switch {
	case p.missing:
		return fmt.Sprintf("Malformed input request: #%s: required key [%s] not found, please reformat your input and try again.", p.pointer, p.key)
	case p.key != "":
		return fmt.Sprintf("Malformed input request: #%s: extraneous key [%s] is not permitted, please reformat your input and try again.", p.pointer, p.key)
	}
	return p.text
}

// refuseBedrock sends an exception instead of an answer (docs/reference/bedrock.md §4).
func refuseBedrock(w http.ResponseWriter, f *Fault) {
	if f.kind == refuse {
		w.Header().Set("x-amzn-ErrorType", f.typ+":http://internal.amazon.com/coral/com.amazon.bedrock/")
	}
	f.respond(w, func(_, message string) []byte { return fmt.Appendf(nil, `{"message":%s}`, quote(message)) })
}

// readCount reads a request for a token count. It contains the body of another operation, which must be valid
// there. The returned prompt is the one to count.
func (b *Bedrock) readCount(model string, data []byte) (*translate.Prompt, *malformed) {
	var request struct {
		Input struct {
			InvokeModel struct {
				Body []byte `json:"body"`
			} `json:"invokeModel"`
			Converse jsontext.Value `json:"converse"`
		} `json:"input"`
	}
	if problem := decode(data, &request); problem != nil {
		return nil, problem
	}
	operation, body := invokeStream, request.Input.InvokeModel.Body
	if request.Input.Converse != nil {
		operation, body = converse, request.Input.Converse
	}
	call, problem := b.read(operation, model, body)
	return call.prompt, problem
}
