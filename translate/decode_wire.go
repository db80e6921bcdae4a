package translate

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// The wire types take any well-formed JSON object: a member of the wrong kind,
// or one that is missing, is found when the Request is built from them. So a
// member that is left out costs no more than its scan, and errors name the type
// of the block they are in.

// wireValue is where a value stands in the body. Its zero value is a member
// that is not there.
type wireValue struct {
	kind       jsontext.Kind
	start, end int // of the value, and perhaps of a delimiter and blanks before it
}

// absent reports whether a member is missing or null.
func (v wireValue) absent() bool { return v.kind == 0 || v.kind == 'n' }

func (v *wireValue) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	raw, err := dec.ReadValue()
	if err != nil {
		return err
	}
	end := int(dec.InputOffset())
	*v = wireValue{kind: raw.Kind(), start: end - len(raw), end: end}
	return nil
}

// wireList is an array of T, or a value of another kind and no items.
type wireList[T any] struct {
	at    wireValue
	items []T
}

func (l *wireList[T]) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	if dec.PeekKind() != '[' {
		return l.at.UnmarshalJSONFrom(dec)
	}
	l.at.kind = '['
	return json.UnmarshalDecode(dec, &l.items)
}

// readObject reads an object's members into the struct that m points to, or a
// value of another kind and no members.
func readObject(dec *jsontext.Decoder, at *wireValue, m any) error {
	if dec.PeekKind() != '{' {
		return at.UnmarshalJSONFrom(dec)
	}
	start := int(dec.InputOffset())
	if err := json.UnmarshalDecode(dec, m); err != nil {
		return err
	}
	*at = wireValue{kind: '{', start: start, end: int(dec.InputOffset())}
	return nil
}

// wireMember is a member of an object, by name.
type wireMember struct {
	name  string
	value wireValue
}

type wireRequest struct {
	Model         wireValue             `json:"model"`
	MaxTokens     wireValue             `json:"max_tokens"`
	Messages      wireList[wireMessage] `json:"messages"`
	System        wireList[wireBlock]   `json:"system"`
	Tools         wireList[wireTool]    `json:"tools"`
	ToolChoice    *wireChoice           `json:"tool_choice"`
	StopSequences wireList[wireValue]   `json:"stop_sequences"`
	Stream        wireValue             `json:"stream"`
	Temperature   wireValue             `json:"temperature"`
	TopP          wireValue             `json:"top_p"`
	TopK          wireValue             `json:"top_k"`
	MCPServers    wireList[wireServer]  `json:"mcp_servers"`
	Thread        wireValue             `json:"thread"`
	Thinking      *wireThinking         `json:"thinking"`
	Output        *wireOutput           `json:"output_config"`
	Format        *wireFormat           `json:"output_format"` // where the format stood before
	// Some clients write these headers into the body (reference/wire.md, finding 16).
	Version wireValue            `json:"anthropic_version"`
	Beta    wireValue            `json:"anthropic_beta"`
	Rest    map[string]wireValue `json:",embed"`
}

type wireMessage struct {
	at      wireValue
	Role    wireValue            `json:"role"`
	Content wireList[wireBlock]  `json:"content"`
	Rest    map[string]wireValue `json:",embed"`
}

func (m *wireMessage) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type members wireMessage
	return readObject(dec, &m.at, (*members)(m))
}

// wireBlock is a content block of any type.
type wireBlock struct {
	at        wireValue
	Type      wireValue            `json:"type"`
	Text      wireValue            `json:"text"`
	Source    *wireSource          `json:"source"`
	Title     wireValue            `json:"title"`
	Context   wireValue            `json:"context"`
	ID        wireValue            `json:"id"`
	Name      wireValue            `json:"name"`
	Input     wireValue            `json:"input"`
	ToolUseID wireValue            `json:"tool_use_id"`
	IsError   wireValue            `json:"is_error"`
	ToolName  wireValue            `json:"tool_name"`
	Content   wireList[wireBlock]  `json:"content"`
	Rest      map[string]wireValue `json:",embed"`
}

func (b *wireBlock) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type members wireBlock
	return readObject(dec, &b.at, (*members)(b))
}

// members lists the members of a block but for Rest.
func (b *wireBlock) members() [12]wireMember {
	return [...]wireMember{
		{"type", b.Type}, {"text", b.Text}, {"source", b.Source.value()}, {"title", b.Title}, {"context", b.Context},
		{"id", b.ID}, {"name", b.Name}, {"input", b.Input}, {"tool_use_id", b.ToolUseID}, {"is_error", b.IsError},
		{"tool_name", b.ToolName}, {"content", b.Content.at},
	}
}

// wireSource is the source of an image or document, or the string of a search_result.
type wireSource struct {
	at        wireValue
	Type      wireValue            `json:"type"`
	MediaType wireValue            `json:"media_type"`
	Data      wireValue            `json:"data"`
	URL       wireValue            `json:"url"`
	FileID    wireValue            `json:"file_id"`
	Content   wireList[wireBlock]  `json:"content"`
	Rest      map[string]wireValue `json:",embed"`
}

func (s *wireSource) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type members wireSource
	return readObject(dec, &s.at, (*members)(s))
}

// members lists the members of a source but for Rest.
func (s *wireSource) members() [6]wireMember {
	return [...]wireMember{
		{"type", s.Type}, {"media_type", s.MediaType}, {"data", s.Data}, {"url", s.URL}, {"file_id", s.FileID},
		{"content", s.Content.at},
	}
}

func (s *wireSource) value() wireValue {
	if s == nil {
		return wireValue{}
	}
	return s.at
}

type wireTool struct {
	at          wireValue
	Type        wireValue            `json:"type"`
	Name        wireValue            `json:"name"`
	Description wireValue            `json:"description"`
	InputSchema wireSchema           `json:"input_schema"`
	Rest        map[string]wireValue `json:",embed"`
}

func (t *wireTool) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type members wireTool
	return readObject(dec, &t.at, (*members)(t))
}

// wireSchema is a schema and those of its keywords that are checked.
type wireSchema struct {
	at         wireValue
	Type       wireValue `json:"type"`
	Properties wireValue `json:"properties"`
	Required   wireValue `json:"required"`
}

func (s *wireSchema) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type members wireSchema
	return readObject(dec, &s.at, (*members)(s))
}

type wireChoice struct {
	at       wireValue
	Type     wireValue            `json:"type"`
	Name     wireValue            `json:"name"`
	Parallel wireValue            `json:"disable_parallel_tool_use"`
	Rest     map[string]wireValue `json:",embed"`
}

func (c *wireChoice) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type members wireChoice
	return readObject(dec, &c.at, (*members)(c))
}

type wireThinking struct {
	at      wireValue
	Type    wireValue            `json:"type"`
	Display wireValue            `json:"display"`
	Rest    map[string]wireValue `json:",embed"`
}

func (t *wireThinking) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type members wireThinking
	return readObject(dec, &t.at, (*members)(t))
}

type wireOutput struct {
	at     wireValue
	Format *wireFormat          `json:"format"`
	Rest   map[string]wireValue `json:",embed"`
}

func (o *wireOutput) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type members wireOutput
	return readObject(dec, &o.at, (*members)(o))
}

// wireFormat says what the answer has to be.
type wireFormat struct {
	at     wireValue
	Type   wireValue            `json:"type"`
	Schema wireValue            `json:"schema"`
	Rest   map[string]wireValue `json:",embed"`
}

func (f *wireFormat) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type members wireFormat
	return readObject(dec, &f.at, (*members)(f))
}

type wireServer struct {
	at   wireValue
	Name wireValue `json:"name"`
}

func (s *wireServer) UnmarshalJSONFrom(dec *jsontext.Decoder) error {
	type members wireServer
	return readObject(dec, &s.at, (*members)(s))
}
