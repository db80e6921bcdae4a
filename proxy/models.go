package proxy

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"
)

// modelInfo is a model as the Messages API lists it (reference/messages-api.md §12).
// Of what only its maker knows, nothing is said.
type modelInfo struct {
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

// unknownDate stands for the day on which a model was made, which nobody told us.
const unknownDate = "1970-01-01T00:00:00Z"

// describe returns what is known of a model, by the name that it is asked for.
func (s *Server) infoOf(name string, m Route) modelInfo {
	info := modelInfo{Type: "model", ID: name, DisplayName: name, CreatedAt: unknownDate, Lifecycle: "active"}
	if most := s.refusals.applyTo(m.UpstreamModel).MaxTokens; most > 0 {
		info.MaxTokens = &most
	}
	return info
}

// The sizes of a page of models.
const (
	defaultPage = 20
	largestPage = 1000
)

// listModels answers with the names that are configured, but for wildcards, in the
// order of the configuration and in pages.
func (x *exchange) listModels() error {
	query := x.r.URL.Query()
	limit := defaultPage
	if s := query.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > largestPage {
			return invalidRequest("limit: Input should be a whole number from 1 to 1000")
		}
		limit = n
	}
	names := x.s.listedNames()
	first, last := 0, len(names)
	if after := query.Get("after_id"); after != "" {
		if first = slices.Index(names, after) + 1; first == 0 {
			return invalidRequest("after_id: there is no model of this name in the list")
		}
	}
	if before := query.Get("before_id"); before != "" {
		if last = slices.Index(names, before); last < 0 {
			return invalidRequest("before_id: there is no model of this name in the list")
		}
		first = max(first, last-limit)
	}
	names = names[:last]
	names = names[min(first, last):]
	page := struct {
		Data    []modelInfo `json:"data"`
		HasMore bool        `json:"has_more"`
		FirstID *string     `json:"first_id"`
		LastID  *string     `json:"last_id"`
	}{Data: []modelInfo{}, HasMore: len(names) > limit}
	if query.Get("before_id") != "" {
		page.HasMore = first > 0
	}
	names = names[:min(len(names), limit)]
	for _, name := range names {
		m, err := x.s.routes.find(name)
		if err != nil {
			return err
		}
		page.Data = append(page.Data, x.s.infoOf(name, m))
	}
	if n := len(names); n > 0 {
		page.FirstID, page.LastID = &names[0], &names[n-1]
	}
	return x.respondJSON(page)
}

// names returns the names without wildcards, each once.
func (s *Server) listedNames() []string {
	var names []string
	for _, m := range s.routes {
		if !strings.Contains(m.Name, "*") && !slices.Contains(names, m.Name) {
			names = append(names, m.Name)
		}
	}
	return names
}

// describeModel answers whether a name is served.
func (x *exchange) describeModel() error {
	name := pathParam(x.r, "*")
	if name == "" {
		return errNotFound
	}
	m, err := x.s.routes.find(name)
	if err != nil {
		return err
	}
	return x.respondJSON(x.s.infoOf(name, m))
}

func (x *exchange) respondJSON(v any) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return x.respond(http.StatusOK, data)
}

// instead answers what of the API is not served with what is.
func notServed(use string) func(*exchange) error {
	return func(*exchange) error {
		return &failure{status: http.StatusNotFound, typ: typeNotFound, message: "this part of the API is not served here: " + use}
	}
}
