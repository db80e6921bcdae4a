package upstream

import (
	"cmp"
	"fmt"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream/converse"
)

// converseFormats are the formats of images and documents by the media types of the
// Messages API.
var converseFormats = map[string]map[string]string{
	translate.PartImage:    {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"},
	translate.PartDocument: {"application/pdf": "pdf", "text/plain": "txt"},
}

// converseTurns returns the turns of a prompt as messages. Converse refuses blank text,
// so it is left out, and so is a prefill that is blank: it says nothing. Any other turn
// that is blank is an [*Error].
func converseTurns(can Features, turns []translate.Turn) ([]converse.Message, error) {
	names := documentNames{}
	var list []converse.Message
	for i, turn := range turns {
		content, err := converseBlocks(can, turn, i, names)
		if err != nil {
			return nil, err
		}
		if len(content) == 0 {
			if turn.Role == messages.RoleAssistant && i == len(turns)-1 {
				break // a blank prefill
			}
			return nil, invalidRequest.error(fmt.Sprintf("messages: turn %d (%s) is blank, which this model does not take", i+1, turn.Role))
		}
		list = append(list, converse.Message{Role: turn.Role, Content: content})
	}
	return list, nil
}

// converseBlocks returns the blocks of a turn. What the client said of a document that
// its block has no member for stands in a text before it. There is such a text as well
// where the turn has no other: Converse wants one beside a document
// (docs/reference/bedrock.md §5).
func converseBlocks(can Features, turn translate.Turn, i int, names documentNames) ([]converse.Block, error) {
	spoken := false // there is text in the turn
	for _, part := range turn.Parts {
		spoken = spoken || part.Type == translate.PartText && !isBlank(part.Text)
	}
	var content []converse.Block
	for _, part := range turn.Parts {
		if part.Type == translate.PartText {
			if !isBlank(part.Text) {
				content = append(content, converse.TextBlock(part.Text))
			}
			continue
		}
		format, source, err := converseMedia(can, part, placeOf(part, i, turn.Role))
		if err != nil {
			return nil, err
		}
		if part.Type == translate.PartImage {
			content = append(content, converse.Block{Image: &converse.Image{Format: format, Source: source}})
			continue
		}
		name := names.unique(part.Title)
		labels := cmp.Or(part.Labels, translate.EnglishLabels)
		if said := aboutDocument(labels, name, part); said != "" || !spoken {
			content = append(content, converse.TextBlock("<document>\n"+labels.Name+name+"\n"+said+"</document>"))
			spoken = true
		}
		content = append(content, converse.Block{Document: &converse.Document{Name: name, Format: format, Source: source}})
	}
	return content, nil
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

// converseMedia returns the format and the source of an image or document. place says in
// an error which one it is.
func converseMedia(can Features, part translate.Part, place string) (format string, source converse.Source, err error) {
	needs := Images
	if part.Type == translate.PartDocument {
		needs = Documents
	}
	if !can.Has(needs) {
		return "", source, invalidRequest.error("messages: this model cannot be shown the " + place)
	}
	var from struct {
		Type      string `json:"type"`
		MediaType string `json:"media_type"`
		Data      string `json:"data"`
	}
	if err := json.Unmarshal(part.Source, &from, lenient); err != nil {
		return "", source, invalidRequest.error("messages: the source cannot be read of the " + place)
	}
	format, known := converseFormats[part.Type][from.MediaType]
	asText := from.Type == "text" && part.Type == translate.PartDocument
	switch {
	case from.Type != "base64" && !asText:
		return "", source, invalidRequest.error(fmt.Sprintf("messages: this model takes base64 data alone, and not the source %q of the %s", from.Type, place))
	case !known:
		return "", source, invalidRequest.error(fmt.Sprintf("messages: this model does not take the media type %q of the %s", from.MediaType, place))
	case asText:
		return format, converse.Source{Text: from.Data}, nil
	}
	return format, converse.Source{Bytes: from.Data}, nil
}
