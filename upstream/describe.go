package upstream

import (
	"cmp"
)

// Kind is a kind of host. It decides how a model is asked: see [Model.Described].
type Kind string

// The kinds, as the configuration names them. A model of no kind gets its prompt from no host: it is only shown.
const (
	KindBedrock   Kind = "bedrock"
	KindOpenAI    Kind = "openai"
	KindVertex    Kind = "vertex"
	KindAnthropic Kind = "anthropic"
	KindSimulated Kind = "simulated"
)

// The names of the wires in the configuration.
const (
	WireMessages = "messages" // the Messages API
	WireText     = "text"     // text completions: the whole prompt is one text
	WireConverse = "converse" // Bedrock's Converse, the same for all families
	WireChat     = "chat"     // chat completions
	WirePrompt   = "prompt"   // completions: the whole prompt is one text in the model's own chat template
)

// kindsOf are the kinds of host that have a wire.
var kindsOf = map[string][]Kind{
	WireMessages: {KindBedrock, KindVertex, KindAnthropic, KindSimulated},
	WireText:     {KindBedrock},
	WireConverse: {KindBedrock},
	WireChat:     {KindOpenAI, KindVertex},
	WirePrompt:   {KindBedrock, KindOpenAI, KindVertex},
}

// KindsOf returns the names of the kinds of host that have a wire.
func KindsOf(wire string) (names []string) {
	for _, kind := range kindsOf[wire] {
		names = append(names, string(kind))
	}
	return names
}

// ToolAPI is how a host takes tools for a model.
type ToolAPI uint8

// The ways to take tools.
const (
	NoToolAPI     ToolAPI = iota // only in a prompt
	PassesRequest                // the client's own request can go to the model unchanged: it has the Messages API
	TakesTools                   // a prompt can use the tools API of chat completions: [translate.Target.ToolAPI]
)

// maxTextTokens is the limit of the text completion wire (docs/reference/bedrock.md §2b).
const maxTextTokens = 4096

// Described returns the model with what its host makes of it: the wire, the way to take tools, the features and the
// limit. It calls nothing. It depends on the kind, the id, the family, the body, and on the wire, Named and Server if
// they are set. While the id is not known, the wire of some hosts is not known either: it is then "". A model of a
// chat server may continue a prefill or not, so it is tried.
func (m Model) Described() Model {
	id := m.ID
	if HidesProvider(id) {
		id = cmp.Or(m.Named, id)
	}
	m.Wire = m.wire()
	m.Tools = m.toolAPI()
	m.Can, m.MaxTokens, m.Lacks, m.Tries = FeaturesOf(id), MaxTokensOf(id), LacksOf(id+" "+m.Family), 0
	switch m.Wire {
	case WireText: // a model that completes text continues an assistant turn (docs/reference/wire.md, finding 23)
		m.Can, m.MaxTokens = m.Can|Prefill, cmp.Or(m.MaxTokens, maxTextTokens)
	case WirePrompt:
		m.Can = RawFeatures
		if m.Kind == KindBedrock { // few of its bodies have it
			m.Can &^= TopK &^ FeaturesOf(m.Family)
		}
	case WireChat:
		m.Can = ChatFeaturesOf(id)
	}
	switch m.Kind {
	case KindOpenAI:
		m.Tries = Prefill &^ m.Can
	case KindSimulated:
		m.Can |= Prefill
	}
	return m
}

// wire returns the wire to ask a model with. It is the one of the entry, if the entry names one. A raw prompt whose body
// is messages is a chat completion.
func (m Model) wire() string {
	wire := cmp.Or(m.Wire, m.usualWire())
	if wire == WirePrompt && m.Body == BodyChat {
		return WireChat
	}
	return wire
}

// usualWire returns the wire of a model whose entry names none. An ARN of an unknown family counts as Claude.
func (m Model) usualWire() string {
	claude := IsClaude(m.ID) || HidesProvider(m.ID) && (m.Family == "" || IsClaude(m.Family))
	switch {
	case m.Kind == KindAnthropic:
		return WireMessages
	case m.Kind == KindOpenAI:
		return WireChat
	case IsImported(m.ID):
		return WirePrompt
	case m.ID == "", m.Kind != KindBedrock && m.Kind != KindVertex:
		return ""
	case claude:
		return WireMessages
	case m.Kind == KindVertex:
		return WireChat
	}
	return WireConverse
}

func (m Model) toolAPI() ToolAPI {
	switch {
	case m.Kind == "" || m.Kind == KindSimulated:
		return NoToolAPI
	case m.Wire == WireMessages, m.Wire == "": // "": the model may turn out to be a Claude
		return PassesRequest
	case m.Wire == WireChat:
		return TakesTools
	}
	return NoToolAPI
}

// Keeps reports whether the model's answers can pass through a guardrail, with every option that g sets. Only Bedrock
// has guardrails, and its Converse has no tag suffix.
func (m Model) Keeps(g Guardrail) bool {
	return m.Kind == KindBedrock && (m.Wire != WireConverse || g.TagSuffix == "")
}
