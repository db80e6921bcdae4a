package upstream

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
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
func converseTurns(can Features, turns []translate.Turn) ([]converseTurn, error) {
	names := documentNames{}
	list := make([]converseTurn, 0, len(turns))
	for i, turn := range turns {
		if isBlankTurn(turn) {
			if turn.Role == messages.RoleAssistant && i == len(turns)-1 {
				break // a blank prefill
			}
			return nil, invalidRequest.error(fmt.Sprintf("messages: turn %d (%s) is blank, which this model does not take", i+1, turn.Role))
		}
		content, err := converseContent(can, turn, i, names)
		if err != nil {
			return nil, err
		}
		list = append(list, converseTurn{turn.Role, content})
	}
	return list, nil
}

// isBlankTurn reports whether a turn has nothing but blank text.
func isBlankTurn(turn translate.Turn) bool {
	return !slices.ContainsFunc(turn.Parts, func(part translate.Part) bool { return part.Type != translate.PartText || !isBlank(part.Text) })
}

// converseContent returns the blocks of a turn. What the client said of a document that
// its block has no member for stands in a text before it. There is such a text as well
// where the turn has no other: Converse wants one beside a document
// (docs/reference/bedrock.md §5).
func converseContent(can Features, turn translate.Turn, i int, names documentNames) (blocks []converseBlock, err error) {
	spoken := slices.ContainsFunc(turn.Parts, func(part translate.Part) bool { return part.Type == translate.PartText && !isBlank(part.Text) })
	for _, part := range turn.Parts {
		if part.Type == translate.PartText {
			if !isBlank(part.Text) {
				blocks = append(blocks, converseBlock{Text: part.Text})
			}
			continue
		}
		media, err := newConverseMedia(can, part, placeOf(part, i, turn.Role))
		if err != nil {
			return nil, err
		}
		if part.Type == translate.PartImage {
			blocks = append(blocks, converseBlock{Image: media})
			continue
		}
		media.Name = names.unique(part.Title)
		labels := cmp.Or(part.Labels, translate.EnglishLabels)
		if said := aboutDocument(labels, media.Name, part); said != "" || !spoken {
			blocks = append(blocks, converseBlock{Text: "<document>\n" + labels.Name + media.Name + "\n" + said + "</document>"})
			spoken = true
		}
		blocks = append(blocks, converseBlock{Document: media})
	}
	return blocks, nil
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

// converseMedia is an image, or a document with its name.
type converseMedia struct {
	Name   string         `json:"name,omitzero"`
	Format string         `json:"format"`
	Source converseSource `json:"source"`
}

// converseSource is what an image or a document holds: a union, of which one member is set.
type converseSource struct {
	Bytes string `json:"bytes,omitzero"` // in base64
	Text  string `json:"text,omitzero"`
}

// newConverseMedia returns an image or a document, which has no name yet. place says in an error which one it is.
func newConverseMedia(can Features, part translate.Part, place string) (*converseMedia, error) {
	needs := Images
	if part.Type == translate.PartDocument {
		needs = Documents
	}
	if !can.Has(needs) {
		return nil, invalidRequest.error("messages: this model cannot be shown the " + place)
	}
	var from messagesSource
	if err := json.Unmarshal(part.Source, &from, lenient); err != nil {
		return nil, invalidRequest.error("messages: the source cannot be read of the " + place)
	}
	format, known := converseFormats[part.Type][from.MediaType]
	asText := from.Type == messages.SourceText && part.Type == translate.PartDocument
	switch {
	case from.Type != messages.SourceBase64 && !asText:
		return nil, invalidRequest.error(fmt.Sprintf("messages: this model takes base64 data alone, and not the source %q of the %s", from.Type, place))
	case !known:
		return nil, invalidRequest.error(fmt.Sprintf("messages: this model does not take the media type %q of the %s", from.MediaType, place))
	case asText:
		return &converseMedia{Format: format, Source: converseSource{Text: from.Data}}, nil
	}
	return &converseMedia{Format: format, Source: converseSource{Bytes: from.Data}}, nil
}
