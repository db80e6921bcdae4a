package upstreamtest

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// The markers between the turns of a text prompt (docs/reference/legacy-format.md §9).
const (
	humanMarker     = "\n\nHuman:"
	assistantMarker = "\n\nAssistant:"
)

// textBody is the body of text completions (docs/reference/bedrock.md §2b). The server rejects keys that are
// missing here.
type textBody struct {
	Prompt        *string        `json:"prompt"`
	MaxTokens     *int           `json:"max_tokens_to_sample"`
	StopSequences []string       `json:"stop_sequences"`
	Temperature   *float64       `json:"temperature"`
	TopP          *float64       `json:"top_p"`
	TopK          *int           `json:"top_k"`
	Version       string         `json:"anthropic_version"` // optional
	Guardrail     jsontext.Value `json:"amazon-bedrock-guardrailConfig"`
}

// hasPrompt reports whether a body is for text completions, not for the Messages API.
func hasPrompt(data []byte) bool {
	var body struct {
		Prompt jsontext.Value `json:"prompt"`
	}
	return json.Unmarshal(data, &body) == nil && body.Prompt != nil
}

// readText reads the body of text completions. It splits the prompt at each marker, whoever wrote it, as the
// model would.
func readText(data []byte) (*translate.Prompt, *malformed) {
	var b textBody
	if problem := decode(data, &b); problem != nil {
		return nil, problem
	}
	if problem := b.problem(); problem != nil {
		return nil, problem
	}
	p, problem := parsePrompt(*b.Prompt)
	if problem != nil {
		return nil, problem
	}
	p.MaxTokens, p.Temperature, p.TopP, p.TopK = *b.MaxTokens, b.Temperature, b.TopP, b.TopK
	p.StopSequences = b.StopSequences
	if !slices.Contains(p.StopSequences, humanMarker) {
		p.StopSequences = append(p.StopSequences, humanMarker) // built in
	}
	return p, nil
}

// problem returns the problem with the body, apart from the text of its prompt; nil for none.
func (b *textBody) problem() *malformed {
	switch {
	case b.Prompt == nil:
		return &malformed{key: "prompt", missing: true}
	case b.MaxTokens == nil:
		return &malformed{key: "max_tokens_to_sample", missing: true}
	case b.Version != "" && b.Version != bedrockVersion:
		return &malformed{text: "anthropic_version: only " + bedrockVersion + " is known"}
	}
	for _, number := range []struct {
		key          string
		value, limit float64
	}{
		{"max_tokens_to_sample", float64(*b.MaxTokens), 4096},
		{"temperature", valueOf(b.Temperature), 1},
		{"top_p", valueOf(b.TopP), 1},
		{"top_k", float64(valueOf(b.TopK)), 500},
	} {
		switch {
		case number.value < 0:
			return &malformed{text: fmt.Sprintf("Malformed input request: #/%s: %v is not greater or equal to 0, please reformat your input and try again.", number.key, number.value)}
		case number.value > number.limit:
			return &malformed{text: fmt.Sprintf("Malformed input request: #/%s: %v is not less or equal to %v, please reformat your input and try again.", number.key, number.value, number.limit)}
		}
	}
	return nil
}

// valueOf returns the value of v, or 0 for nil.
func valueOf[T int | float64](v *T) T {
	if v == nil {
		return 0
	}
	return *v
}

// parsePrompt splits the text of a prompt into a system text and turns, which alternate. A last turn of the
// assistant is a prefill, if it is not empty.
func parsePrompt(text string) (*translate.Prompt, *malformed) {
	p := new(translate.Prompt)
	system, role, rest := nextMarker(text)
	if role != messages.RoleUser {
		return nil, invalidPrompt(`must start with "\n\nHuman:" turn after an optional system prompt`)
	}
	if system != "" {
		p.System = []translate.Text{{Text: system}}
	}
	for role != "" {
		if role != [...]string{messages.RoleUser, messages.RoleAssistant}[len(p.Turns)%2] {
			return nil, invalidPrompt(`must alternate between "\n\nHuman:" and "\n\nAssistant:" turns`)
		}
		turn := translate.Turn{Role: role}
		var said string
		said, role, rest = nextMarker(rest)
		turn.Parts = []translate.Part{{Type: translate.PartText, Text: strings.TrimPrefix(said, " ")}}
		p.Turns = append(p.Turns, turn)
	}
	last := p.Turns[len(p.Turns)-1]
	switch prefill := last.Parts[0].Text; {
	case last.Role != messages.RoleAssistant:
		return nil, invalidPrompt(`must end with "\n\nAssistant:" turn`)
	case prefill == "" && strings.HasSuffix(text, assistantMarker):
		p.Turns = p.Turns[:len(p.Turns)-1]
	case strings.TrimSpace(prefill) == "":
		return nil, invalidPrompt(`must not end with white space after "\n\nAssistant:"`)
	}
	return p, nil
}

// nextMarker returns the text before the first marker, the role of the turn that it begins, and the rest.
// Without a marker, the role is "".
func nextMarker(text string) (before, role, after string) {
	human, assistant := strings.Index(text, humanMarker), strings.Index(text, assistantMarker)
	switch {
	case human >= 0 && (assistant < 0 || human < assistant):
		return text[:human], messages.RoleUser, text[human+len(humanMarker):]
	case assistant >= 0:
		return text[:assistant], messages.RoleAssistant, text[assistant+len(assistantMarker):]
	}
	return text, "", ""
}

// invalidPrompt returns a problem with the text of a prompt, in the words of Bedrock.
func invalidPrompt(text string) *malformed { return &malformed{text: "Invalid prompt: prompt " + text} }

// textEvents returns the chunks of a completion of the prompt (docs/reference/bedrock.md §2b). The completion
// begins with a space, except after a prefill.
func (c Completion) textEvents(p *translate.Prompt) []event {
	var list []event
	add := func(format string, args ...any) {
		list = append(list, event{"completion", fmt.Appendf(nil, `{"type":"completion",`+format+`}`, args...)})
	}
	pieces := c.pieces()
	if len(pieces) > 0 && p.Turns[len(p.Turns)-1].Role == messages.RoleUser {
		pieces[0] = " " + pieces[0]
	}
	for _, piece := range pieces {
		add(`"completion":%s,"stop_reason":null,"stop":null`, quote(piece))
	}
	// The model knows two stop reasons. At the end of its turn, it writes the human's marker.
	reason, stop := messages.StopSequence, quote(humanMarker)
	switch c.Stop {
	case messages.StopMaxTokens:
		reason, stop = messages.StopMaxTokens, []byte("null")
	case messages.StopSequence:
		stop = quote(c.StopSequence)
	}
	add(`"completion":"","stop_reason":%s,"stop":%s%s,"amazon-bedrock-invocationMetrics":%s`, quote(reason), stop, c.action(), quote(c.metrics()))
	return list
}

// metrics returns the token counts that Bedrock adds to the last event of an answer
// (docs/reference/bedrock.md §3).
func (c Completion) metrics() any {
	return struct {
		Input      int `json:"inputTokenCount"`
		Output     int `json:"outputTokenCount"`
		Latency    int `json:"invocationLatency"`
		FirstByte  int `json:"firstByteLatency"`
		CacheRead  int `json:"cacheReadInputTokenCount,omitzero"`
		CacheWrite int `json:"cacheWriteInputTokenCount,omitzero"`
	}{c.Usage.InputTokens, c.Usage.OutputTokens, 40, 10, c.Usage.CacheReadInputTokens, c.Usage.CacheCreationInputTokens}
}
