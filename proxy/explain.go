package proxy

import (
	"cmp"
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/proxy/check"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/upstream"
)

// POST /explain on the admin listener describes what the proxy would do with a client's request: which model it would
// ask, in which format, with which bytes, and which fields it would drop. It calls, counts and logs nothing.

// explanation is the answer without the prompt and the upstream's request body: see appendTo.
type explanation struct {
	Model         string         `json:"model"` // as the client names it
	Route         string         `json:"route"` // the name of the matching entry
	Upstream      string         `json:"upstream"`
	UpstreamModel string         `json:"upstream_model"`
	Fallbacks     []fallback     `json:"fallbacks"` // models asked if the first one fails
	Wire          string         `json:"wire,omitzero"`
	URL           string         `json:"url,omitzero"`
	Header        http.Header    `json:"headers,omitzero"` // headers that add to the meaning of the request
	Tools         string         `json:"tools"`            // ToolsXML or ToolsNative
	Format        string         `json:"format,omitzero"`
	Variant       string         `json:"variant,omitzero"`
	FormatReason  string         `json:"format_reason,omitzero"` // why the proxy chose the format
	Family        string         `json:"family"`
	Features      []string       `json:"features"` // that the request uses
	MaxTokens     int            `json:"model_max_tokens,omitzero"`
	Stream        bool           `json:"stream"`
	Checked       []string       `json:"checked"`                // checks that the answer must pass
	Unconstrained string         `json:"unconstrained,omitzero"` // why there is no constraint, although the entry asks for one
	Dropped       []droppedField `json:"dropped"`
	Tokens        int            `json:"input_tokens_estimate"`
}

type fallback struct {
	Upstream string `json:"upstream"`
	Model    string `json:"model"`
}

// droppedField is a field that the model does not get, and the reason.
type droppedField struct {
	Field string `json:"field"`
	Why   string `json:"why"`
}

// explainer returns the handler that explains a request to any path for messages, in every client API.
func (s *Server) explainer() http.Handler {
	r := chi.NewRouter()
	// The log notes only paths that clients use.
	r.Use(func(h http.Handler) http.Handler { return plainPaths(h, func(string, string) {}) })
	explained := func(path string, d *dialect) { r.Post(path, s.operate(d, (*exchange).explain)) }
	explained("/v1/messages", &messagesAPI)
	explained("/v1/chat/completions", &chatCompletions)
	for operation, d := range map[string]*dialect{
		opInvoke: &bedrockInvoke, opInvokeStream: &bedrockInvoke, opConverse: &bedrockConverse, opConverseStream: &bedrockConverse,
	} {
		explained("/model/{id}"+operation, d)
	}
	for _, path := range vertexPaths {
		explained(path+vertexCallPath, &vertex)
	}
	r.NotFound(s.operate(&messagesAPI, func(*exchange) error {
		return invalidField("path", "no message is answered at this path; leave path out for /v1/messages, or write the path of the client's request")
	}))
	return r
}

// servePath lets explainer answer a request as if it had the path in its query. That path is a client's path, perhaps
// with a query of its own. Without it, the path is /v1/messages.
func (s *Server) servePath(explainer http.Handler) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		to, err := url.ParseRequestURI(cmp.Or(r.URL.Query().Get("path"), "/v1/messages"))
		if err != nil || !strings.HasPrefix(to.Path, "/") {
			to = &url.URL{Path: "/"}
		}
		asked := *r.WithContext(context.WithValue(r.Context(), chi.RouteCtxKey, nil)) // explainer has other routes
		asked.URL = to
		explainer.ServeHTTP(w, &asked)
	}
}

// operate returns the handler of an operator's request. It answers like for a client's request, but does not count or
// log it as one.
func (s *Server) operate(d *dialect, answer func(*exchange) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		x := s.newExchange(d, w, r)
		defer x.admission.giveBack()
		if err := recoverPanic(func() error { return answer(x) }); err != nil {
			x.fail(err)
		}
	}
}

// explain answers with the explanation of the request.
func (x *exchange) explain() error {
	body, route, err := x.readRequest(messages.DecodeOptions{})
	if err != nil {
		return err
	}
	models, err := x.withGuardrail(route.UpstreamModels(), body.Stream)
	if err != nil {
		return err
	}
	p, err := x.preview(body, models[0])
	if err != nil {
		return err
	}
	sent, err := p.Sent(x.r.Context())
	if err != nil {
		return err
	}
	e := explanation{
		Model: body.Model, Route: route.Name, Stream: body.Stream, Fallbacks: []fallback{},
		Checked: p.checked(), Dropped: x.record.explainDropped(), Unconstrained: p.Unconstrained,
	}
	for _, m := range models[1:] {
		e.Fallbacks = append(e.Fallbacks, fallback{m.Upstream, m.Model})
	}
	e.describe(p, &sent)
	data, err := p.appendTo(&e, sent.Body)
	if err != nil {
		return err
	}
	return x.reply.respond(http.StatusOK, data)
}

// describe adds the model, and how it would be asked.
func (e *explanation) describe(p *Plan, sent *upstream.Request) {
	m := p.Model
	e.Upstream, e.UpstreamModel = m.Upstream, m.Model
	e.Family, e.MaxTokens, e.Features = upstream.FamilyOf(m.Model), p.Spec.MaxTokens, []string{}
	if can := p.Spec.Can.String(); can != "" {
		e.Features = strings.Split(can, ",")
	}
	e.Wire, e.URL = sent.Wire, sent.URL
	if len(sent.Header) > 0 {
		e.Header = sent.Header
	}
	if p.Prompt == nil {
		e.Tools, e.Tokens = ToolsNative, translate.EstimateTokens(len(sent.Body))
		return
	}
	e.Tokens = p.Prompt.EstimateTokens()
	if p.Prompt.ToolAPI != nil {
		e.Tools = ToolsNative
		return
	}
	e.Tools = ToolsXML
	e.Format, e.Variant, e.FormatReason = m.FormatName(), m.Variant(), m.FormatReason()
}

// appendTo returns the explanation in JSON, with the prompt and the exact body that the upstream would get; each is
// null if there is none.
func (p *Plan) appendTo(e *explanation, body []byte) ([]byte, error) {
	data, err := json.Marshal(e)
	if err != nil {
		return nil, err
	}
	null := jsontext.Value("null")
	with := map[string]jsontext.Value{"prompt": null, "body": null}
	if p.Prompt != nil {
		if with["prompt"], err = json.Marshal(p.Prompt); err != nil {
			return nil, err
		}
	}
	if body != nil {
		with["body"] = body
	}
	return rawjson.WithMembers(data, with), nil
}

// checked returns the names of the checks that an answer must pass before the client gets it.
func (p *Plan) checked() []string {
	names := []string{}
	if c := p.Checks; c != nil {
		for _, named := range []struct {
			name string
			is   bool
		}{
			{check.FieldFormat, c.JSON != nil}, {check.FieldStrict, len(c.Inputs) > 0}, {"tool_choice", c.Choice}, {"repair", c.Readable},
		} {
			if named.is {
				names = append(names, named.name)
			}
		}
	}
	return names
}

// explainDropped returns the fields that the model does not get, under the client's names, with reasons.
func (r *record) explainDropped() []droppedField {
	list := []droppedField{}
	if r.conversion != nil {
		for _, field := range r.conversion.Dropped {
			list = append(list, droppedField{field, "the Messages API has no counterpart of this option"})
		}
	}
	for _, field := range r.ignored {
		list = append(list, droppedField{field, "Dragoman does not support what this header asks for"})
	}
	for _, field := range r.dropped {
		why := dropReasons[field]
		if why == "" {
			why = messages.WhyDropped(field)
		}
		list = append(list, droppedField{r.conversion.Name(field), why})
	}
	return list
}

// dropReasons are the reasons for fields whose fate depends on the model.
var dropReasons = map[string]string{
	"temperature":       "the model takes no sampling parameters",
	"top_p":             "the model takes no sampling parameters",
	"top_k":             "the model takes no top_k",
	"max_tokens":        "the model gives fewer tokens than the request allows",
	check.FieldFormat:   "the schema is invalid, or takes too much work to check: the model sees it, but its answer is not checked",
	check.FieldStrict:   "the schema is invalid, or takes too much work to check: the model sees it, but its calls are not checked",
	check.FieldSchema:   "a type is unknown, or a $ref leads nowhere: the model sees the schema, and any value fits there; compat: strict rejects the request, and says where",
	check.FieldExamples: "they cannot be checked against the tool's schema: the model sees them unchanged",
}

// dryRun reports whether the client wants to see the prompt without a call to an upstream. A header value that is not a
// boolean is an error rather than false: the client may have meant that nothing should be called.
func dryRun(request http.Header) (bool, error) {
	value := request.Get("X-Dragoman-Dry-Run")
	if value == "" {
		return false, nil
	}
	dry, err := strconv.ParseBool(value)
	if err != nil {
		return false, invalidField("x-dragoman-dry-run", "write 1 to see the prompt without calling anything, or leave the header out")
	}
	return dry, nil
}

// showPrompt answers with the prompt for the model in JSON, or with the request that would pass through to its tools
// API (see [Plan.JSON]).
func (x *exchange) showPrompt(body *messages.Body, m UpstreamModel) error {
	p, err := x.preview(body, m)
	if err != nil {
		return err
	}
	data, err := p.JSON(x.r.Context())
	if err != nil {
		return err
	}
	return x.reply.respond(http.StatusOK, data)
}
