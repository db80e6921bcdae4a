package upstreamtest

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// Listing are the ids of the models that a server lists. If its API has pages, a page has two. A server with
// a nil Listing has no list.
type Listing []string

// pageOfList is the number of models on a page.
const pageOfList = 2

// page returns the ids from this index on, and the index of the next page; 0 for none.
func (l Listing) page(from int) (ids []string, next int) {
	from = min(max(from, 0), len(l))
	end := min(from+pageOfList, len(l))
	if end < len(l) {
		next = end
	}
	return l[from:end], next
}

// pageAt returns the page for a token in a query, and the token of the next page.
func (l Listing) pageAt(token string) (ids []string, next string) {
	from, _ := strconv.Atoi(token) // "" is the first page
	ids, n := l.page(from)
	if n > 0 {
		next = strconv.Itoa(n)
	}
	return ids, next
}

func writeList(w http.ResponseWriter, list any) {
	w.Header().Set("content-type", "application/json")
	_ = json.MarshalWrite(w, list)
}

// messagesList answers GET /v1/models (docs/reference/messages-api.md §12).
func (l Listing) messagesList(w http.ResponseWriter, r *http.Request) {
	ids, next := l.page(slices.Index(l, r.URL.Query().Get("after_id")) + 1)
	data := []map[string]any{}
	for _, id := range ids {
		data = append(data, map[string]any{"type": "model", "id": id, "display_name": id, "created_at": "2026-01-01T00:00:00Z"})
	}
	writeList(w, map[string]any{"data": data, "has_more": next > 0, "first_id": ids[0], "last_id": ids[len(ids)-1]})
}

// chatList answers GET /v1/models, which has no pages, like a server of this name that runs this model.
func (l Listing) chatList(w http.ResponseWriter, server, family string) {
	data := []map[string]any{}
	for _, id := range l {
		m := map[string]any{"object": "model", "id": id, "created": 1, "owned_by": cmp.Or(server, "fake")}
		if family != "" && (server == "vllm" || server == "sglang") {
			m["root"] = family
		}
		data = append(data, m)
	}
	writeList(w, map[string]any{"object": "list", "data": data})
}

// bedrockList answers GET /foundation-models, which has no pages, and GET /inference-profiles
// (docs/reference/bedrock.md §11). Ids with a region before the provider are profiles. A model with a profile
// can be asked only through the profile. A model with "embed" in its id does not answer with text.
func (l Listing) bedrockList(w http.ResponseWriter, r *http.Request) {
	profiles, models := Listing{}, []map[string]any{}
	for _, id := range l {
		if strings.Count(id, ".") > 1 {
			profiles = append(profiles, id)
		}
	}
	query := r.URL.Query()
	if r.URL.Path == "/inference-profiles" {
		ids, next := profiles.pageAt(query.Get("nextToken"))
		summaries := []map[string]any{}
		for _, id := range ids {
			summaries = append(summaries, map[string]any{"inferenceProfileId": id, "status": "ACTIVE", "type": query.Get("type")})
		}
		writeList(w, map[string]any{"inferenceProfileSummaries": summaries, "nextToken": next})
		return
	}
	for _, id := range l {
		if slices.Contains(profiles, id) || query.Get("byOutputModality") == "TEXT" && strings.Contains(id, "embed") {
			continue
		}
		types := []string{"ON_DEMAND"}
		if slices.ContainsFunc(profiles, func(p string) bool { return strings.HasSuffix(p, "."+id) }) {
			types = []string{"INFERENCE_PROFILE"}
		}
		models = append(models, map[string]any{"modelId": id, "inferenceTypesSupported": types})
	}
	writeList(w, map[string]any{"modelSummaries": models})
}

// vertexList answers GET /v1beta1/publishers/{publisher}/models (docs/reference/vertex.md §7).
func (l Listing) vertexList(w http.ResponseWriter, r *http.Request) {
	of := Listing{}
	for _, id := range l {
		if publisher, name, _ := strings.Cut(id, "/"); publisher == r.PathValue("publisher") {
			of = append(of, name)
		}
	}
	if len(of) == 0 {
		refuseGoogle(w, Refuse(http.StatusNotFound, "NOT_FOUND", "Publisher not found.", ""))
		return
	}
	ids, next := of.pageAt(r.URL.Query().Get("pageToken"))
	models := []map[string]any{}
	for _, id := range ids {
		models = append(models, map[string]any{"name": "publishers/" + r.PathValue("publisher") + "/models/" + id, "versionId": "001"})
	}
	writeList(w, map[string]any{"publisherModels": models, "nextPageToken": next})
}
