package upstream

import (
	"cmp"
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrock"
	"github.com/aws/aws-sdk-go-v2/service/bedrock/types"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Listing the models of an upstream, with the API of each upstream. ListModels returns each model once, with
// its id for Prepare, in the order of the upstream. The error is an [*Error], or the cause of ctx. With models, the
// error says why others are missing.

// Listed is a model in the list of its upstream.
type Listed struct {
	ID     string
	Window int // the context window in tokens; 0 if the upstream does not say
}

// Limits of a list, because a server could send a list without end.
const (
	listBytes  = 8 << 20 // of one page
	listPages  = 20
	mostListed = 5000 // models
)

// modelList collects models, each once. It ignores models above mostListed and ids that are too long, because
// a list stays in memory as long as Dragoman runs.
type modelList struct {
	models []Listed
	seen   map[string]bool
}

// add adds a model. It ignores an empty id.
func (l *modelList) add(m Listed) {
	if m.ID == "" || len(m.ID) > maxModelID || l.seen[m.ID] || l.isFull() {
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[m.ID] = true
	l.models = append(l.models, m)
}

// isFull reports whether the list takes no more models, so that no more pages need to be read.
func (l *modelList) isFull() bool { return len(l.models) >= mostListed }

// merged returns several lists as one list.
func merged(lists ...[]Listed) []Listed {
	var all modelList
	for _, models := range lists {
		for _, m := range models {
			all.add(m)
		}
	}
	return all.models
}

// read gets a page of a list and decodes its JSON into to.
func (e *endpoint) read(ctx context.Context, url string, fail errorReader, to any) error {
	from := *e
	from.url = url
	request, err := from.request(ctx, "application/json")
	if err != nil {
		return err
	}
	request.Method = http.MethodGet
	request.Header.Del("content-type")
	response, err := e.client.Do(request)
	if err != nil {
		return transportError(err)
	}
	defer response.Body.Close()
	if err := checkResponse(response, fail, "application/json"); err != nil {
		return err
	}
	return decodeList(response.Body, to)
}

// decodeList decodes a page of a list. Some servers, such as Together's, have no object around the list.
func decodeList(page io.Reader, to any) error {
	data, err := io.ReadAll(io.LimitReader(page, listBytes))
	if err != nil {
		return readError(err)
	}
	if jsontext.Value(data).Kind() == '[' {
		data = slices.Concat([]byte(`{"data":`), data, []byte("}"))
	}
	if err := json.Unmarshal(data, to, lenient); err != nil {
		return gatewayError("the upstream sent a list of models that Dragoman cannot read", err)
	}
	return nil
}

// listedModels is a page of the Messages API's list (docs/reference/messages-api.md §12). The list of servers
// with chat completions has only Data.
type listedModels struct {
	Data    []listedModel `json:"data"`
	HasMore bool          `json:"has_more"`
	LastID  string        `json:"last_id"`
}

// listedModel is a model in such a list. Servers have many names for its context window. llama.cpp's
// n_ctx_train is not used, because the server may be started with a smaller window.
type listedModel struct {
	ID             string `json:"id"`
	MaxInputTokens number `json:"max_input_tokens"`   // Anthropic
	MaxModelLen    number `json:"max_model_len"`      // vLLM, SGLang
	ContextLength  number `json:"context_length"`     // OpenRouter, Together
	ContextWindow  number `json:"context_window"`     // Groq
	MaxContext     number `json:"max_context_length"` // Mistral
	Meta           struct {
		Context number `json:"n_ctx"` // llama.cpp
	} `json:"meta"`
}

// number is a whole number of at least 0. Any other value becomes 0, so that it does not spoil the list.
type number int

func (n *number) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	v, err := d.ReadValue()
	if err != nil {
		return err
	}
	value, err := strconv.ParseInt(string(v), 10, 32)
	if err != nil || value < 0 {
		value = 0
	}
	*n = number(value)
	return nil
}

func (l *listedModels) addTo(all *modelList) {
	for _, m := range l.Data {
		window := cmp.Or(m.MaxInputTokens, m.MaxModelLen, m.ContextLength, m.ContextWindow, m.MaxContext, m.Meta.Context)
		all.add(Listed{m.ID, int(window)})
	}
}

// listPages returns the models of all pages.
func (s *Server) listPages(ctx context.Context, path string, fail errorReader) ([]Listed, error) {
	var all modelList
	from := s.at(path)
	for next, pages := from.url, 0; pages < listPages && !all.isFull(); pages++ {
		var page listedModels
		if err := from.read(ctx, next, fail, &page); err != nil {
			return nil, err
		}
		page.addTo(&all)
		if !page.HasMore || page.LastID == "" {
			break
		}
		next = from.url + "&after_id=" + url.QueryEscape(page.LastID)
	}
	return all.models, nil
}

// vertexPublishers are the publishers whose models Dragoman can ask on Vertex (docs/reference/vertex.md §5,
// §7).
var vertexPublishers = []string{"anthropic", "meta", "mistralai", "deepseek-ai", "qwen", "openai", "moonshotai", "minimaxai", "zai-org"}

// ListModels returns the models that work without being deployed: Anthropic's, Mistral's own, and those that
// Google serves, with ids that end in -maas. The list does not say whether the project may use them. If some
// publishers fail, their models are missing; ListModels fails only if all publishers fail.
func (v *Vertex) ListModels(ctx context.Context) ([]Listed, error) {
	lists, errs := make([][]Listed, len(vertexPublishers)), make([]error, len(vertexPublishers))
	var all sync.WaitGroup
	for i, publisher := range vertexPublishers {
		all.Go(func() { lists[i], errs[i] = v.listPublisher(ctx, publisher) })
	}
	all.Wait()
	if !slices.Contains(errs, nil) {
		return nil, errs[0]
	}
	return merged(lists...), nil
}

// listPublisher returns the models of one publisher. Only v1beta1 has publishers.models.list.
func (v *Vertex) listPublisher(ctx context.Context, publisher string) ([]Listed, error) {
	var all modelList
	version, _, _ := strings.Cut(v.location, "/projects/")
	base := strings.TrimSuffix(version, "/v1") + "/v1beta1/publishers/" + publisher + "/models?pageSize=100"
	e := endpoint{client: v.client}
	for next, pages := base, 0; pages < listPages && !all.isFull(); pages++ {
		var page struct {
			Models []struct {
				Name string `json:"name"` // publishers/anthropic/models/claude-sonnet-4-5
			} `json:"publisherModels"`
			Next string `json:"nextPageToken"`
		}
		if err := e.read(ctx, next, readMessagesError, &page); err != nil {
			return nil, err
		}
		for _, m := range page.Models {
			all.add(Listed{ID: vertexID(publisher, m.Name[strings.LastIndexByte(m.Name, '/')+1:])})
		}
		if page.Next == "" {
			break
		}
		next = base + "&pageToken=" + url.QueryEscape(page.Next)
	}
	return all.models, nil
}

// vertexID returns the id for Prepare of a publisher's model, or "" for a model that has to be deployed.
func vertexID(publisher, name string) string {
	id := publisher + "/" + name
	_, isMistral := mistralModel(id)
	switch {
	case publisher == "anthropic" && IsClaude(name):
		return name
	case publisher == "mistralai" && isMistral, strings.HasSuffix(name, "-maas"):
		return id
	}
	return ""
}

// ListModels returns the models on Bedrock that answer with text: models that can be asked by their own id,
// the inference profiles that Amazon defined (docs/reference/bedrock.md §11), and the account's imported
// models. The list does not say whether the account may use them. If the account may not read one of the lists, the
// others are listed, and the error says why one is missing.
func (b *Bedrock) ListModels(ctx context.Context) ([]Listed, error) {
	var all []Listed
	var failed error
	for _, list := range []func(context.Context) ([]Listed, error){b.listFoundationModels, b.listInferenceProfiles, b.listImported} {
		models, err := list(ctx)
		all = append(all, models...)
		if failed == nil {
			failed = err
		}
	}
	return merged(all), failed
}

func (b *Bedrock) listImported(ctx context.Context) ([]Listed, error) {
	var all modelList
	pages := bedrock.NewListImportedModelsPaginator(b.control, &bedrock.ListImportedModelsInput{MaxResults: aws.Int32(1000)})
	for n := 0; n < listPages && pages.HasMorePages() && !all.isFull(); n++ {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, bedrockError(err)
		}
		for _, m := range page.ModelSummaries {
			all.add(Listed{ID: aws.ToString(m.ModelArn)})
		}
	}
	return all.models, nil
}

// listFoundationModels returns the models that need no inference profile.
func (b *Bedrock) listFoundationModels(ctx context.Context) ([]Listed, error) {
	var all modelList
	out, err := b.control.ListFoundationModels(ctx, &bedrock.ListFoundationModelsInput{ByOutputModality: types.ModelModalityText})
	if err != nil {
		return nil, bedrockError(err)
	}
	for _, m := range out.ModelSummaries {
		if len(m.InferenceTypesSupported) == 0 || slices.Contains(m.InferenceTypesSupported, types.InferenceTypeOnDemand) {
			all.add(Listed{ID: aws.ToString(m.ModelId)})
		}
	}
	return all.models, nil
}

func (b *Bedrock) listInferenceProfiles(ctx context.Context) ([]Listed, error) {
	var all modelList
	pages := bedrock.NewListInferenceProfilesPaginator(b.control, &bedrock.ListInferenceProfilesInput{
		MaxResults: aws.Int32(1000), TypeEquals: types.InferenceProfileTypeSystemDefined,
	})
	for n := 0; n < listPages && pages.HasMorePages() && !all.isFull(); n++ {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, bedrockError(err)
		}
		for _, p := range page.InferenceProfileSummaries {
			all.add(Listed{ID: aws.ToString(p.InferenceProfileId)})
		}
	}
	return all.models, nil
}
