package upstream

import (
	"context"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrock"
	"github.com/aws/aws-sdk-go-v2/service/bedrock/types"
	"github.com/go-json-experiment/json"
)

// Which models an upstream has, by the call that its API has for that. Each ListModels returns ids as
// Invoke takes them, in the order of the upstream, each once. The error is an [*Error], or the cause of ctx.

// What a list may have: servers of others are not believed without end.
const (
	listBytes  = 8 << 20 // of one page
	listPages  = 20
	mostListed = 5000 // ids
)

// modelIDs gathers ids, each once. What is beyond mostListed, or longer than an id can be, takes no
// memory: a list is kept for as long as the server runs.
type modelIDs struct {
	ids  []string
	seen map[string]bool
}

// add adds an id, unless it is empty.
func (l *modelIDs) add(id string) {
	if id == "" || len(id) > maxModelID || l.seen[id] || l.isFull() {
		return
	}
	if l.seen == nil {
		l.seen = map[string]bool{}
	}
	l.seen[id] = true
	l.ids = append(l.ids, id)
}

// isFull reports whether no more is added, so that no more pages have to be read.
func (l *modelIDs) isFull() bool { return len(l.ids) >= mostListed }

// merged returns the ids of several lists, as one list.
func merged(lists ...[]string) []string {
	var all modelIDs
	for _, ids := range lists {
		for _, id := range ids {
			all.add(id)
		}
	}
	return all.ids
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
	Data []struct {
		ID string `json:"id"`
	} `json:"data"`
	HasMore bool   `json:"has_more"`
	LastID  string `json:"last_id"`
}

func (l *listedModels) addTo(all *modelIDs) {
	for _, m := range l.Data {
		all.add(m.ID)
	}
}

// listPages returns the models of a server, of all pages.
func (s *Server) listPages(ctx context.Context, path string, fail errorReader) ([]string, error) {
	var all modelIDs
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
	return all.ids, nil
}

// vertexPublishers are those whose models are asked over one of Vertex's wires
// (docs/reference/vertex.md §5, §7).
var vertexPublishers = []string{"anthropic", "meta", "mistralai", "deepseek-ai", "qwen", "openai", "moonshotai", "minimaxai", "zai-org"}

// ListModels returns the models of publishers that can be asked without being deployed: of Anthropic's and
// Mistral's own, and of those that Google serves, whose ids end in -maas. Whether the project may use them
// is not in the list. A publisher whose list cannot be had is left out, unless none can.
func (v *Vertex) ListModels(ctx context.Context) ([]string, error) {
	lists, errs := make([][]string, len(vertexPublishers)), make([]error, len(vertexPublishers))
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
func (v *Vertex) listPublisher(ctx context.Context, publisher string) ([]string, error) {
	var all modelIDs
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
			all.add(vertexID(publisher, m.Name[strings.LastIndexByte(m.Name, '/')+1:]))
		}
		if page.Next == "" {
			break
		}
		next = base + "&pageToken=" + url.QueryEscape(page.Next)
	}
	return all.ids, nil
}

// vertexID returns the id by which Invoke asks for a publisher's model, "" for one that has to be deployed.
func vertexID(publisher, name string) string {
	id := publisher + "/" + name
	_, isMistral := mistralModel(id)
	switch {
	case publisher == "anthropic" && isClaude(name):
		return name
	case publisher == "mistralai" && isMistral, strings.HasSuffix(name, "-maas"):
		return id
	}
	return ""
}

// ListModels returns what Bedrock answers with text: the models that can be asked by their own ids, and the
// inference profiles that Amazon has defined (docs/reference/bedrock.md §11). Whether the account may use
// them is not in the list. One of the two may be missing, if the account may not list both.
func (b *Bedrock) ListModels(ctx context.Context) ([]string, error) {
	models, failed := b.listFoundationModels(ctx)
	profiles, err := b.listInferenceProfiles(ctx)
	if failed != nil && err != nil {
		return nil, failed
	}
	return merged(models, profiles), nil
}

// listFoundationModels returns the models that need no inference profile.
func (b *Bedrock) listFoundationModels(ctx context.Context) ([]string, error) {
	var all modelIDs
	out, err := b.control.ListFoundationModels(ctx, &bedrock.ListFoundationModelsInput{ByOutputModality: types.ModelModalityText})
	if err != nil {
		return nil, bedrockError(err)
	}
	for _, m := range out.ModelSummaries {
		if len(m.InferenceTypesSupported) == 0 || slices.Contains(m.InferenceTypesSupported, types.InferenceTypeOnDemand) {
			all.add(aws.ToString(m.ModelId))
		}
	}
	return all.ids, nil
}

func (b *Bedrock) listInferenceProfiles(ctx context.Context) ([]string, error) {
	var all modelIDs
	pages := bedrock.NewListInferenceProfilesPaginator(b.control, &bedrock.ListInferenceProfilesInput{
		MaxResults: aws.Int32(1000), TypeEquals: types.InferenceProfileTypeSystemDefined,
	})
	for n := 0; n < listPages && pages.HasMorePages() && !all.isFull(); n++ {
		page, err := pages.NextPage(ctx)
		if err != nil {
			return nil, bedrockError(err)
		}
		for _, p := range page.InferenceProfileSummaries {
			all.add(aws.ToString(p.InferenceProfileId))
		}
	}
	return all.ids, nil
}
