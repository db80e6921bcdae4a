package upstreamtest

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// messagesBody is the request body of the Messages API for a model without tools
// (docs/reference/messages-api.md §2). The server rejects keys that are missing here.
type messagesBody struct {
	MaxTokens     *int           `json:"max_tokens"`
	System        messageContent `json:"system"`
	Messages      []message      `json:"messages"`
	StopSequences []string       `json:"stop_sequences"`
	Temperature   *float64       `json:"temperature"`
	TopP          *float64       `json:"top_p"`
	TopK          *int           `json:"top_k"`
	Metadata      struct {
		UserID string `json:"user_id"`
	} `json:"metadata"`
}

// message is one message.
type message struct {
	Role    string         `json:"role"`
	Content messageContent `json:"content"`
}

// messageBlock is one content block.
type messageBlock struct {
	translate.Part
	CacheControl struct {
		Type string `json:"type"`
		TTL  string `json:"ttl"`
	} `json:"cache_control"`
}

// messageContent is a list of blocks. A string counts as one text block.
type messageContent []messageBlock

// UnmarshalJSONFrom reads a string or a list of blocks.
func (c *messageContent) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() == '"' {
		*c = messageContent{{Part: translate.Part{Type: translate.PartText}}}
		return json.UnmarshalDecode(d, &(*c)[0].Text)
	}
	return json.UnmarshalDecode(d, (*[]messageBlock)(c))
}

// malformed is a problem with a body. Each server reports it in the words of its API: see the methods
// messages, bedrock and chat.
type malformed struct {
	pointer string // the place: "" or "/messages/0"
	key     string // an unknown or missing key at the place
	missing bool   // the key is missing
	text    string // any other problem; then the other fields are not set
}

// decode reads a body into to. Like the real servers, it rejects members that to does not have.
func decode(data []byte, to any) *malformed {
	err := json.Unmarshal(data, to, json.RejectUnknownMembers(true))
	var semantic *json.SemanticError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &semantic) && errors.Is(err, json.ErrUnknownName):
		return &malformed{pointer: string(semantic.JSONPointer.Parent()), key: semantic.JSONPointer.LastToken()}
	}
	return &malformed{text: err.Error()}
}

// prompt returns the prompt in the body, or the problem for which a model would reject it
// (docs/reference/wire.md §8, docs/reference/messages-api.md §9).
func (b *messagesBody) prompt() (*translate.Prompt, *malformed) {
	switch {
	case b.MaxTokens == nil:
		return nil, &malformed{key: "max_tokens", missing: true}
	case b.Messages == nil:
		return nil, &malformed{key: "messages", missing: true}
	case len(b.Messages) == 0:
		return nil, &malformed{text: "messages: at least one message is required"}
	}
	p := &translate.Prompt{
		StopSequences: b.StopSequences, MaxTokens: *b.MaxTokens,
		Temperature: b.Temperature, TopP: b.TopP, TopK: b.TopK,
	}
	for _, s := range b.StopSequences {
		if strings.TrimSpace(s) == "" {
			return nil, &malformed{text: "stop_sequences: each stop sequence must contain non-whitespace"}
		}
	}
	for i, s := range b.System {
		if s.Type != translate.PartText || s.Text == "" {
			return nil, &malformed{text: fmt.Sprintf("system.%d: text content blocks must be non-empty", i)}
		}
		p.System = append(p.System, translate.Text{Text: s.Text})
	}
	for i, m := range b.Messages {
		turn, problem := m.turn(i)
		if problem != nil {
			return nil, problem
		}
		p.Turns = append(p.Turns, turn)
	}
	last := p.Turns[len(p.Turns)-1]
	text := last.Parts[len(last.Parts)-1].Text
	if last.Role == messages.RoleAssistant && strings.TrimRight(text, " \t\r\n") != text {
		return nil, &malformed{text: "messages: final assistant content cannot end with trailing whitespace"}
	}
	return p, nil
}

// turn checks the message with this index and returns it as a turn.
func (m *message) turn(i int) (translate.Turn, *malformed) {
	role := [...]string{messages.RoleUser, messages.RoleAssistant}[i%2]
	if m.Role != role {
		return translate.Turn{}, &malformed{text: fmt.Sprintf(
			`messages.%d: roles must alternate between "user" and "assistant", beginning with "user"`, i)}
	}
	turn := translate.Turn{Role: role}
	for j, b := range m.Content {
		switch {
		case b.Type == translate.PartText && b.Text == "":
			return turn, &malformed{text: "messages: text content blocks must be non-empty"}
		case b.Type == translate.PartText, (b.Type == translate.PartImage || b.Type == translate.PartDocument) && b.Source != nil:
			turn.Parts = append(turn.Parts, b.Part)
		default:
			return turn, &malformed{text: fmt.Sprintf("messages.%d.content.%d: this model takes no %q block", i, j, b.Type)}
		}
	}
	if len(turn.Parts) == 0 {
		return turn, &malformed{text: fmt.Sprintf(
			"messages.%d: all messages must have non-empty content except for the optional final assistant message", i)}
	}
	return turn, nil
}
