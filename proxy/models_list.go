package proxy

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-chi/chi/v5"

	"dragoman/upstream"
)

// modelInfo is a model in the list of the Messages API (docs/reference/messages-api.md §12). Facts that only the
// model's maker knows are null. Object, Created and OwnedBy are the fields of OpenAI's API, which has the same path.
type modelInfo struct {
	Object         string `json:"object"`
	Created        int    `json:"created"`
	OwnedBy        string `json:"owned_by"`
	Type           string `json:"type"`
	ID             string `json:"id"`
	DisplayName    string `json:"display_name"`
	CreatedAt      string `json:"created_at"`
	Lifecycle      string `json:"lifecycle"`
	Line           *int   `json:"line"`
	DeprecatedAt   *int   `json:"deprecated_at"`
	RetiresAt      *int   `json:"retires_at"`
	MaxInputTokens *int   `json:"max_input_tokens"`
	MaxTokens      *int   `json:"max_tokens"`
	Capabilities   *int   `json:"capabilities"`
}

// unknownDate stands in for a model's date of creation, because SDKs require a date.
const unknownDate = "1970-01-01T00:00:00Z"

// infoOf returns what is known about the first model of a route, under the name that clients ask for.
func (s *Server) infoOf(name string, r Route) modelInfo {
	info := modelInfo{Object: "model", OwnedBy: "dragoman", Type: "model", ID: name, DisplayName: name, CreatedAt: unknownDate, Lifecycle: "active"}
	if most := s.refusals.applyTo(r.UpstreamModel).MaxTokens; most > 0 {
		info.MaxTokens = &most
	}
	if list := s.lists[r.Upstream]; list != nil {
		if window := list.window(r.UpstreamModel.Model); window > 0 {
			info.MaxInputTokens = &window
		}
	}
	return info
}

// The sizes of a page of models.
const (
	defaultPage = 20
	largestPage = 1000
)

// listModels answers with one page of the names that clients can ask for, in the order of the configuration. Clients of
// OpenAI's API know no pages: they get all names. Clients of the Messages API send its version.
func (x *exchange) listModels() error {
	query := x.r.URL.Query()
	names := x.listedNames()
	limit := defaultPage
	if x.r.Header.Get("Anthropic-Version") == "" {
		limit = max(len(names), 1)
	}
	if s := query.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > largestPage {
			return invalidField("limit", "Input should be a whole number from 1 to 1000")
		}
		limit = n
	}
	first, last := 0, len(names)
	if after := query.Get("after_id"); after != "" {
		if first = slices.Index(names, after) + 1; first == 0 {
			return invalidField("after_id", "there is no model of this name in the list")
		}
	}
	if before := query.Get("before_id"); before != "" {
		if last = slices.Index(names, before); last < 0 {
			return invalidField("before_id", "there is no model of this name in the list")
		}
		first = max(first, last-limit)
	}
	names = names[:last]
	names = names[min(first, last):]
	page := struct {
		Object  string      `json:"object"`
		Data    []modelInfo `json:"data"`
		HasMore bool        `json:"has_more"`
		FirstID *string     `json:"first_id"`
		LastID  *string     `json:"last_id"`
	}{Object: "list", Data: []modelInfo{}, HasMore: len(names) > limit}
	if query.Get("before_id") != "" {
		page.HasMore = first > 0
	}
	names = names[:min(len(names), limit)]
	for _, name := range names {
		route, err := x.s.routes.find(name)
		if err != nil {
			return err
		}
		page.Data = append(page.Data, x.s.infoOf(name, route))
	}
	if n := len(names); n > 0 {
		page.FirstID, page.LastID = &names[0], &names[n-1]
	}
	return x.reply.respondJSON(page)
}

// listedNames returns [Server.listedNames]. It names the upstreams whose models are missing in a header.
func (x *exchange) listedNames() []string {
	names, missing := x.s.listedNames(x.r.Context())
	x.record.setHeader("X-Dragoman-Unlisted", missing)
	return names
}

// describeModel answers with what is known about the model in the path, or 404.
func (x *exchange) describeModel() error {
	name := pathParam(x.r, "*")
	if name == "" {
		return nothingAt(x.r)
	}
	route, err := x.s.routes.find(name)
	if err != nil {
		return err
	}
	return x.reply.respondJSON(x.s.infoOf(name, route))
}

// The model lists of Bedrock's control plane (docs/reference/bedrock.md §11), for clients that look for models there:
// the names of GET /v1/models in Bedrock's form. Fields that clients do not use are omitted.

// foundationModel is a model in ListFoundationModels.
type foundationModel struct {
	ARN            string    `json:"modelArn"`
	ID             string    `json:"modelId"`
	Name           string    `json:"modelName"`
	Provider       string    `json:"providerName"`
	Input          []string  `json:"inputModalities"`
	Output         []string  `json:"outputModalities"`
	Streams        bool      `json:"responseStreamingSupported"`
	Customizations []string  `json:"customizationsSupported"`
	Inference      []string  `json:"inferenceTypesSupported"`
	Lifecycle      lifecycle `json:"modelLifecycle"`
}

type lifecycle struct {
	Status string `json:"status"`
}

// inferenceProfile is a profile in ListInferenceProfiles.
type inferenceProfile struct {
	ARN       string          `json:"inferenceProfileArn"`
	ID        string          `json:"inferenceProfileId"`
	Name      string          `json:"inferenceProfileName"`
	Models    []profiledModel `json:"models"`
	CreatedAt string          `json:"createdAt"`
	UpdatedAt string          `json:"updatedAt"`
	Status    string          `json:"status"`
	Type      string          `json:"type"`
}

type profiledModel struct {
	ARN string `json:"modelArn"`
}

// importedModel is a model in ListImportedModels.
type importedModel struct {
	ARN       string `json:"modelArn"`
	Name      string `json:"modelName"`
	CreatedAt string `json:"creationTime"`
	Converse  bool   `json:"instructSupported"` // every model here can be asked over Converse
}

// handleBedrockLists serves the lists.
func (e entry) handleBedrockLists(r chi.Router) {
	r.Get("/foundation-models", e.serve(unnamed(bedrockInvoke), (*exchange).listFoundationModels))
	r.Get("/inference-profiles", e.serve(unnamed(bedrockInvoke), (*exchange).listInferenceProfiles))
	r.Get("/imported-models", e.serve(unnamed(bedrockInvoke), (*exchange).listImportedModels))
	for _, path := range []string{"/foundation-models/*", "/inference-profiles/*", "/imported-models/*"} {
		r.HandleFunc(path, e.serve(unnamed(bedrockInvoke), notFound))
	}
}

// listFoundationModels answers with the names that are not inference profiles or imported models, filtered by the
// query. Every model here returns text, is available on demand, and cannot be customized.
func (x *exchange) listFoundationModels() error {
	query := x.r.URL.Query()
	has := func(parameter string, values ...string) bool {
		asked := query.Get(parameter)
		return asked == "" || slices.ContainsFunc(values, func(v string) bool { return strings.EqualFold(v, asked) })
	}
	list := []foundationModel{}
	for _, name := range x.bedrockNames(kindFoundation) {
		m, err := x.s.foundationModel(name, bedrockARN(x.r.Header, kindFoundation, name))
		if err != nil {
			return err
		}
		if has("byProvider", m.Provider) && has("byOutputModality", m.Output...) && has("byInferenceType", m.Inference...) && has("byCustomizationType") {
			list = append(list, m)
		}
	}
	return x.reply.respondJSON(struct {
		Summaries []foundationModel `json:"modelSummaries"`
	}{list})
}

// foundationModel returns the list's entry for a name.
func (s *Server) foundationModel(name, arn string) (foundationModel, error) {
	route, err := s.routes.find(name)
	if err != nil {
		return foundationModel{}, err
	}
	m := foundationModel{
		ARN: arn, ID: name, Name: name, Provider: "Dragoman",
		Input: []string{"TEXT"}, Output: []string{"TEXT"}, Streams: true, Customizations: []string{}, Inference: []string{"ON_DEMAND"},
		Lifecycle: lifecycle{"ACTIVE"},
	}
	if provider, _, dotted := strings.Cut(name, "."); dotted && !strings.Contains(provider, "-") { // not "claude-2.1"
		m.Provider = provider
	}
	if s.refusals.applyTo(route.UpstreamModel).Can.Has(upstream.Images) {
		m.Input = append(m.Input, "IMAGE")
	}
	return m, nil
}

// listInferenceProfiles answers with the names that have a region before the provider, in pages.
func (x *exchange) listInferenceProfiles() error {
	names := x.bedrockNames(kindProfile)
	if kind := x.r.URL.Query().Get("type"); kind != "" && kind != systemDefined {
		names = nil
	}
	names, next, err := x.pageOf(names)
	if err != nil {
		return err
	}
	list := []inferenceProfile{}
	for _, name := range names {
		list = append(list, inferenceProfile{
			ARN: bedrockARN(x.r.Header, kindProfile, name), ID: name, Name: name, CreatedAt: unknownDate, UpdatedAt: unknownDate,
			Models: []profiledModel{{bedrockARN(x.r.Header, kindFoundation, name[strings.IndexByte(name, '.')+1:])}},
			Status: "ACTIVE", Type: systemDefined,
		})
	}
	return x.reply.respondJSON(struct {
		Summaries []inferenceProfile `json:"inferenceProfileSummaries"`
		Next      string             `json:"nextToken,omitzero"`
	}{list, next})
}

// listImportedModels answers with the names that are ARNs of imported models, in pages.
func (x *exchange) listImportedModels() error {
	contained := x.r.URL.Query().Get("nameContains")
	names, next, err := x.pageOf(slices.DeleteFunc(x.bedrockNames(kindImported), func(name string) bool { return !strings.Contains(name, contained) }))
	if err != nil {
		return err
	}
	list := []importedModel{}
	for _, arn := range names {
		list = append(list, importedModel{arn, arn[strings.LastIndexByte(arn, '/')+1:], unknownDate, true})
	}
	return x.reply.respondJSON(struct {
		Summaries []importedModel `json:"modelSummaries"`
		Next      string          `json:"nextToken,omitzero"`
	}{list, next})
}

// pageOf returns the page of names that the query asks for, and the token of the next page; "" on the last page.
func (x *exchange) pageOf(names []string) (page []string, next string, err error) {
	const most = 1000
	query := x.r.URL.Query()
	size, from := most, 0
	if s := query.Get("maxResults"); s != "" {
		if size, err = strconv.Atoi(s); err != nil || size < 1 || size > most {
			return nil, "", invalidField("maxResults", "This should be a whole number from 1 to 1000.")
		}
	}
	if after := query.Get("nextToken"); after != "" {
		if from = slices.Index(names, after) + 1; from == 0 {
			return nil, "", invalidField("nextToken", "This is not the token of a page.")
		}
	}
	page = names[from:min(from+size, len(names))]
	if from+size < len(names) {
		next = page[len(page)-1]
	}
	return page, next, nil
}

// systemDefined is the type of profiles that an account has not made itself.
const systemDefined = "SYSTEM_DEFINED"

// profileRegions are the prefixes of inference profile ids.
var profileRegions = []string{"us", "us-gov", "eu", "apac", "global", "jp", "au", "ca", "sa", "me", "af", "il", "mx"}

// The kinds of listed models, as in ARNs.
const (
	kindFoundation = "foundation-model"
	kindProfile    = "inference-profile"
	kindImported   = "imported-model"
)

// bedrockNames returns the names of one kind: inference profiles ("us.anthropic.claude-opus-4-6-v1"), ARNs of imported
// models, or all others.
func (x *exchange) bedrockNames(kind string) []string {
	return slices.DeleteFunc(x.listedNames(), func(name string) bool {
		of := kindFoundation
		if region, rest, _ := strings.Cut(name, "."); slices.Contains(profileRegions, region) && strings.Contains(rest, ".") {
			of = kindProfile
		} else if upstream.IsImported(name) {
			of = kindImported
		}
		return of != kind
	})
}

// bedrockARN returns an ARN for a name, in the region of the request's signature.
func bedrockARN(request http.Header, kind, name string) string {
	region, account := "us-east-1", ""
	_, credential, _ := strings.Cut(request.Get("Authorization"), "Credential=")
	if scope := strings.Split(credential, "/"); len(scope) == 5 && scope[2] != "" && strings.Trim(scope[2], alphanumeric+"-") == "" {
		region = scope[2]
	}
	if kind == kindProfile {
		account = "000000000000"
	}
	return "arn:aws:bedrock:" + region + ":" + account + ":" + kind + "/" + name
}
