package upstreamtest

import (
	"fmt"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// converseBody is the body of Converse and ConverseStream without tools (docs/reference/bedrock.md §5). The
// server rejects keys that are missing here.
type converseBody struct {
	Messages  []converseMessage `json:"messages"`
	System    []converseBlock   `json:"system"`
	Inference struct {
		MaxTokens     *int     `json:"maxTokens"`
		Temperature   *float64 `json:"temperature"`
		TopP          *float64 `json:"topP"`
		StopSequences []string `json:"stopSequences"`
	} `json:"inferenceConfig"`
	RequestFields struct {
		TopK *int `json:"top_k"`
		K    *int `json:"k"`
		Nova struct {
			TopK *int `json:"topK"`
		} `json:"inferenceConfig"`
	} `json:"additionalModelRequestFields"`
	ResponseFields []string       `json:"additionalModelResponseFieldPaths"`
	Guardrail      jsontext.Value `json:"guardrailConfig"`
}

// converseMessage is one message.
type converseMessage struct {
	Role    string          `json:"role"`
	Content []converseBlock `json:"content"`
}

// converseBlock is a block. Exactly one member is set.
type converseBlock struct {
	Text     *string `json:"text"`
	Image    *media  `json:"image"`
	Document *media  `json:"document"`
	Cache    *struct {
		Type string `json:"type"`
		TTL  string `json:"ttl"`
	} `json:"cachePoint"`
}

// members returns how many members the block has.
func (b converseBlock) members() int {
	n := 0
	for _, has := range []bool{b.Text != nil, b.Image != nil, b.Document != nil, b.Cache != nil} {
		if has {
			n++
		}
	}
	return n
}

// media is an image or a document.
type media struct {
	Name    string `json:"name"`    // only for documents
	Context string `json:"context"` // only for documents
	Format  string `json:"format"`
	Source  struct {
		Bytes []byte  `json:"bytes"`
		Text  *string `json:"text"` // only for documents
	} `json:"source"`
}

// part returns an image or a document as a part of a prompt.
func (m *media) part(typ, mediaType string) translate.Part {
	part := translate.Part{Type: typ, Title: m.Name, Context: m.Context}
	if m.Source.Text != nil {
		part.Source = fmt.Appendf(nil, `{"type":"text","media_type":%s,"data":%s}`, quote(mediaType), quote(*m.Source.Text))
		return part
	}
	part.Source = jsontext.Value(fmt.Appendf(nil, `{"type":"base64","media_type":%s,"data":%s}`, quote(mediaType), quote(m.Source.Bytes)))
	return part
}
