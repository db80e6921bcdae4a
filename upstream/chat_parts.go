package upstream

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// chatPart is a part of a message: text, an image, a file or thinking.
type chatPart struct {
	Type     string     `json:"type"`
	Text     string     `json:"text,omitzero"`
	ImageURL *chatImage `json:"image_url,omitzero"`
	File     *chatFile  `json:"file,omitzero"`
	Thinking []chatPart `json:"thinking,omitempty"` // Mistral's
}

type chatImage struct {
	URL string `json:"url"`
}

type chatFile struct {
	Name string `json:"filename"`
	Data string `json:"file_data"`
}

// chatContent returns the content of a turn. Text becomes a string, because many chat templates take only
// strings. Other content becomes a list of parts. index is the number of the turn, for errors.
//
// An image becomes an image_url part. A document becomes a file part after its title and context; OpenAI and
// OpenRouter know file parts. If the model cannot read a part, the error is an [*Error]. This includes files
// in the store of the Messages API, which no other server can read.
func chatContent(can Features, turn translate.Turn, index int) (any, error) {
	if !slices.ContainsFunc(turn.Parts, func(part translate.Part) bool { return part.Type != translate.PartText }) {
		return joinLines(turn.Parts), nil
	}
	var parts []chatPart
	for _, part := range turn.Parts {
		shown := chatParts(can, part)
		if shown == nil {
			return nil, invalidRequest.error("messages: this model cannot be shown the " + placeOf(part, index, turn.Role))
		}
		parts = append(parts, shown...)
	}
	return parts, nil
}

// joinLines joins the texts of parts. It puts a newline between two parts if neither has one there.
func joinLines(parts []translate.Part) string {
	var text strings.Builder
	for i, part := range parts {
		if i > 0 && !strings.HasSuffix(parts[i-1].Text, "\n") && !strings.HasPrefix(part.Text, "\n") {
			text.WriteByte('\n')
		}
		text.WriteString(part.Text)
	}
	return text.String()
}

// messagesSource is the source of an image or a document in the Messages API (docs/reference/messages-api.md
// §4). Documents with a text source have become text parts before.
type messagesSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
	URL       string `json:"url"`
}

// url returns the source as a URL. For base64 data this is a data URL; for an unknown source it is "".
func (s messagesSource) url() string {
	switch s.Type {
	case messages.SourceBase64:
		return "data:" + s.MediaType + ";base64," + s.Data
	case messages.SourceURL:
		return s.URL
	}
	return ""
}

// chatParts returns the parts for a part of a turn, or nil if the model cannot read it.
func chatParts(can Features, part translate.Part) []chatPart {
	if part.Type == translate.PartText {
		return []chatPart{{Type: translate.PartText, Text: part.Text}}
	}
	var source messagesSource
	if json.Unmarshal(part.Source, &source, lenient) != nil || source.url() == "" {
		return nil
	}
	if part.Type == translate.PartImage {
		if !can.Has(Images) {
			return nil
		}
		return []chatPart{{Type: "image_url", ImageURL: &chatImage{source.url()}}}
	}
	if !can.Has(Documents) {
		return nil
	}
	file := chatPart{Type: "file", File: &chatFile{cmp.Or(part.Title, "document.pdf"), source.url()}}
	if part.Context == "" {
		return []chatPart{file}
	}
	return []chatPart{{Type: translate.PartText, Text: documentHead(part)}, file}
}

// documentHead returns the title and the context of a document, which go before its text.
func documentHead(part translate.Part) string {
	var head string
	for _, line := range []string{part.Title, part.Context} {
		if line != "" {
			head += line + "\n"
		}
	}
	if head != "" {
		head += "\n"
	}
	return head
}
