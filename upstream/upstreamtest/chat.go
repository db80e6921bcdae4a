package upstreamtest

import (
	"cmp"
	"fmt"
	"io"
	"net/http"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Chat is a server with chat completions (docs/reference/vertex.md §5), streaming or not. Its fields make it
// behave like different real servers; set them before serving.
type Chat struct {
	// Key is the bearer token that it requires; "" accepts any request.
	Key string
	// NoStops makes it ignore the stop sequences.
	NoStops bool
	// Named makes the answer name the stop sequence that ended it, as vLLM does.
	Named bool
	// Reasoning is the member for the reasoning: "reasoning", or "reasoning_content", which is also the
	// default.
	Reasoning string
	// NoUsage makes it count no tokens.
	NoUsage bool
	// Repeats makes the answer begin with the text of a last assistant message, as llama.cpp does.
	Repeats bool
	// NoDone makes a stream end without its last event, [DONE].
	NoDone bool
	// Tools is what the server does with tools and calls; by default, it passes on the model's text.
	Tools ChatTools
	// Guided says how the server takes constraints; by default, it takes none.
	Guided ChatGuided
	// Models are the listed models; optional. Set it before serving.
	Models Listing
	// Server is the program that the server plays in its list of models and in completions: "vllm", "sglang",
	// "llamacpp", "tgi". "ollama" also answers /api/generate.
	Server string
	// Family is the model behind all names; "" if the server does not tell.
	Family string
	*log
	script  Script
	unnamed bool // requests need no model
	// How failures are reported, before an answer and in its middle. A [Vertex] reports them in Google's
	// form.
	refuse    func(http.ResponseWriter, *Fault)
	errorBody func(typ, message string) []byte
}

// NewChat returns a server with this script; nil means [Simulated].
func NewChat(script Script) *Chat {
	if script == nil {
		script = Simulated
	}
	return &Chat{log: newLog(), script: script, refuse: refuseChat, errorBody: chatErrorBody}
}

// ServeHTTP answers POST /v1/chat/completions and /v1/completions, and GET /v1/models. As Ollama, it also
// answers POST /api/generate and /api/show.
func (s *Chat) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("x-request-id", requestID)
	data, err := io.ReadAll(r.Body)
	if err != nil {
		s.left()
		return
	}
	lists := (s.Models != nil || s.Server != "") && r.Method == http.MethodGet && r.URL.Path == "/v1/models"
	answer, found := map[string]func(http.ResponseWriter, *http.Request, []byte){
		"/v1/chat/completions": s.complete, "/v1/completions": s.completions,
	}[r.URL.Path]
	if s.Server == "ollama" && r.URL.Path != "/v1/chat/completions" { // Ollama's /v1/completions applies a template
		answer, found = map[string]func(http.ResponseWriter, *http.Request, []byte){"/api/generate": s.generate, "/api/show": s.show}[r.URL.Path]
	}
	if !lists && (r.Method != http.MethodPost || !found) {
		refuseChat(w, Refuse(http.StatusNotFound, "invalid_request_error", fmt.Sprintf("Invalid URL (%s %s)", r.Method, r.URL.Path), ""))
		return
	}
	if s.Key != "" && r.Header.Get("authorization") != "Bearer "+s.Key {
		refuseChat(w, Refuse(http.StatusUnauthorized, "invalid_api_key", "Incorrect API key provided", ""))
		return
	}
	if lists {
		s.Models.chatList(w, s.Server, s.Family)
		return
	}
	answer(w, r, data)
}

// show answers Ollama's request about a model.
func (s *Chat) show(w http.ResponseWriter, _ *http.Request, _ []byte) {
	writeList(w, map[string]any{"details": map[string]any{"format": "gguf", "family": "fake"}, "model_info": map[string]any{"general.basename": s.Family}})
}

// complete answers a request with this body. The caller has checked its path and its key.
func (s *Chat) complete(w http.ResponseWriter, r *http.Request, data []byte) {
	var request chatBody
	problem := decode(data, &request)
	if s.unnamed {
		request.Model = cmp.Or(request.Model, r.PathValue("endpoint"))
	}
	var prompt *translate.Prompt
	if problem == nil {
		prompt, problem = request.prompt()
	}
	if problem != nil {
		s.refuse(w, Refuse(http.StatusBadRequest, "invalid_request_error", problem.chat(), ""))
		return
	}
	s.add(Request{Model: request.Model, Header: r.Header.Clone(), Body: data, Prompt: prompt})
	if problem := s.Guided.check(&request); problem != "" {
		s.refuse(w, Refuse(http.StatusBadRequest, "invalid_request_error", problem, ""))
		return
	}
	if s.Guided.refuses(w, request.given() != "", request.Stream) {
		return
	}
	if refusal := s.Tools.Refuses; refusal != "" && prompt.ToolAPI != nil {
		s.refuse(w, Refuse(cmp.Or(s.Tools.Status, http.StatusBadRequest), "invalid_request_error", refusal, ""))
		return
	}
	heeded := *prompt // the prompt with the stop sequences that the server obeys
	if s.NoStops {
		heeded.StopSequences = nil
	}
	c := s.script(request.Model, prompt).settle(&heeded)
	c.parts = s.Tools.read(c.Text, prompt.ToolAPI != nil)
	if last := prompt.Turns[len(prompt.Turns)-1]; s.Repeats && last.Role == messages.RoleAssistant {
		c.before = last.Parts[0].Text
	}
	if !request.Stream {
		c.Fault = c.Fault.before()
	}
	if c.Fault.early() {
		s.refuse(w, c.Fault)
		return
	}
	untilEnd(func() {
		if request.Stream {
			s.play(r.Context(), &chatFrames{w, newBody(w, c), s.errorBody}, s.events(c, request.StreamOptions.IncludeUsage), c.Fault)
			return
		}
		s.play(r.Context(), &wholeFrames{w, newBody(w, c)}, s.whole(c), c.Fault)
	})
}

// chat returns the problem in OpenAI's words.
func (p *malformed) chat() string {
	switch {
	case p.missing:
		return fmt.Sprintf("Missing required parameter: '%s'.", p.key)
	case p.key != "":
		return "Unrecognized request argument supplied: " + p.key
	}
	return p.text
}

// refuseChat sends an error of OpenAI's form instead of an answer.
func refuseChat(w http.ResponseWriter, f *Fault) { f.respond(w, chatErrorBody) }

// chatErrorBody returns the JSON of an error.
func chatErrorBody(typ, message string) []byte {
	return fmt.Appendf(nil, `{"error":{"message":%s,"type":%s,"param":null,"code":null}}`, quote(message), quote(typ))
}

// events returns the stream of a completion.
func (s *Chat) events(c Completion, usage bool) []event {
	var list []event
	const head = `{"id":"chatcmpl-fake","object":"chat.completion.chunk","created":1700000000,"model":"fake","choices":[`
	add := func(format string, args ...any) {
		list = append(list, event{data: fmt.Appendf(nil, head+format+`}`, args...)})
	}
	add(`{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}]`)
	if c.Thinking != "" {
		add(`{"index":0,"delta":{%s:%s},"finish_reason":null}]`, s.reasoning(), quote(c.Thinking))
	}
	calls := 0
	for _, part := range c.parts {
		if part.call == nil {
			for _, piece := range c.piecesOf(part.text) {
				add(`{"index":0,"delta":{"content":%s},"finish_reason":null}]`, quote(piece))
			}
			continue
		}
		for _, piece := range s.Tools.pieces(part.call, calls) {
			add(`{"index":0,"delta":%s,"finish_reason":null}]`, piece)
		}
		calls++
	}
	add(`{"index":0,"delta":{},%s}]`, s.ending(c))
	if usage && !s.NoUsage {
		add(`],"usage":%s`, c.chatUsage())
	}
	if !s.NoDone {
		list = append(list, event{data: []byte("[DONE]")})
	}
	return list
}

// whole returns an answer that is not streamed: one JSON text, which is written in these pieces.
func (s *Chat) whole(c Completion) []event {
	var list []event
	add := func(format string, args ...any) { list = append(list, event{data: fmt.Appendf(nil, format, args...)}) }
	reasoning := ""
	if c.Thinking != "" {
		reasoning = fmt.Sprintf(`%s:%s,`, s.reasoning(), quote(c.Thinking))
	}
	add(`{"id":"chatcmpl-fake","object":"chat.completion","created":1700000000,"model":"fake","choices":[{"index":0,"message":{"role":"assistant",%s%s"content":"`, reasoning, s.Tools.whole(c.parts))
	for _, part := range c.parts {
		for _, piece := range c.piecesOf(part.text) {
			quoted := quote(piece)
			add(`%s`, quoted[1:len(quoted)-1])
		}
	}
	usage := ""
	if !s.NoUsage {
		usage = `,"usage":` + string(c.chatUsage())
	}
	add(`"},"logprobs":null,%s}]%s}`, s.ending(c), usage)
	return list
}

// reasoning returns the name of the member for the reasoning.
func (s *Chat) reasoning() []byte { return quote(cmp.Or(s.Reasoning, "reasoning_content")) }

// ending returns the members that say why the completion ended.
func (s *Chat) ending(c Completion) string {
	reason, met := "stop", []byte("null")
	switch c.Stop {
	case messages.StopMaxTokens:
		reason = "length"
	case messages.StopRefusal:
		reason = "content_filter"
	case messages.StopToolUse:
		reason = "tool_calls"
	case messages.StopEndTurn:
		if s.Tools.says(c.parts) {
			reason = "tool_calls"
		}
	case messages.StopSequence:
		met = quote(c.StopSequence)
	}
	members := fmt.Sprintf(`"finish_reason":%q`, reason)
	if s.Named {
		members += fmt.Sprintf(`,"stop_reason":%s`, met)
	}
	return members
}

// chatUsage returns the token counts. The tokens of the prompt include the cached tokens.
func (c Completion) chatUsage() []byte {
	u := c.Usage
	prompt := u.InputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens
	return fmt.Appendf(nil, `{"prompt_tokens":%d,"completion_tokens":%d,"total_tokens":%d,"prompt_tokens_details":{"cached_tokens":%d,"cache_write_tokens":%d}}`,
		prompt, u.OutputTokens, prompt+u.OutputTokens, u.CacheReadInputTokens, u.CacheCreationInputTokens)
}

// chatFrames is the [wireWriter] of a stream: server-sent events without names.
type chatFrames struct {
	w         http.ResponseWriter
	body      *body
	errorBody func(typ, message string) []byte
}

// start sends the head of the response.
func (f *chatFrames) start() {
	f.w.Header().Set("content-type", "text/event-stream; charset=utf-8")
	f.body.flush()
}

// event writes an event after a comment. Servers send comments to keep a connection alive, and readers must
// ignore them.
func (f *chatFrames) event(_ string, data []byte, damaged bool) {
	if damaged {
		data = data[:len(data)-1]
	}
	// If the client has left, the context tells, so the error of the write is not needed.
	_, _ = f.body.Write(fmt.Appendf(nil, ": keep-alive\n\ndata: %s\n\n", data))
}

// fail writes an error as the data of an event.
func (f *chatFrames) fail(typ, message string) { f.event("", f.errorBody(typ, message), false) }
