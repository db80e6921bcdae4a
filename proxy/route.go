package proxy

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"dragoman/proxy/nearest"
	"dragoman/translate"
	"dragoman/upstream"
)

// Model maps a name that clients ask for to where its requests go.
type Route struct {
	Name string // what clients ask for; each * in it stands for any characters
	UpstreamModel
	Fallbacks []UpstreamModel // in order, for when the upstream of the first way fails
}

// As returns the model for one name that it covers: with the ids that the
// upstreams know.
func (m Route) For(name string) Route {
	m.UpstreamModel = m.UpstreamModel.For(name)
	m.Fallbacks = slices.Clone(m.Fallbacks)
	for i, w := range m.Fallbacks {
		m.Fallbacks[i] = w.For(name)
	}
	return m
}

// Ways returns all ways, the first one first.
func (m Route) UpstreamModels() []UpstreamModel {
	return append([]UpstreamModel{m.UpstreamModel}, m.Fallbacks...)
}

// Way is a model of an upstream, and how it is asked.
type UpstreamModel struct {
	Upstream string            // its name in the configuration
	Wire     string            // how the upstream is asked; "" for the upstream's own choice by the model's id
	Model    string            // the id that the upstream knows; "" for the name asked for
	Format   string            // the prompting convention; "" for the default
	Language string            // of the preamble; "" for the default
	Template string            // in place of the preamble; "" for none
	Features upstream.Override // of what the family of the id can be asked
	// MaxTokens is the most tokens that an answer has; 0 for what is known of the family.
	MaxTokens int64
	Tools     string // how it is given tools; "" for ToolsXML
	Values    string // when a parameter of a call is sent; "" for ValuesFlow
	Repair    int64  // how often it is asked again for a call that could not be read: 0 or 1
	Rescue    bool   // look for calls in the text of a model that has tools
}

// How a model is given tools.
const (
	ToolsXML    = "xml"    // in its prompt
	ToolsNative = "native" // in its own API
	ToolsAuto   = "auto"   // in its own API until it says that it has none
)

// When a parameter of a call is sent, unless its tool says otherwise.
const (
	ValuesFlow  = "flow"  // strings as they are written
	ValuesWhole = "whole" // when it is whole
)

// The wires of a [Way].
const (
	WireMessages = "messages" // the body of the Messages API
	WireText     = "text"     // text completions: the whole prompt is one text
	WireConverse = "converse" // Bedrock's own, the same for all families
	WireChat     = "chat"     // chat completions
)

// Via is the key of the way in [Options]: the upstream's name and, where it asks
// for a wire, that behind a slash, which no name holds.
func (w UpstreamModel) UpstreamKey() string {
	if w.Wire == "" {
		return w.Upstream
	}
	return w.Upstream + "/" + w.Wire
}

// As returns the way for a name that a client asks for: with the id that the
// upstream knows.
func (w UpstreamModel) For(name string) UpstreamModel {
	w.Model = cmp.Or(w.Model, name)
	return w
}

// Asked is the model as its upstream is asked for it. One that completes text goes
// on with an assistant turn whatever its family (reference/wire.md, finding 23).
func (w UpstreamModel) Spec() upstream.Model {
	can, most := upstream.FeaturesOf(w.Model), upstream.MaxTokensOf(w.Model)
	switch w.Wire {
	case WireText:
		can |= upstream.Prefill
		most = cmp.Or(most, mostCompletionTokens)
	case WireChat:
		can = upstream.ChatFeaturesOf(w.Model)
	}
	if w.Tools != ToolsAuto {
		can &^= upstream.Tools
	}
	return upstream.Model{ID: w.Model, Can: w.Features.Apply(can), MaxTokens: cmp.Or(int(w.MaxTokens), most)}
}

// mostCompletionTokens is what the wire of text completions takes at most
// (reference/bedrock.md §2b).
const mostCompletionTokens = 4096

// native tells whether the model is asked in its own tool API.
func (w UpstreamModel) usesToolAPI(asked upstream.Model) bool {
	return w.Tools == ToolsNative || asked.Can.Has(upstream.Tools)
}

// Target is what a prompt has to heed for the model as it is asked.
func (w UpstreamModel) Target(asked upstream.Model) translate.Target {
	return translate.Target{
		Format: w.Format, Language: w.Language, Template: w.Template,
		TextWire: w.Wire == WireText, Prefill: asked.Can.Has(upstream.Prefill), HoldValues: w.Values == ValuesWhole,
		MaxTokens: asked.MaxTokens,
	}
}

// hides returns an error if a prompt holds what the entry of the model says that it
// cannot be shown, over whichever wire it is asked. What only its family is said not to
// see is for the upstream to refuse.
func (w UpstreamModel) checkParts(p *translate.Prompt) error {
	hidden := map[string]bool{
		translate.PartImage:    w.Features.Without.Has(upstream.Images),
		translate.PartDocument: w.Features.Without.Has(upstream.Documents),
	}
	for i, turn := range p.Turns {
		for _, part := range turn.Parts {
			if hidden[part.Type] {
				return &translate.InvalidRequestError{Path: "messages", Message: fmt.Sprintf("this model cannot be shown the %s in turn %d (%s)", part.Type, i+1, turn.Role)}
			}
		}
	}
	return nil
}

// Covers reports whether the model is the one meant by a name that a client
// asks for. It takes time linear in the name for each * at most.
func (m Route) Matches(name string) bool {
	head, pattern, wild := strings.Cut(m.Name, "*")
	if !wild {
		return m.Name == name
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

// models are all entries, in the order of the configuration: the first match wins.
type routes []Route

// find returns the model for a name that a client asks for. The error tells it
// the names that are nearest.
func (ms routes) find(name string) (Route, error) {
	for _, m := range ms {
		if m.Matches(name) {
			return m.For(name), nil
		}
	}
	const longest = 64
	shown := name[:min(len(name), longest)]
	return Route{}, &failure{
		status:  http.StatusNotFound,
		typ:     typeNotFound,
		message: fmt.Sprintf("model: %s: no model of this name is configured; the nearest: %s", strings.ToValidUTF8(shown, ""), strings.Join(ms.nearestNames(shown), ", ")),
	}
}

// nearest returns up to three configured names, those first that take the
// fewest changes of single bytes to make of name.
func (ms routes) nearestNames(name string) []string {
	names := make([]string, len(ms))
	for i, m := range ms {
		names[i] = m.Name
	}
	slices.SortStableFunc(names, func(a, b string) int { return nearest.Distance(name, a) - nearest.Distance(name, b) })
	names = slices.Compact(names)
	return names[:min(len(names), 3)]
}
