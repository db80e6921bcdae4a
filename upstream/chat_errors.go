package upstream

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/rawjson"
)

// chatFailure is the error of a server of chat completions. OpenAI and OpenRouter write
// {"error":{…}}, Google the same in a list, older vLLM the object itself with "object":"error",
// Ollama and others {"error":"…"}, and servers of FastAPI {"detail":…}.
type chatFailure struct {
	Message string
	Type    string
	Code    jsontext.Value // an HTTP status, a word, or null
	// llama.cpp, where the prompt exceeds the context window.
	PromptTokens, Window int
}

// byCode maps the words for a failure that servers of chat completions have beside those
// of the Messages API.
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

// noJinja is how llama.cpp refuses tools, with status 500.
const noJinja = "tools param requires --jinja flag"

// chatErrors returns the [errorReader] for a prompt to a model. Ollama says that the model is not given tools in a message
// that begins with the model's name, so the whole of the message is compared: no client can make a server say it of
// another model.
func chatErrors(m Model, p *translate.Prompt) errorReader {
	if p.ToolAPI == nil {
		return readChatError
	}
	return func(status int, kind string, body []byte) *Error {
		e := readChatError(status, kind, body)
		name, ok := strings.CutSuffix(e.Message, " does not support tools")
		if ok && (name == m.ID || name == ollamaName(m.ID)) || e.Message == noJinja {
			e.Refuses |= Tools
		}
		return e
	}
}

// ollamaName returns the name of a model as Ollama writes it in full: registry.ollama.ai/library/NAME:TAG.
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

// chatError maps an error in JSON; it returns nil if data has none. The status is that
// of the response: where that is an answer all the same (0 or 200), the error itself may
// name one.
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
	if f.PromptTokens > 0 && f.Window > 0 { // older ones have no numbers in their message
		f.Message = fmt.Sprintf("request (%d tokens) exceeds the available context size (%d tokens)", f.PromptTokens, f.Window)
	}
	word, words := f.code(), byCode
	if _, known := byCode[word]; !known {
		word, words = f.Type, byType
	}
	return answeredWith(f.class(status).error(f.Message), status, word, words)
}

// class maps the failure, given its HTTP status if it has one. A quota that is used up
// goes before the status: OpenAI reports it with a 429, as it reports too many requests,
// but to try again is of no use. So does a context window that is exceeded: servers report
// that with a 500, too.
func (f *chatFailure) class(status int) errorClass {
	for _, word := range [...]string{f.code(), f.Type} {
		if class := byCode[word]; class.final || class.overflow {
			return class
		}
	}
	if f.Message == "Loading model" && f.Type == "unavailable_error" { // llama.cpp, for which it has no code
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

// code returns the code, which servers write as a string or a number.
func (f *chatFailure) code() string {
	if f.Code.Kind() != '"' {
		return string(f.Code)
	}
	var s string
	_ = json.Unmarshal(f.Code, &s) // "" is a code that says nothing
	return s
}

// readFailure reads an error of any of the forms of [chatFailure]. It is false if data is something else.
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

// isFailure reports whether an object, which says this in words, is an error and no answer.
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
