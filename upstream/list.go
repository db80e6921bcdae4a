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

// Which models an upstream has, by the call that its API has for that. Each ListModels returns models with
// ids as Invoke takes them, in the order of the upstream, each once. The error is an [*Error], or the cause of ctx.

// Listed is a model as its upstream lists it.
type Listed struct {
	ID     string
	Window int // the context window in tokens; 0 if the upstream does not say
}

// What a list may have: servers of others are not believed without end.
const (
	listBytes  = 8 << 20 // of one page
	listPages  = 20
	mostListed = 5000 // ids
)

// modelList gathers models, each once. What is beyond mostListed, or has an id that is longer than one can
// be, takes no memory: a list is kept for as long as the server runs.
type modelList struct {
	models []Listed
	seen   map[string]bool
}

// add adds a model, unless its id is empty.
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

// isFull reports whether no more is added, so that no more pages have to be read.
func (l *modelList) isFull() bool { return len(l.models) >= mostListed }

// merged returns the models of several lists, as one list.
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
	request, err := from.request(ctx, http.NoBody, "application/json")
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

// decodeList decodes a page of a list.
func decodeList(page io.Reader, to any) error {
	data, err := io.ReadAll(io.LimitReader(page, listBytes))
	if err != nil {
		return readError(err)
	}
	if err := json.Unmarshal(data, to, lenient); err != nil {
		return gatewayError("the upstream sent a list of models that cannot be read", err)
	}
	return nil
}

// listedModels is a page of the Messages API (docs/reference/messages-api.md §12) and, without the end of
// it, the list of servers with chat completions.
type listedModels struct {
	Data    []listedModel `json:"data"`
	HasMore bool          `json:"has_more"`
	LastID  string        `json:"last_id"`
}

// listedModel is a model in such a list. Servers have many names for its context window. What llama.cpp says
// of the model's training is none of them: the server may give less.
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

// number is a whole number from 0 on; 0 for any other value, which is no reason to refuse a list.
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

// listPages returns the models of a server, of all pages.
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

// vertexPublishers are those whose models are asked over one of Vertex's wires
// (docs/reference/vertex.md §5, §7).
var vertexPublishers = []string{"anthropic", "meta", "mistralai", "deepseek-ai", "qwen", "openai", "moonshotai", "minimaxai", "zai-org"}

// ListModels returns the models of publishers that can be asked without being deployed: of Anthropic's and
// Mistral's own, and of those that Google serves, whose ids end in -maas. Whether the project may use them
// is not in the list. A publisher whose list cannot be had is left out, unless none can.
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

// listPublisher returns the models of one publisher (publishers.models.list, which v1beta1 alone has).
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

// vertexID returns the id by which Invoke asks for a publisher's model, "" for one that has to be deployed.
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

// ListModels returns what Bedrock answers with text: the models that can be asked by their own ids, the
// inference profiles that Amazon has defined (docs/reference/bedrock.md §11), and the models that the account has
// imported. Whether the account may use them is not in the list. What the account may not list is missing.
func (b *Bedrock) ListModels(ctx context.Context) ([]Listed, error) {
	models, failed := b.listFoundationModels(ctx)
	profiles, err := b.listInferenceProfiles(ctx)
	if failed != nil && err != nil {
		return nil, failed
	}
	imported, _ := b.listImported(ctx) // few accounts have any, or may list them
	return merged(models, profiles, imported), nil
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
