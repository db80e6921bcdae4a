package proxy

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"dragoman/proxy/nearest"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

// Route maps names that clients ask for to the models that may answer.
type Route struct {
	// Name is what clients ask for. Each * in it matches any number of characters.
	Name string
	UpstreamModel
	// AnyName: clients may ask for the model by any name. If Model is empty and the upstream lists only one model, every
	// name means that model.
	AnyName bool
	// Fallbacks are asked in order if the first model's upstream fails.
	Fallbacks []UpstreamModel
}

// UpstreamModels returns the models of the route, in the order in which they are asked.
func (r Route) UpstreamModels() []UpstreamModel {
	return append([]UpstreamModel{r.UpstreamModel}, r.Fallbacks...)
}

// For returns the route for one name that it matches: each model then has the id that its upstream knows.
func (r Route) For(name string) Route {
	if r.AnyName { // then the client's name says nothing about the model
		name = cmp.Or(r.Model, name)
	}
	r.UpstreamModel = r.UpstreamModel.of(r.Name).For(name)
	r.Fallbacks = slices.Clone(r.Fallbacks)
	for i, m := range r.Fallbacks {
		r.Fallbacks[i] = m.of(r.Name).For(name)
	}
	return r
}

// Matches reports whether the route matches a name. It scans the name at most once for each *: clients choose names,
// and must not be able to make a match expensive.
func (r Route) Matches(name string) bool {
	head, pattern, wild := strings.Cut(r.Name, "*")
	if !wild {
		return r.Name == name
	}
	rest, ok := strings.CutPrefix(name, head)
	for ok {
		var piece string
		if piece, pattern, wild = strings.Cut(pattern, "*"); !wild {
			return strings.HasSuffix(rest, piece)
		}
		_, rest, ok = strings.Cut(rest, piece)
	}
	return false
}

// routes are all routes, in the order of the configuration.
type routes []Route

// index returns the index of the first route that matches a name, or -1.
func (rs routes) index(name string) int {
	return slices.IndexFunc(rs, func(r Route) bool { return r.Matches(name) })
}

// find returns the first route that matches a name. If there is none, the error tells the client the nearest names.
func (rs routes) find(name string) (Route, error) {
	if i := rs.index(name); i >= 0 {
		return rs[i].For(name), nil
	}
	shown := name[:min(len(name), longestShown)]
	return Route{}, &failure{
		status:  http.StatusNotFound,
		typ:     messages.ErrorNotFound,
		param:   "model",
		code:    codeNoModel,
		logged:  "no model of this name is configured",
		message: fmt.Sprintf("model: %s: no model of this name is configured; the nearest: %s", strings.ToValidUTF8(shown, ""), strings.Join(rs.nearestNames(shown), ", ")),
	}
}

// A 404 shows so many bytes of the client's name, and so many names instead.
const (
	longestShown = 64
	mostNames    = 10
)

// nearestNames returns the configured names that are nearest to name.
func (rs routes) nearestNames(name string) []string {
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = r.Name
	}
	slices.Sort(names)
	return nearest.First(name, slices.Compact(names), mostNames)
}

// The wires: APIs of upstreams.
const (
	WireMessages = upstream.WireMessages
	WireText     = upstream.WireText
	WireConverse = upstream.WireConverse
	WireChat     = upstream.WireChat
	WirePrompt   = upstream.WirePrompt
)

// UpstreamKey returns the upstream's name and, if a wire is set, "/" and the wire. Names contain no slash.
func (m UpstreamModel) UpstreamKey() string {
	if m.Wire == "" {
		return m.Upstream
	}
	return m.Upstream + "/" + m.Wire
}

// way is a model of an upstream over one wire.
type way struct{ upstreamKey, model string }

// way returns the key of the model. The id must be known (see For).
func (m UpstreamModel) way() way { return way{m.UpstreamKey(), m.Model} }

// of returns the model as part of the route with this name.
func (m UpstreamModel) of(route string) UpstreamModel {
	m.Entry = cmp.Or(m.Model, route)
	return m
}

// configured returns the key under which failures count: clients choose the names under a wildcard, so these names
// share one key.
func (m UpstreamModel) configured() way { return way{m.UpstreamKey(), m.Entry} }

// For returns the model for a name that a client asks for, with the id that the upstream knows.
func (m UpstreamModel) For(name string) UpstreamModel {
	m.Model, m.Asked = cmp.Or(m.Model, name), name
	return m
}

// described returns the model as its host describes it, whatever the entry says of features and limits. The id must be
// known (see For).
func (m UpstreamModel) described() upstream.Model {
	family, _ := m.family()
	return upstream.Model{Kind: m.Kind, ID: m.Model, Wire: m.Wire, Family: family, Named: m.Told.Model, Body: m.body(), Server: m.Told.Server}.Described()
}

// wire returns the wire that the model is asked with. The id must be known (see For).
func (m UpstreamModel) wire() string { return m.described().Wire }

// Spec returns what the upstream needs to know about the model: its host's description, as the entry changes it. The id
// must be known (see For).
func (m UpstreamModel) Spec() upstream.Model {
	spec := m.described()
	if m.Tools != ToolsAuto {
		spec.Can &^= upstream.Tools
	}
	spec.Can, spec.MaxTokens = m.Features.Apply(spec.Can), cmp.Or(int(m.MaxTokens), spec.MaxTokens)
	spec.Tries &^= m.Features.With | m.Features.Without
	if m.constrains() {
		spec.Can, spec.Guided = spec.Can|upstream.Guided, cmp.Or(m.Guided, upstream.GuidedKind(m.Told.Server))
	}
	return spec
}

// usesToolAPI reports whether the model gets tools through its own API.
func (m UpstreamModel) usesToolAPI(spec upstream.Model) bool {
	return m.Tools == ToolsNative || spec.Can.Has(upstream.Tools)
}

// MayTakeTools reports whether the model may turn out to have a tools API, whatever its id hides.
func (m UpstreamModel) MayTakeTools() bool {
	m.Model = ""
	return m.described().Tools != upstream.NoToolAPI
}

// body returns the body format of a raw prompt, "" if it is unknown. A model that takes messages and whose template is
// unknown gets messages.
func (m UpstreamModel) body() string {
	if m.Body == "" && m.Told.Chat && m.knownTemplate() == "" {
		return upstream.BodyChat
	}
	return cmp.Or(m.Body, m.Told.Body)
}

// Target returns what the prompt must respect: the entry's options, with the defaults of the model. spec is the model's own
// spec, or less after the model refused a feature.
func (m UpstreamModel) Target(spec upstream.Model) translate.Target {
	t := translate.Target{
		ModelOptions: m.ModelOptions,
		TextWire:     spec.Wire == WireText, Prefill: spec.Can.Has(upstream.Prefill), TryPrefill: spec.Tries.Has(upstream.Prefill),
	}
	t.Family, _ = m.family()
	if own := m.ownFormat(); own != "" && t.Format == translate.FormatAuto {
		t.Format = own
	}
	if len(t.Accept) == 0 {
		t.Accept = translate.AcceptFor(t.Family)
	}
	if t.ChatTemplate = m.chatTemplate(); t.ChatTemplate != "" { // some chat templates tell the model the date
		t.Date = time.Now().Format(time.DateOnly)
	}
	t.ExampleCall, t.MaxTokens = m.exampleCall(), int64(spec.MaxTokens)
	t.Thinking, t.UnaskedThinking = cmp.Or(t.Thinking, translate.ThinkingFor(t.Family)), m.unaskedThinking()
	if spec.Wire != WireChat {
		t.EscapeSpecialTokens = new(false)
	} else if t.EscapeSpecialTokens == nil {
		t.EscapeSpecialTokens = new(true)
	}
	if t.Rescue == nil { // the Messages API passes the request through untouched, so nothing in it is escaped
		t.Rescue = new(spec.Wire == WireChat)
	}
	return t
}

// unaskedThinking returns what happens to thinking that the client did not ask for.
func (m UpstreamModel) unaskedThinking() string {
	family, _ := m.family()
	return cmp.Or(m.UnaskedThinking, translate.UnaskedThinkingFor(family))
}

// checkParts returns an error if the prompt has an image or a document, and either the model's entry excludes it or the
// wire is text completions. What is known only about the model's family is not enough to reject a request: there the
// upstream decides.
func (m UpstreamModel) checkParts(p *translate.Prompt) error {
	images := m.Wire != WireText && !m.Features.Without.Has(upstream.Images)
	documents := m.Wire != WireText && !m.Features.Without.Has(upstream.Documents)
	if images && documents {
		return nil
	}
	for i := range p.Turns {
		turn := &p.Turns[i]
		for part := range turn.AllParts() {
			if part.Type == translate.PartImage && !images || part.Type == translate.PartDocument && !documents {
				return &messages.InvalidRequestError{Fault: messages.FaultUnsupported, Path: "messages", Message: fmt.Sprintf("this model cannot be shown the %s in turn %d (%s)", part.Type, i+1, turn.Role)}
			}
		}
	}
	return nil
}
