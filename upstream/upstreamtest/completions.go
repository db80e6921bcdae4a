package upstreamtest

import (
	"cmp"
	"fmt"
	"net/http"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// completionsBody is the request body of completions (docs/reference/raw-prompts.md §2.1). This server
// rejects keys that are missing here, although real servers ignore them.
type completionsBody struct {
	Model         string   `json:"model"`
	Prompt        *string  `json:"prompt"`
	MaxTokens     *int     `json:"max_tokens"`
	Temperature   *float64 `json:"temperature"`
	TopP          *float64 `json:"top_p"`
	TopK          *int     `json:"top_k"`
	Stop          []string `json:"stop"`
	Stream        bool     `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	// vLLM and SGLang have the first; only vLLM has the second.
	SkipSpecialTokens *bool `json:"skip_special_tokens"`
	AddSpecialTokens  *bool `json:"add_special_tokens"`
	chatGuidedBody
}

// prompt returns the prompt in the body, or the problem for which a server would reject it. adds: the server
// adds BOS.
func (b *completionsBody) prompt(adds bool) (*translate.Prompt, *malformed) {
	switch {
	case b.Prompt == nil:
		return nil, &malformed{key: "prompt", missing: true}
	case b.MaxTokens == nil: // the default of real servers is 16 tokens
		return nil, &malformed{key: "max_tokens", missing: true}
	case len(b.Stop) > 4:
		return nil, &malformed{text: "stop: at most 4 stop sequences are allowed"}
	case !b.Stream && b.StreamOptions.IncludeUsage:
		return nil, &malformed{text: "The 'stream_options' parameter is only allowed when 'stream' is enabled."}
	}
	r := rawRequest{text: *b.Prompt, addsBOS: adds, prompt: translate.Prompt{
		StopSequences: b.Stop, MaxTokens: *b.MaxTokens, Temperature: b.Temperature, TopP: b.TopP, TopK: b.TopK,
	}}
	return r.read()
}

// completions answers POST /v1/completions, which takes a text without a template.
func (s *Chat) completions(w http.ResponseWriter, r *http.Request, data []byte) {
	var b completionsBody
	problem := decode(data, &b)
	var prompt *translate.Prompt
	switch {
	case problem != nil:
	case s.Server != "vllm" && b.AddSpecialTokens != nil:
		problem = &malformed{key: "add_special_tokens"}
	case s.Server != "vllm" && s.Server != "sglang" && b.SkipSpecialTokens != nil:
		problem = &malformed{key: "skip_special_tokens"}
	case b.Model == "" && !s.unnamed:
		problem = &malformed{key: "model", missing: true}
	default:
		prompt, problem = b.prompt(*cmp.Or(b.AddSpecialTokens, new(true)))
	}
	if problem == nil && s.Server == serverTGI {
		problem = b.checkTGI()
	}
	if problem != nil {
		s.refuse(w, Refuse(http.StatusBadRequest, "invalid_request_error", problem.chat(), ""))
		return
	}
	s.add(Request{Model: b.Model, Header: r.Header.Clone(), Body: data, Prompt: prompt})
	if problem := b.unless(guidedTakesRaw[s.Guided.Kind]); problem != "" {
		s.refuse(w, Refuse(http.StatusBadRequest, "invalid_request_error", problem, ""))
		return
	}
	if s.Guided.refuses(w, b.given() != "", b.Stream) {
		return
	}
	c, ok := s.completion(w, b.Model, prompt, b.Stream)
	if !ok {
		return
	}
	untilEnd(func() {
		if s.Server == serverTGI {
			s.playTGI(r.Context(), w, c, b)
			return
		}
		if b.Stream {
			s.play(r.Context(), &chatFrames{w, newBody(w, c), s.errorBody}, s.completionEvents(c, b.StreamOptions.IncludeUsage), c.Fault)
			return
		}
		s.play(r.Context(), &wholeFrames{w, newBody(w, c)}, s.wholeCompletion(c), c.Fault)
	})
}

// completion returns the script's answer to a raw prompt. It returns false after it has sent an error.
func (s *Chat) completion(w http.ResponseWriter, model string, p *translate.Prompt, streams bool) (Completion, bool) {
	heeded := *p
	if s.NoStops {
		heeded.StopSequences = nil
	}
	c := s.script(model, p).settle(&heeded)
	if !streams {
		c.Fault = c.Fault.before()
	}
	if c.Fault.early() {
		s.refuse(w, c.Fault)
		return c, false
	}
	return c, true
}

// completionEvents returns the stream of a completion.
func (s *Chat) completionEvents(c Completion, usage bool) []event {
	var list []event
	add := func(format string, args ...any) {
		list = append(list, event{data: fmt.Appendf(nil, `{"id":"cmpl-fake","object":"text_completion","created":1700000000,"model":"fake","choices":[`+format+`}`, args...)})
	}
	for _, piece := range c.pieces() {
		add(`{"index":0,"text":%s,"logprobs":null,"finish_reason":null}]`, quote(piece))
	}
	add(`{"index":0,"text":"","logprobs":null,%s}]`, s.ending(c))
	if usage && !s.NoUsage {
		add(`],"usage":%s`, c.chatUsage())
	}
	if !s.NoDone {
		list = append(list, event{data: []byte("[DONE]")})
	}
	return list
}

// wholeCompletion returns a completion in one piece.
func (s *Chat) wholeCompletion(c Completion) []event {
	return []event{{data: fmt.Appendf(nil, `{"id":"cmpl-fake","object":"text_completion","created":1700000000,"model":"fake","choices":[{"index":0,"text":%s,"logprobs":null,%s}],"usage":%s}`,
		quote(c.Text), s.ending(c), c.chatUsage())}}
}

// ollamaBody is the request body of Ollama's /api/generate. If Raw is true, system, template and context are
// rejected.
type ollamaBody struct {
	Model   string  `json:"model"`
	Prompt  *string `json:"prompt"`
	Raw     bool    `json:"raw"`
	Stream  *bool   `json:"stream"`
	Options struct {
		MaxTokens   int      `json:"num_predict"`
		Temperature *float64 `json:"temperature"`
		TopP        *float64 `json:"top_p"`
		TopK        *int     `json:"top_k"`
		Stop        []string `json:"stop"`
	} `json:"options"`
	Format jsontext.Value `json:"format"` // a JSON Schema
}

// generate answers POST /api/generate.
func (s *Chat) generate(w http.ResponseWriter, r *http.Request, data []byte) {
	var b ollamaBody
	problem := decode(data, &b)
	switch {
	case problem != nil:
	case b.Model == "" || b.Prompt == nil:
		problem = &malformed{text: "model and prompt are required"}
	case b.Format != nil && b.Format.Kind() != '{':
		problem = &malformed{text: "invalid JSON schema in format"}
	case !b.Raw:
		problem = &malformed{text: "this server takes only raw prompts"}
	}
	var prompt *translate.Prompt
	if problem == nil {
		o := b.Options
		raw := rawRequest{text: *b.Prompt, addsBOS: true, prompt: translate.Prompt{
			StopSequences: o.Stop, MaxTokens: o.MaxTokens, Temperature: o.Temperature, TopP: o.TopP, TopK: o.TopK,
		}}
		prompt, problem = raw.read()
	}
	if problem != nil {
		s.refuse(w, Refuse(http.StatusBadRequest, "invalid_request_error", problem.chat(), ""))
		return
	}
	s.add(Request{Model: b.Model, Header: r.Header.Clone(), Body: data, Prompt: prompt})
	streams := *cmp.Or(b.Stream, new(true))
	if s.Guided.refuses(w, b.Format != nil, streams) {
		return
	}
	c, ok := s.completion(w, b.Model, prompt, streams)
	if !ok {
		return
	}
	reason := "stop"
	if c.Stop == messages.StopMaxTokens {
		reason = "length"
	}
	last := fmt.Sprintf(`"done":true,"done_reason":%q,"prompt_eval_count":%d,"eval_count":%d}`, reason, c.Usage.InputTokens, c.Usage.OutputTokens)
	const head = `{"model":"fake","created_at":"2026-01-01T00:00:00Z","response":`
	untilEnd(func() {
		if !streams {
			s.play(r.Context(), &wholeFrames{w, newBody(w, c)}, []event{{data: fmt.Appendf(nil, `%s%s,%s`, head, quote(c.Text), last)}}, c.Fault)
			return
		}
		var list []event
		for _, piece := range c.pieces() {
			list = append(list, event{data: fmt.Appendf(nil, `%s%s,"done":false}`, head, quote(piece))})
		}
		list = append(list, event{data: fmt.Appendf(nil, `%s"",%s`, head, last)})
		s.play(r.Context(), &lineFrames{w, newBody(w, c)}, list, c.Fault)
	})
}

// lineFrames is the [wireWriter] of a stream with one JSON text a line.
type lineFrames struct {
	w    http.ResponseWriter
	body *body
}

func (f *lineFrames) start() {
	f.w.Header().Set("content-type", "application/x-ndjson")
	f.body.flush()
}

func (f *lineFrames) event(_ string, data []byte, damaged bool) {
	if damaged {
		data = data[:len(data)-1]
	}
	_, _ = f.body.Write(append(data, '\n'))
}

func (f *lineFrames) fail(_, message string) {
	f.event("", fmt.Appendf(nil, `{"error":%s}`, quote(message)), false)
}
