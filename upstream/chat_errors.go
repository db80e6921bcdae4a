package upstream

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/rawjson"
)

// chatFailure is the error of a server of chat completions. OpenAI and OpenRouter write {"error":{…}}. Google
// writes the same in a list. Older vLLM writes the inner object with "object":"error". Ollama and others
// write {"error":"…"}, and servers built on FastAPI {"detail":…}.
type chatFailure struct {
	Message string
	Type    string
	Code    jsontext.Value // an HTTP status, a word, or null
	// llama.cpp sets them if the prompt exceeds the context window.
	PromptTokens, Window int
}

// byCode maps error codes that servers of chat completions use in addition to the error types of the Messages
// API.
var byCode = map[string]errorClass{
	"insufficient_quota":        overQuota,
	"rate_limit_exceeded":       rateLimited,
	"server_error":              internalError,
	"context_length_exceeded":   contextExceeded,
	"exceed_context_size_error": contextExceeded, // llama.cpp
	"model_not_found":           noSuchModel,
}

// readChatError is the [errorReader] of chat completions.
func readChatError(status int, kind string, body []byte) *Error {
	if e := chatError(body, status); e != nil {
		return e
	}
	return unreadError(status, kind, body)
}

// noJinja is llama.cpp's message when it rejects tools. Its status is 500.
const noJinja = "tools param requires --jinja flag"

// noGrammar are the beginnings of the messages of llama.cpp and LM Studio when they cannot make a grammar of the tools,
// in lower case. The status may be 400 or 500.
var noGrammar = []string{
	"failed to initialize samplers", "failed to parse grammar", "error parsing grammar", "json schema conversion failed",
	"unable to generate parser for this template", "failed to process regex", "failed to compile grammar", "unrecognized schema",
}

// chatErrors returns the [errorReader] for a prompt to a model. If a model has no tools, Ollama's message
// begins with the name of the model. chatErrors compares the whole message, so no client can make a server
// say it about another model.
func chatErrors(m Model, p *translate.Prompt) errorReader {
	if p.ToolAPI == nil {
		return readChatError
	}
	return func(status int, kind string, body []byte) *Error {
		e := readChatError(status, kind, body)
		name, ok := strings.CutSuffix(e.Message, " does not support tools")
		if ok && (name == m.ID || name == ollamaName(m.ID)) || e.Message == noJinja ||
			slices.ContainsFunc(noGrammar, func(beginning string) bool { return strings.HasPrefix(unwrapped(e.Message), beginning) }) {
			e.Refuses |= Tools
		}
		return e
	}
}

// ollamaName returns the full name of a model on Ollama: registry.ollama.ai/library/NAME:TAG.
func ollamaName(id string) string {
	if !strings.Contains(id[strings.LastIndexByte(id, '/')+1:], ":") {
		id += ":latest"
	}
	switch strings.Count(id, "/") {
	case 0:
		return "registry.ollama.ai/library/" + id
	case 1:
		return "registry.ollama.ai/" + id
	}
	return id
}

// chatError maps an error in JSON. It returns nil if data is not an error. status is the HTTP status of the
// response. If it is no error status (0 or 200), the error itself may name one.
func chatError(data []byte, status int) *Error {
	if e := googleError(data); e != nil {
		return e
	}
	f, ok := readFailure(data)
	if !ok {
		return nil
	}
	if status < 400 {
		status, _ = strconv.Atoi(f.code())
	}
	if f.Message == "" && status >= 400 {
		return statusError(status, "")
	}
	f.Message = orFailedWith(f.Message, f.Type)
	if f.PromptTokens > 0 && f.Window > 0 { // older llama.cpp has no numbers in its message
		f.Message = fmt.Sprintf("request (%d tokens) exceeds the available context size (%d tokens)", f.PromptTokens, f.Window)
	}
	word, words := f.code(), byCode
	if _, known := byCode[word]; !known {
		word, words = f.Type, byType
	}
	return answeredWith(f.class(status).error(f.Message), status, word, words)
}

// class maps the failure; status is its HTTP status, or 0. A used-up quota counts before the status: OpenAI
// returns 429 for it, as for too many requests, but a retry does not help. An exceeded context window also
// counts first, because some servers return 500 for it.
func (f *chatFailure) class(status int) errorClass {
	for _, word := range [...]string{f.code(), f.Type} {
		if class := byCode[word]; class.final || class.overflow {
			return class
		}
	}
	if f.Message == "Loading model" && f.Type == "unavailable_error" { // llama.cpp, which has no code for it
		return notReady
	}
	if class, known := byStatus[status]; known {
		return class
	}
	for _, word := range [...]string{f.code(), f.Type} {
		if class, known := byCode[word]; known {
			return class
		}
		if class, known := byType[word]; known {
			return class
		}
	}
	if status >= 400 {
		return ofStatus(status)
	}
	return internalError
}

// code returns the code, which is a string or a number.
func (f *chatFailure) code() string {
	if f.Code.Kind() != '"' {
		return string(f.Code)
	}
	var s string
	_ = json.Unmarshal(f.Code, &s) // "" is an unknown code
	return s
}

// readFailure reads an error in any form of [chatFailure]. It returns false if data is not an error.
func readFailure(data []byte) (chatFailure, bool) {
	v := jsontext.Value(data)
	if !v.IsValid(lenient) {
		return chatFailure{}, false
	}
	for element := range rawjson.Elements(v) {
		v = element
		break
	}
	failure := rawjson.Lookup(v, "error")
	f := chatFailure{Message: reasonIn(v)}
	for _, object := range []jsontext.Value{failure, v} {
		f.Type = cmp.Or(f.Type, rawjson.StringOf(rawjson.Lookup(object, "type")), rawjson.StringOf(rawjson.Lookup(object, "error_type")))
		if f.Code == nil || f.Code.Kind() == 'n' {
			f.Code = rawjson.Lookup(object, "code")
		}
		if tokens, window := rawjson.Lookup(object, "n_prompt_tokens"), rawjson.Lookup(object, "n_ctx"); tokens != nil {
			f.PromptTokens, _ = strconv.Atoi(string(tokens))
			f.Window, _ = strconv.Atoi(string(window))
		}
	}
	return f, isFailure(v, f.Message)
}

// isFailure reports whether an object is an error and not an answer. message is the text that it contains.
func isFailure(v jsontext.Value, message string) bool {
	switch rawjson.Lookup(v, "error").Kind() {
	case '{', '[', '"', 't':
		return true
	}
	if message == "" {
		return false
	}
	if rawjson.StringOf(rawjson.Lookup(v, "object")) == "error" {
		return true
	}
	if rawjson.Lookup(v, "choices") != nil {
		return false
	}
	for _, name := range []string{"detail", "errors", "error_message", "error_msg", "code"} {
		if value := rawjson.Lookup(v, name); value != nil && value.Kind() != 'n' {
			return true
		}
	}
	return false
}
