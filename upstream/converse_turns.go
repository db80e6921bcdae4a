package upstream

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// converseFormats maps the media types of the Messages API to Converse's formats of images and documents.
var converseFormats = map[string]map[string]string{
	translate.PartImage:    {"image/png": "png", "image/jpeg": "jpeg", "image/gif": "gif", "image/webp": "webp"},
	translate.PartDocument: {"application/pdf": "pdf", "text/plain": "txt"},
}

// converseTurns returns the turns of a prompt as messages. Converse rejects blank text, so it is left out. A
// blank prefill is left out too, because it has no effect. Any other blank turn is an [*Error].
func converseTurns(can Features, turns []translate.Turn) ([]converseTurn, error) {
	names := documentNames{}
	list := make([]converseTurn, 0, len(turns))
	for i, turn := range turns {
		if isBlankTurn(turn) {
			if turn.Role == messages.RoleAssistant && i == len(turns)-1 {
				break // a blank prefill
			}
			return nil, invalidRequest.error(fmt.Sprintf("messages: turn %d (%s) is blank, and this model rejects blank text. Add text to the turn", i+1, turn.Role))
		}
		content, err := converseContent(can, turn, i, names)
		if err != nil {
			return nil, err
		}
		list = append(list, converseTurn{turn.Role, content})
	}
	return list, nil
}

// isBlankTurn reports whether a turn has only blank text.
func isBlankTurn(turn translate.Turn) bool {
	return !slices.ContainsFunc(turn.Parts, func(part translate.Part) bool { return part.Type != translate.PartText || !isBlank(part.Text) })
}

// converseContent returns the blocks of a turn. A document's title and context have no member in its block,
// so a text before the block holds them. If the turn has no other text, this text is always added: Converse
// wants a text beside a document (docs/reference/bedrock.md §5).
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

// aboutDocument returns the title and the context of a document, which have no member in its block.
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

// converseSource is the data of an image or a document. Exactly one member is set.
type converseSource struct {
	Bytes string `json:"bytes,omitzero"` // in base64
	Text  string `json:"text,omitzero"`
}

// newConverseMedia returns an image or a document, without a name. place describes it in errors.
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
		return nil, invalidRequest.error("messages: Dragoman cannot read the source of the " + place)
	}
	format, known := converseFormats[part.Type][from.MediaType]
	asText := from.Type == messages.SourceText && part.Type == translate.PartDocument
	switch {
	case from.Type != messages.SourceBase64 && !asText:
		return nil, invalidRequest.error(fmt.Sprintf("messages: this model takes only base64 data, not the source %q of the %s", from.Type, place))
	case !known:
		return nil, invalidRequest.error(fmt.Sprintf("messages: this model does not take the media type %q of the %s", from.MediaType, place))
	case asText:
		return &converseMedia{Format: format, Source: converseSource{Text: from.Data}}, nil
	}
	return &converseMedia{Format: format, Source: converseSource{Bytes: from.Data}}, nil
}
