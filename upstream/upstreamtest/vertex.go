package upstreamtest

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// Vertex is a server with streamRawPredict and the Messages body for the models of Anthropic, and with chat
// completions for the models of other publishers (docs/reference/vertex.md §2, §5). It requires a token of
// its Tokens, and also serves their routes.
//
// A [Fault] of a type in capitals ("RESOURCE_EXHAUSTED") is an error of Google's front end; any other type is
// Anthropic's.
type Vertex struct {
	Tokens *Tokens
	// Native makes the models of Anthropic answer through a tool API of their own. Set it before serving.
	Native Native
	// Models are the listed models; optional. Set it before serving.
	Models Listing
	// Deployed are the endpoints that users deployed, by their ids. Set it before serving.
	Deployed map[string]Deployed
	*log
	script Script
	chat   *Chat
	own    *Chat // answers for endpoints that users deployed
	mux    *http.ServeMux
}

// NewVertex returns a server with this script; nil means [Simulated].
func NewVertex(script Script) *Vertex {
	chat := NewChat(script)
	v := &Vertex{Tokens: NewTokens(), log: chat.log, script: chat.script, chat: chat, mux: http.NewServeMux()}
	chat.refuse, chat.errorBody = refuseGoogle, googleErrorBody
	own := *chat
	own.unnamed, v.own = true, &own
	const location = "POST /v1/projects/{project}/locations/{location}/"
	v.mux.HandleFunc(location+"publishers/anthropic/models/{call}", v.authorized(v.messages))
	v.mux.HandleFunc(location+"endpoints/openapi/chat/completions", v.authorized(chat.complete))
	v.mux.HandleFunc(location+"publishers/mistralai/models/{call}", v.authorized(v.mistral))
	v.mux.HandleFunc(location+"endpoints/{endpoint}/chat/completions", v.authorized(own.complete))
	v.mux.HandleFunc(location+"endpoints/{call}", v.authorized(v.deployed))
	v.mux.HandleFunc("GET /v1/projects/{project}/locations/{location}/endpoints/{endpoint}", v.authorized(v.describe))
	v.mux.HandleFunc("GET /v1beta1/publishers/{publisher}/models", v.authorized(func(w http.ResponseWriter, r *http.Request, _ []byte) { v.Models.vertexList(w, r) }))
	v.mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		if !v.Tokens.serve(w, r) {
			refuseGoogle(w, Refuse(http.StatusNotFound, "NOT_FOUND", "The requested URL "+r.URL.Path+" was not found on this server.", ""))
		}
	})
	return v
}

// ServeHTTP answers POST …/publishers/anthropic/models/{id}:streamRawPredict,
// …/models/count-tokens:rawPredict and …/endpoints/openapi/chat/completions, and lists models. For endpoints
// that users deployed, it answers …/chat/completions, :rawPredict, :streamRawPredict and :predict.
func (v *Vertex) ServeHTTP(w http.ResponseWriter, r *http.Request) { v.mux.ServeHTTP(w, r) }

// authorized returns a handler that checks the token, reads the body, and calls answer.
func (v *Vertex) authorized(answer func(w http.ResponseWriter, r *http.Request, data []byte)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("request-id", requestID)
		data, err := io.ReadAll(r.Body)
		if err != nil {
			v.left()
			return
		}
		if !v.Tokens.valid(r.Header.Get("authorization")) {
			refuseGoogle(w, Refuse(http.StatusUnauthorized, "UNAUTHENTICATED", "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other valid authentication credential.", ""))
			return
		}
		answer(w, r, data)
	}
}

// messages answers a request to a model of Anthropic, or a request for a token count.
func (v *Vertex) messages(w http.ResponseWriter, r *http.Request, data []byte) {
	model, method, _ := strings.Cut(r.PathValue("call"), ":")
	counts := model == "count-tokens" && method == "rawPredict"
	if !counts && method != "streamRawPredict" || model == "" {
		refuseGoogle(w, Refuse(http.StatusNotFound, "NOT_FOUND", "Publisher Model was not found or your project does not have access to it.", ""))
		return
	}
	prompt, problem := v.read(data, counts)
	if problem != nil {
		refuseGoogle(w, Refuse(http.StatusBadRequest, "invalid_request_error", problem.messages(), ""))
		return
	}
	v.add(Request{Model: model, Header: r.Header.Clone(), Body: data, Prompt: prompt})
	c := v.script(model, prompt).settle(prompt)
	switch {
	case c.Fault.early():
		refuseGoogle(w, c.Fault)
	case counts:
		writeCount(w, "input_tokens", prompt.EstimateTokens())
	default:
		events := v.Native.callOr(c, model, data)
		untilEnd(func() { v.play(r.Context(), &messagesFrames{w, newBody(w, c), googleErrorBody}, events, c.Fault) })
	}
}

// mistral answers for a model of Mistral: chat completions without stream_options, which also have the model
// in the body, without its revision.
func (v *Vertex) mistral(w http.ResponseWriter, r *http.Request, data []byte) {
	model, method, _ := strings.Cut(r.PathValue("call"), ":")
	model, _, _ = strings.Cut(model, "@")
	var request struct {
		Model   string         `json:"model"`
		Stream  bool           `json:"stream"`
		Options jsontext.Value `json:"stream_options"`
	}
	switch err := json.Unmarshal(data, &request); {
	case err != nil, request.Model != model, request.Options != nil:
		refuseGoogle(w, Refuse(http.StatusBadRequest, "INVALID_ARGUMENT", "the body is not one for "+model, ""))
	case method != map[bool]string{true: "streamRawPredict", false: "rawPredict"}[request.Stream]:
		refuseGoogle(w, Refuse(http.StatusNotFound, "NOT_FOUND", "no such method", ""))
	default:
		v.chat.complete(w, r, data)
	}
}

// vertexVersions are the valid values of anthropic_version.
var vertexVersions = []string{"vertex-2023-10-16", "2026-10-21"}

// read reads the Messages body of Vertex. A body for an answer has no model, because the path has it. A body
// for a token count has one.
func (v *Vertex) read(data []byte, counts bool) (*translate.Prompt, *malformed) {
	type head struct {
		Version string `json:"anthropic_version"`
		Model   string `json:"model"`
		Stream  bool   `json:"stream"`
	}
	var request struct {
		messagesBody
		head
	}
	if v.Native != nil {
		if json.Unmarshal(data, &request.head) != nil {
			return nil, &malformed{text: "not a JSON object"}
		}
	} else if problem := decode(data, &request); problem != nil {
		return nil, problem
	}
	switch {
	case !slices.Contains(vertexVersions, request.Version):
		return nil, &malformed{text: "anthropic_version: Input should be " + strings.Join(vertexVersions, " or ")}
	case request.Stream == counts:
		return nil, &malformed{text: "stream: this server can only stream, and only answers"}
	case counts != (request.Model != ""):
		return nil, &malformed{key: "model", missing: counts}
	case v.Native != nil:
		return nativePrompt, nil
	}
	return request.promptOr(counts)
}

// googleCodes are the HTTP statuses of Google's errors (docs/reference/vertex.md §6).
var googleCodes = map[string]int{
	"INVALID_ARGUMENT": 400, "FAILED_PRECONDITION": 400, "UNAUTHENTICATED": 401, "PERMISSION_DENIED": 403,
	"NOT_FOUND": 404, "RESOURCE_EXHAUSTED": 429, "CANCELLED": 499, "INTERNAL": 500, "UNAVAILABLE": 503, "DEADLINE_EXCEEDED": 504,
}

// googleErrorBody returns the JSON of an error: of Google's front end if the type is in capitals, otherwise
// of Anthropic behind it.
func googleErrorBody(typ, message string) []byte {
	if code, ok := googleCodes[typ]; ok {
		return fmt.Appendf(nil, `{"error":{"code":%d,"message":%s,"status":%s,"details":[]}}`, code, quote(message), quote(typ))
	}
	return messagesErrorBody(typ, message)
}

// refuseGoogle sends an error of Google's front end instead of an answer.
func refuseGoogle(w http.ResponseWriter, f *Fault) {
	if f.kind == reply {
		f.reply(w)
		return
	}
	body := googleErrorBody(f.typ, f.message)
	if f.retryAfter != "" {
		info := fmt.Appendf(nil, `[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"%ss"}]}}`, f.retryAfter)
		body = append(body[:len(body)-len("[]}}")], info...)
	}
	w.Header().Set("content-type", "application/json; charset=UTF-8")
	w.WriteHeader(f.status)
	w.Write(body)
}
