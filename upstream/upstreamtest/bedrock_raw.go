package upstreamtest

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Import is a model that was imported into Bedrock (docs/reference/raw-prompts.md §1.2).
type Import struct {
	Name, Architecture string
	Created            time.Time
	// Formats are the formats that the model takes, in the words of the probe ("ChatCompletionRequest"). A
	// model without formats was imported before there were any, and has the body of its Architecture.
	Formats []string
}

// The formats of imported models, as Bedrock names them in the answer to a probe.
const (
	FormatBedrockMeta = "BedrockMetaCompletionRequest"
	FormatCompletion  = "OpenAICompletionRequest"
	FormatChat        = "ChatCompletionRequest"
)

// rawBody is the body of a model that takes raw prompts: its members, and the form of the answer.
type rawBody struct {
	members []string
	most    int // the limit of stop sequences
	answer  func(text, stop string, c Completion) string
}

var (
	llamaBody = rawBody{[]string{"prompt", "max_gen_len", "temperature", "top_p"}, 0, func(text, stop string, c Completion) string {
		return fmt.Sprintf(`"generation":%s,"prompt_token_count":%d,"generation_token_count":%d,"stop_reason":%s`, quote(text), c.Usage.InputTokens, c.Usage.OutputTokens, stop)
	}}
	mistralBody = rawBody{[]string{"prompt", "max_tokens", "stop", "temperature", "top_p", "top_k"}, 10, func(text, stop string, _ Completion) string {
		return fmt.Sprintf(`"outputs":[{"text":%s,"stop_reason":%s}]`, quote(text), stop)
	}}
	deepseekBody = rawBody{[]string{"prompt", "max_tokens", "stop", "temperature", "top_p"}, 10, func(text, stop string, _ Completion) string {
		return fmt.Sprintf(`"choices":[{"text":%s,"stop_reason":%s}]`, quote(text), stop)
	}}
	completionBody = rawBody{[]string{"prompt", "max_tokens", "stop", "temperature", "top_p", "top_k"}, 4, func(text, stop string, c Completion) string {
		return fmt.Sprintf(`"id":"cmpl-1","object":"text_completion","choices":[{"index":0,"text":%s,"logprobs":null,"finish_reason":%s}],"usage":{"prompt_tokens":%d,"completion_tokens":%d}`,
			quote(text), stop, c.Usage.InputTokens, c.Usage.OutputTokens)
	}}
)

// rawBodyOf returns the raw body of a model by its id or architecture; nil if it takes none.
func rawBodyOf(model string) *rawBody {
	model = strings.ToLower(model)
	for _, family := range []struct {
		name string
		body *rawBody
	}{{"meta.llama", &llamaBody}, {"llama", &llamaBody}, {"qwen2", &llamaBody}, {"mistral", &mistralBody}, {"mixtral", &mistralBody}, {"deepseek.r1", &deepseekBody}} {
		if strings.Contains(model, family.name) && !strings.Contains(model, "anthropic") {
			return family.body
		}
	}
	return nil
}

// readRaw reads a body for a model that takes raw prompts. handled is false if the model takes another body.
func (b *Bedrock) readRaw(operation, model string, data []byte) (call bedrockCall, handled bool, problem *malformed) {
	imported := b.Imports[model]
	var members map[string]jsontext.Value
	_ = json.Unmarshal(data, &members) // a body that is no object has no members
	form := rawBodyOf(cmp.Or(b.Bases[model], model))
	if imported != nil {
		if form, problem = imported.bodyFor(members, data); problem != nil {
			return call, true, problem
		}
	}
	if imported == nil && form == nil || members["anthropic_version"] != nil {
		return call, false, nil
	}
	call.whole = operation == invokeWhole
	call.frames = func(w http.ResponseWriter, out *body) wireWriter { return &bedrockFrames{w, out} }
	if call.whole {
		call.frames = func(w http.ResponseWriter, out *body) wireWriter { return &wholeFrames{w, out} }
	}
	if form == nil { // chat completions
		call.prompt, problem = readBedrockChat(model, data)
		call.events = func(c Completion) []event { return bedrockChatEvents(c, call.whole) }
		return call, true, problem
	}
	call.prompt, problem = form.read(members)
	call.events = func(c Completion) []event { return form.events(c, call.whole) }
	return call, true, problem
}

// bodyFor returns the body that fits the members of a request; nil for chat completions. It checks the
// members of a constraint, and removes them.
func (i *Import) bodyFor(members map[string]jsontext.Value, data []byte) (*rawBody, *malformed) {
	if i.Formats == nil {
		return rawBodyOf(i.Architecture), nil
	}
	format, body := FormatBedrockMeta, &llamaBody
	switch {
	case members["messages"] != nil:
		format, body = FormatChat, nil
	case members["max_tokens"] != nil:
		format, body = FormatCompletion, &completionBody
	case members["prompt"] == nil:
		format = ""
	}
	if !slices.Contains(i.Formats, format) {
		return nil, &malformed{text: "The request does not match any of the formats. Available for this model: " + strings.Join(i.Formats, ", ")}
	}
	var guided chatGuidedBody
	_ = json.Unmarshal(data, &guided) // reads only the members of a constraint
	if wrong := guided.unless(guidedTakesImported[format]); wrong != "" {
		return nil, &malformed{text: wrong}
	}
	delete(members, "response_format")
	delete(members, "structured_outputs")
	return body, nil
}

// read returns the prompt in a body.
func (b *rawBody) read(members map[string]jsontext.Value) (*translate.Prompt, *malformed) {
	var r rawRequest
	p := &r.prompt
	for name, to := range map[string]any{
		"prompt": &r.text, "max_gen_len": &p.MaxTokens, "max_tokens": &p.MaxTokens, "stop": &p.StopSequences,
		"temperature": &p.Temperature, "top_p": &p.TopP, "top_k": &p.TopK,
	} {
		value := members[name]
		delete(members, name)
		switch {
		case value == nil:
		case !slices.Contains(b.members, name):
			return nil, &malformed{key: name}
		case json.Unmarshal(value, to) != nil:
			return nil, &malformed{text: "#/" + name + ": of another type"}
		}
	}
	delete(members, "amazon-bedrock-guardrailConfig")
	for name := range members {
		return nil, &malformed{key: name}
	}
	switch {
	case r.text == "":
		return nil, &malformed{key: "prompt", missing: true}
	case p.MaxTokens == 0:
		return nil, &malformed{key: b.members[1], missing: true}
	case len(p.StopSequences) > b.most:
		return nil, &malformed{text: "#/stop: too many"}
	}
	return r.read()
}

// events returns the chunks of a completion, or the answer in one piece.
func (b *rawBody) events(c Completion, whole bool) (list []event) {
	reason := `"stop"`
	if c.Stop == messages.StopMaxTokens {
		reason = `"length"`
	}
	if whole {
		return []event{{data: fmt.Appendf(nil, `{%s%s}`, b.answer(c.Text, reason, c), c.action())}}
	}
	for _, piece := range c.pieces() {
		list = append(list, event{data: fmt.Appendf(nil, `{%s}`, b.answer(piece, "null", Completion{}))})
	}
	return append(list, event{data: fmt.Appendf(nil, `{%s%s,"amazon-bedrock-invocationMetrics":%s}`, b.answer("", reason, c), c.action(), quote(c.metrics()))})
}

// readBedrockChat reads the body of chat completions. On Bedrock, it has no model.
func readBedrockChat(model string, data []byte) (*translate.Prompt, *malformed) {
	var request chatBody
	if problem := decode(data, &request); problem != nil {
		return nil, problem
	}
	if request.Model != "" || request.Stream {
		return nil, &malformed{text: "the path has the model, and says whether the answer is a stream"}
	}
	request.Model = model
	return request.prompt()
}

// bedrockChatEvents returns a completion in the form of chat completions, as chunks or in one piece. The
// stream ends like the stream of one provider on Bedrock.
func bedrockChatEvents(c Completion, whole bool) []event {
	var server Chat
	c.parts = []chatSegment{{text: c.Text}}
	if whole {
		return server.whole(c)
	}
	list := server.events(c, true)
	list[len(list)-1].data = []byte(`"[DONE]"`)
	return list
}

// control answers a GET of the control plane (docs/reference/raw-prompts.md §1.3). For another path it writes
// nothing and returns false.
func (b *Bedrock) control(w http.ResponseWriter, kind, id string) bool {
	base := b.Bases[id]
	switch imported := b.Imports[id]; {
	case kind == "imported-models" && id == "" && b.Imports != nil:
		summaries := []map[string]any{}
		for arn, m := range b.Imports {
			summaries = append(summaries, map[string]any{"modelArn": arn, "modelName": m.Name, "creationTime": m.Created.Format(time.RFC3339), "modelArchitecture": m.Architecture})
		}
		writeList(w, map[string]any{"modelSummaries": summaries})
	case kind == "imported-models" && imported != nil:
		writeList(w, map[string]any{
			"modelArn": id, "modelName": imported.Name, "modelArchitecture": imported.Architecture,
			"creationTime": imported.Created.Format(time.RFC3339), "instructSupported": false,
		})
	case base == "":
		return false
	case kind == "model-customization/custom-model-deployments":
		writeList(w, map[string]any{"customModelDeploymentArn": id, "modelArn": "arn:aws:bedrock:us-east-1:111122223333:custom-model/" + base, "status": "ACTIVE"})
	case kind == "provisioned-model-throughput":
		writeList(w, map[string]any{"provisionedModelArn": id, "foundationModelArn": "arn:aws:bedrock:us-east-1::foundation-model/" + base, "modelUnits": 1, "desiredModelUnits": 1})
	case kind == "inference-profiles":
		writeList(w, map[string]any{"inferenceProfileArn": id, "models": []map[string]any{{"modelArn": "arn:aws:bedrock:us-east-1::foundation-model/" + base}}})
	default:
		return false
	}
	return true
}
