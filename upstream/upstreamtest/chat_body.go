package upstreamtest

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// chatBody is the request body of chat completions. The server rejects keys that are missing here.
type chatBody struct {
	Model    string        `json:"model"`
	Messages []chatMessage `json:"messages"`
	chatToolsBody
	MaxTokens     int      `json:"max_tokens"`
	Temperature   *float64 `json:"temperature"`
	TopP          *float64 `json:"top_p"`
	TopK          *int     `json:"top_k"`
	Stop          []string `json:"stop"`
	Stream        bool     `json:"stream"`
	StreamOptions struct {
		IncludeUsage bool `json:"include_usage"`
	} `json:"stream_options"`
	Continue         bool  `json:"continue_final_message"`
	GenerationPrompt *bool `json:"add_generation_prompt"`
	chatGuidedBody
}

// chatMessage is one message.
type chatMessage struct {
	Role      string      `json:"role"`
	Content   chatContent `json:"content"`
	CallID    string      `json:"tool_call_id"`
	Reasoning string      `json:"reasoning_content"`
	Calls     []chatCall  `json:"tool_calls"`
}

// chatContent is a list of parts; a string is one text part.
type chatContent []chatPart

// UnmarshalJSONFrom reads a string or a list of parts.
func (c *chatContent) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '"' {
		*c = chatContent{{Type: "text"}}
		return json.UnmarshalDecode(d, &(*c)[0].Text)
	}
	return json.UnmarshalDecode(d, (*[]chatPart)(c))
}

// chatPart is a part of a message: text, an image, a file or thinking, depending on Type.
type chatPart struct {
	Type  string `json:"type"`
	Text  string `json:"text"`
	Image struct {
		URL string `json:"url"`
	} `json:"image_url"`
	File struct {
		Name string `json:"filename"`
		Data string `json:"file_data"`
	} `json:"file"`
	Thinking chatContent `json:"thinking"` // Mistral's: a list of parts with text
}

// part returns the part in the form of a prompt. It returns false for an unknown type and for a missing
// source.
func (p *chatPart) part() (translate.Part, bool) {
	switch p.Type {
	case "text":
		return translate.Part{Type: translate.PartText, Text: p.Text}, true
	case "image_url":
		return translate.Part{Type: translate.PartImage, Source: sourceOf(p.Image.URL)}, p.Image.URL != ""
	case "file":
		return translate.Part{Type: translate.PartDocument, Title: p.File.Name, Source: sourceOf(p.File.Data)}, p.File.Data != ""
	case "thinking":
		var thinking string
		for _, part := range p.Thinking {
			thinking += part.Text
		}
		return translate.Part{Type: translate.PartThinking, Text: thinking}, thinking != ""
	}
	return translate.Part{}, false
}

// sourceOf returns a URL as a source of the Messages API: a data URL becomes base64, any other a URL.
func sourceOf(url string) jsontext.Value {
	kind, data, embedded := strings.Cut(strings.TrimPrefix(url, "data:"), ";base64,")
	if !embedded {
		return fmt.Appendf(nil, `{"type":"url","url":%s}`, quote(url))
	}
	return fmt.Appendf(nil, `{"type":"base64","media_type":%s,"data":%s}`, quote(kind), quote(data))
}

// prompt returns the prompt in the body, or the problem for which a server would reject it.
func (b *chatBody) prompt() (*translate.Prompt, *malformed) {
	for key, missing := range map[string]bool{"model": b.Model == "", "messages": len(b.Messages) == 0} {
		if missing {
			return nil, &malformed{key: key, missing: true}
		}
	}
	if !b.Stream && b.StreamOptions.IncludeUsage {
		return nil, &malformed{text: "The 'stream_options' parameter is only allowed when 'stream' is enabled."}
	}
	p := &translate.Prompt{
		StopSequences: b.Stop, MaxTokens: b.MaxTokens, Temperature: b.Temperature, TopP: b.TopP, TopK: b.TopK,
	}
	list := b.Messages // without the system message, which can only be the first
	if first := list[0]; first.Role == messages.RoleSystem {
		for _, part := range first.Content {
			p.System = append(p.System, translate.Text{Text: part.Text})
		}
		list = list[1:]
	}
	for i := range list {
		if problem := list[i].addTo(p, i); problem != nil {
			return nil, problem
		}
	}
	if problem := b.chatToolsBody.addTo(p); problem != nil {
		return nil, problem
	}
	return p, b.ending(p)
}

// ending checks the members about a last assistant message, as vLLM does: whether the model continues it or
// begins a new one.
func (b *chatBody) ending(p *translate.Prompt) *malformed {
	prefill := len(p.Turns) > 0 && p.Turns[len(p.Turns)-1].Role == messages.RoleAssistant
	begins := cmp.Or(b.GenerationPrompt, new(true))
	switch {
	case b.Continue && *begins:
		return &malformed{text: "Cannot set both `continue_final_message` and `add_generation_prompt` to True."}
	case b.Continue != prefill:
		return &malformed{text: "continue_final_message: goes with a last assistant message"}
	}
	return nil
}

// addTo checks the message with this index, and adds it as a turn, or to the turn that it belongs to.
func (m *chatMessage) addTo(p *translate.Prompt, i int) *malformed {
	if m.Role == "tool" {
		return m.addResult(p)
	}
	joins := m.Role == messages.RoleUser && endsInResult(p)
	if m.Role != [...]string{messages.RoleUser, messages.RoleAssistant}[len(p.Turns)%2] && !joins {
		return &malformed{text: "Conversation roles must alternate user/assistant/user/assistant/..."}
	}
	turn := translate.Turn{Role: m.Role}
	if m.Reasoning != "" {
		turn.Parts = append(turn.Parts, translate.Part{Type: translate.PartThinking, Text: m.Reasoning})
	}
	for j := range m.Content {
		part, ok := m.Content[j].part()
		if !ok {
			return &malformed{text: fmt.Sprintf("Invalid content part %d of message %d: %q", j, i, m.Content[j].Type)}
		}
		turn.Parts = append(turn.Parts, part)
	}
	if len(turn.Parts) == 0 {
		return &malformed{text: fmt.Sprintf("Invalid value for 'content' of message %d: expected a string or parts", i)}
	}
	for j := range m.Calls {
		part, problem := m.Calls[j].part()
		if problem != nil || m.Role != messages.RoleAssistant {
			return &malformed{text: fmt.Sprintf("Invalid tool call %d of message %d", j, i)}
		}
		turn.Parts = append(turn.Parts, part)
	}
	if joins {
		last := &p.Turns[len(p.Turns)-1]
		last.Parts = append(last.Parts, turn.Parts...)
		return nil
	}
	p.Turns = append(p.Turns, turn)
	return nil
}
