package upstream

import (
	"cmp"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// chatPart is a part of a message: text, an image or a file.
type chatPart struct {
	Type     string     `json:"type"`
	Text     string     `json:"text,omitzero"`
	ImageURL *chatImage `json:"image_url,omitzero"`
	File     *chatFile  `json:"file,omitzero"`
}

type chatImage struct {
	URL string `json:"url"`
}

type chatFile struct {
	Name string `json:"filename"`
	Data string `json:"file_data"`
}

// chatContent returns the content of a turn: a string if it is text alone, since many chat templates
// take nothing but strings, else a list of parts. index is that of the turn, for the error.
//
// An image is an image_url part. A document is a file part, which OpenAI and OpenRouter
// know, after its title and context. What the model cannot be shown is an [*Error], and
// so is a file in the store of the Messages API, which no other server can read.
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

// joinLines returns the text that parts are together: a newline stands between two
// unless one of them has a newline there.
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

// messagesSource is the source of an image or a document in the Messages API
// (docs/reference/messages-api.md §4). Documents whose source is text have become text
// parts before.
type messagesSource struct {
	Type      string `json:"type"`
	MediaType string `json:"media_type"`
	Data      string `json:"data"`
	URL       string `json:"url"`
}

// url returns the source as a URL, which has the data in it if the source is data. It is
// "" for any other source.
func (s messagesSource) url() string {
	switch s.Type {
	case messages.SourceBase64:
		return "data:" + s.MediaType + ";base64," + s.Data
	case messages.SourceURL:
		return s.URL
	}
	return ""
}

// chatParts returns the parts that show a part of a turn, or nil if the model cannot be shown it.
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

// documentHead returns what stands before the text of a document: its title and its
// context.
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
