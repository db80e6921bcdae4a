package upstream

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// converseFormats are the formats of images and documents by the media types of the
// Messages API.
var converseFormats = map[string]map[string]string{
	translate.PartImage:    {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"},
	translate.PartDocument: {"application/pdf": "pdf", "text/plain": "txt"},
}

// converseTurns writes the turns of a prompt as messages. Converse refuses blank text,
// so it is left out, and so is a prefill that is blank: it says nothing. Any other turn
// that is blank is an [*Error].
func (b *body) converseTurns(can Features, turns []translate.Turn) error {
	names := documentNames{}
	b.open("messages", '[')
	for i, turn := range turns {
		if isBlankTurn(turn) {
			if turn.Role == messages.RoleAssistant && i == len(turns)-1 {
				break // a blank prefill
			}
			return invalidRequest.error(fmt.Sprintf("messages: turn %d (%s) is blank, which this model does not take", i+1, turn.Role))
		}
		b.open("", '{')
		b.text("role", turn.Role)
		if err := b.converseContent(can, turn, i, names); err != nil {
			return err
		}
		b.close('}')
	}
	b.close(']')
	return nil
}

// isBlankTurn reports whether a turn has nothing but blank text.
func isBlankTurn(turn translate.Turn) bool {
	return !slices.ContainsFunc(turn.Parts, func(part translate.Part) bool { return part.Type != translate.PartText || !part.Text.IsBlank() })
}

// converseContent writes the blocks of a turn. What the client said of a document that
// its block has no member for stands in a text before it. There is such a text as well
// where the turn has no other: Converse wants one beside a document
// (docs/reference/bedrock.md §5).
func (b *body) converseContent(can Features, turn translate.Turn, i int, names documentNames) error {
	spoken := slices.ContainsFunc(turn.Parts, func(part translate.Part) bool { return part.Type == translate.PartText && !part.Text.IsBlank() })
	b.open("content", '[')
	for _, part := range turn.Parts {
		if part.Type == translate.PartText {
			if !part.Text.IsBlank() {
				b.converseText(part.Text)
			}
			continue
		}
		media, err := converseMedia(can, part, placeOf(part, i, turn.Role))
		if err != nil {
			return err
		}
		if part.Type == translate.PartImage {
			b.converseMedia("image", "", media)
			continue
		}
		name := names.unique(part.Title)
		labels := cmp.Or(part.Labels, translate.EnglishLabels)
		if said := aboutDocument(labels, name, part); said != "" || !spoken {
			b.converseText(rawjson.Plain("<document>\n" + labels.Name + name + "\n" + said + "</document>"))
			spoken = true
		}
		b.converseMedia("document", name, media)
	}
	b.close(']')
	return nil
}

// converseText writes a block of text.
func (b *body) converseText(text rawjson.Text) {
	b.open("", '{')
	b.joined("text", text)
	b.close('}')
}

// converseMedia writes a block of an image, or of a document with its name.
func (b *body) converseMedia(block, name string, m media) {
	b.open("", '{')
	b.open(block, '{')
	b.textUnlessEmpty("name", name)
	b.text("format", m.format)
	b.open("source", '{')
	b.textUnlessEmpty("bytes", m.bytes)
	b.textUnlessEmpty("text", m.text)
	b.close('}')
	b.close('}')
	b.close('}')
}

// aboutDocument returns what the client said of a document that its block has no member
// for.
func aboutDocument(labels *translate.Labels, name string, part translate.Part) string {
	said := ""
	if part.Title != "" && part.Title != name {
		said = labels.Title + part.Title + "\n"
	}
	if part.Context != "" {
		said += labels.Context + part.Context + "\n"
	}
	return said
}

// media is an image or a document as Converse takes it: its format, and its source, which is one of
// the others.
type media struct{ format, bytes, text string }

// converseMedia returns what an image or document is. place says in an error which one it is.
func converseMedia(can Features, part translate.Part, place string) (m media, err error) {
	needs := Images
	if part.Type == translate.PartDocument {
		needs = Documents
	}
	if !can.Has(needs) {
		return m, invalidRequest.error("messages: this model cannot be shown the " + place)
	}
	var from struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	}
	if err := json.Unmarshal(part.Source, &from, lenient); err != nil {
		return m, invalidRequest.error("messages: the source cannot be read of the " + place)
	}
	format, known := converseFormats[part.Type][from.MediaType]
	asText := from.Type == "text" && part.Type == translate.PartDocument
	switch {
	case from.Type != "base64" && !asText:
		return m, invalidRequest.error(fmt.Sprintf("messages: this model takes base64 data alone, and not the source %q of the %s", from.Type, place))
	case !known:
		return m, invalidRequest.error(fmt.Sprintf("messages: this model does not take the media type %q of the %s", from.MediaType, place))
	case asText:
		return media{format: format, text: from.Data}, nil
	}
	return media{format: format, bytes: from.Data}, nil
}
