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

// Route maps the names that clients ask for to the models that may answer them.
type Route struct {
	// Name is what clients ask for. Each * in it stands for any characters, also none.
	Name string
	UpstreamModel
	// Fallbacks are asked in their order when the first model's upstream fails.
	Fallbacks []UpstreamModel
}

// UpstreamModels returns the models of the route in the order in which they are asked.
func (r Route) UpstreamModels() []UpstreamModel {
	return append([]UpstreamModel{r.UpstreamModel}, r.Fallbacks...)
}

// For returns the route for one name that it matches: each of its models has the id that
// its upstream knows.
func (r Route) For(name string) Route {
	r.UpstreamModel = r.UpstreamModel.of(r.Name).For(name)
	r.Fallbacks = slices.Clone(r.Fallbacks)
	for i, m := range r.Fallbacks {
		r.Fallbacks[i] = m.of(r.Name).For(name)
	}
	return r
}

// Matches reports whether the route is for a name that a client asks for. It looks at
// the name once for each * at most: a client chooses the name, and must not be able to
// make a pattern expensive.
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

// routes are all routes in the order of the configuration.
type routes []Route

// index returns which route is the first that matches a name, -1 for none.
func (rs routes) index(name string) int {
	return slices.IndexFunc(rs, func(r Route) bool { return r.Matches(name) })
}

// find returns the first route that matches a name that a client asks for. The error
// says to the client that there is none, and which names are nearest.
func (rs routes) find(name string) (Route, error) {
	if i := rs.index(name); i >= 0 {
		return rs[i].For(name), nil
	}
	const longest = 64
	shown := name[:min(len(name), longest)]
	return Route{}, &failure{
		status:  http.StatusNotFound,
		typ:     messages.ErrorNotFound,
		logged:  "no model of this name is configured",
		message: fmt.Sprintf("model: %s: no model of this name is configured; the nearest: %s", strings.ToValidUTF8(shown, ""), strings.Join(rs.nearestNames(shown), ", ")),
	}
}

// nearestNames returns up to three configured names: those that the fewest changes of
// single bytes turn into name.
func (rs routes) nearestNames(name string) []string {
	names := make([]string, len(rs))
	for i, r := range rs {
		names[i] = r.Name
	}
	slices.SortStableFunc(names, func(a, b string) int { return nearest.Distance(name, a) - nearest.Distance(name, b) })
	names = slices.Compact(names)
	return names[:min(len(names), 3)]
}

// UpstreamModel is a model of an upstream and how it is asked: one entry under models in
// the configuration, or one of its fallbacks.
type UpstreamModel struct {
	Upstream string // the upstream's name in the configuration
	Wire     string // the API over which the upstream is asked; "" to let the upstream choose by the id
	Model    string // the id that the upstream knows; "" for the name that the client asks for
	Format   string // the prompting convention, or [translate.FormatAuto]; "" for the default
	// Family names the family of the model; "" if its id tells, the name that clients ask for, or its server.
	// Assumed is the family where none of these tells; "" for an unknown one.
	Family, Assumed string
	ExampleCall     string            // whether the prompt shows an example call: see [translate.Target]; "" for [translate.ExampleAuto]
	Accept          string            // in which calls are read besides: see [translate.Target]; "" for that of the model's family
	Language        string            // of the preamble; "" for the default
	Template        string            // text in place of the preamble; "" for none
	ChatTemplate    string            // of a raw prompt; "" for that of the model's family
	Body            string            // in which a raw prompt is sent; "" for what the upstream finds out
	Features        upstream.Override // corrects what is known of the model's family
	// MaxTokens is the most tokens that an answer can have; 0 for what is known of the
	// model's family.
	MaxTokens int64
	Tools     string // how the model is given tools; "" for ToolsXML
	Values    string // when a parameter of a call is sent to the client; "" for ValuesWhole
	Repair    int64  // how often the model is asked again for a call that could not be read: 0 or 1
	Quoted    string // what a call in a Markdown code fence is; "" for QuotedText
	Thinking  string // where its completions begin: see [translate.Target]; "" for what its family's template does
	// UnaskedThinking is what becomes of thinking that a client has not asked for: see [translate.Target]; ""
	// for what suits its family.
	UnaskedThinking string
	// TryPrefill asks for a forced call with a prefill, and remembers whether the server goes on with it, if it
	// is not known whether the model takes one.
	TryPrefill bool
	// OpenOverChat says that the upstream asks models that are not Claude over chat completions, if Wire is "".
	OpenOverChat bool
	// LeaveSpecialTokens leaves special tokens in the texts of clients as they are: the server escapes them itself.
	LeaveSpecialTokens bool
	// Constrain says whether the server is to hold answers to a constraint: [ConstrainTry], [ConstrainRequire]; ""
	// for ConstrainOff. ConstrainAuto has it do so where the model may choose to call nothing, too. Guided is how
	// the server takes one: [upstream.GuidedKinds]; "" if the server tells.
	Constrain     string
	ConstrainAuto bool
	Guided        string
	Rescue        bool // look for calls in the text of a model that is given tools over its own API

	Entry string            // the id or, without one, the name of the entry, as configured; set by Route.For
	Asked string            // the name that the client asks for; set by For
	Told  upstream.Resolved // what the upstream says of the model; empty as long as that is not known
}

// How a model is given tools.
const (
	ToolsXML    = "xml"    // in its prompt
	ToolsNative = "native" // over its own API
	ToolsAuto   = "auto"   // over its own API, until it refuses tools
)

// When a parameter of a call is sent, unless its tool says otherwise.
const (
	ValuesWhole = "whole" // when it is whole
	ValuesFlow  = "flow"  // a string as it is written, other values when they are whole
)

// What a call is that fills a Markdown code fence.
const (
	QuotedText = "text" // text, as it is quoted
	QuotedRead = "read" // a call, if it is whole and its tool is offered
)

// The wires: APIs over which an upstream is asked.
const (
	WireMessages = upstream.WireMessages
	WireText     = upstream.WireText
	WireConverse = upstream.WireConverse
	WireChat     = upstream.WireChat
	WirePrompt   = upstream.WirePrompt
)

// maxCompletionTokens is the most that the wire of text completions takes
// (docs/reference/bedrock.md §2b).
const maxCompletionTokens = 4096

// UpstreamKey returns the name of the upstream and, for a wire, a slash and that. A name holds no slash.
func (m UpstreamModel) UpstreamKey() string {
	if m.Wire == "" {
		return m.Upstream
	}
	return m.Upstream + "/" + m.Wire
}

// way is a model of an upstream, asked over one wire.
type way struct{ upstreamKey, model string }

// way returns what tells the model from others. The id has to be known (see For).
func (m UpstreamModel) way() way { return way{m.UpstreamKey(), m.Model} }

// of returns the model as one of the route with this name.
func (m UpstreamModel) of(route string) UpstreamModel {
	m.Entry = cmp.Or(m.Model, route)
	return m
}

// configured returns what failures are counted by: clients choose the names under a wildcard, and share
// what comes of them.
func (m UpstreamModel) configured() way { return way{m.UpstreamKey(), m.Entry} }

// For returns the model for a name that a client asks for: with the id that the upstream
// knows.
func (m UpstreamModel) For(name string) UpstreamModel {
	m.Model, m.Asked = cmp.Or(m.Model, name), name
	return m
}

// Spec returns what the upstream is told of the model: its id, what it can be asked for,
// and its limit. The id has to be known (see For). A model that completes text can go on
// with an assistant turn whatever its family (docs/reference/wire.md, finding 23).
func (m UpstreamModel) Spec() upstream.Model {
	family, _ := m.family()
	id := m.Model
	if upstream.HidesProvider(id) {
		id = cmp.Or(m.Told.Model, id)
	}
	can, maxTokens := upstream.FeaturesOf(id), upstream.MaxTokensOf(id)
	switch {
	case m.Wire == WireText:
		can |= upstream.Prefill
		maxTokens = cmp.Or(maxTokens, maxCompletionTokens)
	case m.isPrompt():
		can = upstream.RawFeatures
		if !m.OpenOverChat && !m.TryPrefill { // on Bedrock: few bodies have it
			can &^= upstream.TopK &^ upstream.FeaturesOf(family)
		}
	case m.Wire == WireChat, m.body() == upstream.BodyChat:
		can = upstream.ChatFeaturesOf(id)
	}
	if m.Tools != ToolsAuto {
		can &^= upstream.Tools
	}
	spec := upstream.Model{ID: m.Model, Wire: m.Wire, Family: family, Body: m.body(), Server: m.Told.Server, Can: m.Features.Apply(can), MaxTokens: cmp.Or(int(m.MaxTokens), maxTokens)}
	if m.constrains() {
		spec.Can, spec.Guided = spec.Can|upstream.Guided, cmp.Or(m.Guided, upstream.GuidedKind(m.Told.Server))
	}
	if m.TryPrefill && !m.Features.Without.Has(upstream.Prefill) {
		spec.Tries = upstream.Prefill &^ spec.Can
	}
	return spec
}

// usesToolAPI reports whether the model is given tools over its own API.
func (m UpstreamModel) usesToolAPI(spec upstream.Model) bool {
	return m.Tools == ToolsNative || spec.Can.Has(upstream.Tools)
}

// body returns the body in which a raw prompt is sent, "" if nothing tells it: that of messages for a model that takes
// them, and whose template is not known.
func (m UpstreamModel) body() string {
	if m.Body == "" && m.Told.Chat && m.knownTemplate() == "" {
		return upstream.BodyChat
	}
	return cmp.Or(m.Body, m.Told.Body)
}

// isPrompt reports whether the model is asked with a raw prompt. The id has to be known (see For).
func (m UpstreamModel) isPrompt() bool {
	return (m.Wire == WirePrompt || m.Wire == "" && upstream.IsImported(m.Model)) && m.body() != upstream.BodyChat
}

// isChat reports whether the model is asked over chat completions. The id has to be known (see For).
func (m UpstreamModel) isChat() bool {
	return m.Wire == WireChat || m.body() == upstream.BodyChat || m.Wire == "" && m.OpenOverChat && !upstream.IsClaude(m.Model)
}

// Target returns what a prompt for the model has to respect. The spec is that of the
// model, or less than it after the model refused a feature.
func (m UpstreamModel) Target(spec upstream.Model) translate.Target {
	family, _ := m.family()
	format, template := m.Format, m.chatTemplate()
	if own := m.ownFormat(); own != "" && format == translate.FormatAuto {
		format = own
	}
	date := "" // that some chat templates tell the model
	if template != "" {
		date = time.Now().Format(time.DateOnly)
	}
	return translate.Target{
		Format: format, Model: family, ExampleCall: m.exampleCall(), Accept: cmp.Or(m.Accept, translate.AcceptFor(family)), Language: m.Language, Template: m.Template,
		ChatTemplate: template, Date: date,
		TextWire: m.Wire == WireText, Prefill: spec.Can.Has(upstream.Prefill), TryPrefill: spec.Tries.Has(upstream.Prefill), FlowValues: m.Values == ValuesFlow,
		Rescue: m.Rescue, QuotedCalls: m.Quoted == QuotedRead, Thinking: cmp.Or(m.Thinking, translate.ThinkingFor(family)), UnaskedThinking: m.unaskedThinking(),
		SpecialTokens: m.isChat() && !m.LeaveSpecialTokens, MaxTokens: spec.MaxTokens,
	}
}

// unaskedThinking returns what becomes of thinking that the client has not asked for.
func (m UpstreamModel) unaskedThinking() string {
	family, _ := m.family()
	return cmp.Or(m.UnaskedThinking, translate.UnaskedThinkingFor(family))
}

// checkParts returns an error if a prompt has an image or a document and the model's
// entry says that it takes none, or that its prompt is the text of text completions. What is only known of the
// model's family is not enough to refuse a request: there the upstream decides.
func (m UpstreamModel) checkParts(p *translate.Prompt) error {
	refused := map[string]bool{
		translate.PartImage:    m.Wire == WireText || m.Features.Without.Has(upstream.Images),
		translate.PartDocument: m.Wire == WireText || m.Features.Without.Has(upstream.Documents),
	}
	for i, turn := range p.Turns {
		for part := range turn.AllParts() {
			if refused[part.Type] {
				return &messages.InvalidRequestError{Fault: messages.FaultUnsupported, Path: "messages", Message: fmt.Sprintf("this model cannot be shown the %s in turn %d (%s)", part.Type, i+1, turn.Role)}
			}
		}
	}
	return nil
}
