package upstream

import (
	"cmp"
	"slices"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// chatContent writes the content of a turn: a string if it is text alone, since many chat templates
// take nothing but strings, else a list of parts. index is that of the turn, for the error.
//
// An image is an image_url part. A document is a file part, which OpenAI and OpenRouter
// know, after its title and context. What the model cannot be shown is an [*Error], and
// so is a file in the store of the Messages API, which no other server can read.
func (b *body) chatContent(can Features, turn translate.Turn, index int) error {
	if !slices.ContainsFunc(turn.Parts, func(part translate.Part) bool { return part.Type != translate.PartText }) {
		b.joined("content", joinedLines(turn.Parts)...)
		return nil
	}
	b.open("content", '[')
	for _, part := range turn.Parts {
		if !b.chatPart(can, part) {
			return invalidRequest.error("messages: this model cannot be shown the " + placeOf(part, index, turn.Role))
		}
	}
	b.close(']')
	return nil
}

// joinedLines returns the texts of the text that parts are together: a newline stands between two
// unless one of them has a newline there.
func joinedLines(parts []translate.Part) []rawjson.Text {
	pieces := make([]rawjson.Text, 0, 2*len(parts))
	for i, part := range parts {
		if i > 0 && !parts[i-1].Text.EndsWith('\n') && !part.Text.BeginsWith('\n') {
			pieces = append(pieces, rawjson.Plain("\n"))
		}
		pieces = append(pieces, part.Text)
	}
	return pieces
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

// chatPart writes the parts that show a part of a turn. It is false if the model
// cannot be shown it.
func (b *body) chatPart(can Features, part translate.Part) bool {
	if part.Type == translate.PartText {
		b.chatText(part.Text)
		return true
	}
	var source messagesSource
	if json.Unmarshal(part.Source, &source, lenient) != nil || source.url() == "" {
		return false
	}
	if part.Type == translate.PartImage {
		b.open("", '{')
		b.text("type", "image_url")
		b.open("image_url", '{')
		b.text("url", source.url())
		b.close('}')
		b.close('}')
		return can.Has(Images)
	}
	if part.Context != "" {
		b.chatText(rawjson.Plain(documentHead(part)))
	}
	b.open("", '{')
	b.text("type", "file")
	b.open("file", '{')
	b.text("filename", cmp.Or(part.Title, "document.pdf"))
	b.text("file_data", source.url())
	b.close('}')
	b.close('}')
	return can.Has(Documents)
}

// chatText writes a part that is text.
func (b *body) chatText(text rawjson.Text) {
	b.open("", '{')
	b.text("type", translate.PartText)
	b.joinedUnlessEmpty("text", text)
	b.close('}')
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
