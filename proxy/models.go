package proxy

import (
	"slices"
	"strconv"
)

// modelInfo is a model as the Messages API lists it (docs/reference/messages-api.md §12).
// What only the maker of the model knows is null.
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

// unknownDate is in the place of the day on which a model was made: SDKs want a date.
const unknownDate = "1970-01-01T00:00:00Z"

// infoOf returns what is known of the first model of a route, by the name that clients
// ask for.
func (s *Server) infoOf(name string, r Route) modelInfo {
	info := modelInfo{Type: "model", ID: name, DisplayName: name, CreatedAt: unknownDate, Lifecycle: "active"}
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

// listModels answers with the names that clients can ask for, as far as they are known, in the order of
// the configuration and in pages, as the query asks for them.
func (x *exchange) listModels() error {
	query := x.r.URL.Query()
	limit := defaultPage
	if s := query.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > largestPage {
			return invalidField("limit", "Input should be a whole number from 1 to 1000")
		}
		limit = n
	}
	names := x.listedNames()
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

// listedNames returns [Server.listedNames], and names in a header the upstreams whose models are missing.
func (x *exchange) listedNames() []string {
	names, missing := x.s.listedNames(x.r.Context())
	if len(missing) > 0 {
		x.record.header.Set("X-Dragoman-Unlisted", headerList(missing))
	}
	return names
}

// describeModel answers with what is known of the model in the path, or 404.
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
