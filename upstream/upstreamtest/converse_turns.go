package upstreamtest

import (
	"fmt"
	"strings"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// The limits for images, documents, and the name of a document in a request (docs/reference/bedrock.md §5).
const (
	maxImages    = 20
	maxDocuments = 5
	maxName      = 200
)

// mediaTypes are the media types of Converse's formats, by type of part.
var mediaTypes = map[string]map[string]string{
	translate.PartImage:    {"png": "image/png", "jpeg": "image/jpeg", "gif": "image/gif", "webp": "image/webp"},
	translate.PartDocument: {"pdf": "application/pdf", "txt": "text/plain", "md": "text/markdown", "html": "text/html", "csv": "text/csv"},
}

// turnReader reads the messages of one request, and counts what has a limit.
type turnReader struct {
	images, documents int             // so far
	names             map[string]bool // of the documents so far
}

// turns returns the turns of the conversation, or the problem for which Converse would reject them.
func (r *converseBody) turns() ([]translate.Turn, *malformed) {
	if len(r.Messages) == 0 || r.Messages[0].Role != messages.RoleUser {
		return nil, &malformed{text: "A conversation must start with a user message. Try again with a conversation that starts with a user message."}
	}
	c := turnReader{names: map[string]bool{}}
	var turns []translate.Turn
	for i, m := range r.Messages {
		if m.Role != [...]string{messages.RoleUser, messages.RoleAssistant}[i%2] {
			return nil, &malformed{text: "A conversation must alternate between user and assistant roles. Make sure the conversation alternates between user and assistant roles and try again."}
		}
		turn, problem := c.turn(i, m)
		if problem != nil {
			return nil, problem
		}
		turns = append(turns, turn)
	}
	last := turns[len(turns)-1]
	if text := last.Parts[len(last.Parts)-1].Text; last.Role == messages.RoleAssistant && strings.TrimRight(text, " \t\r\n") != text {
		return nil, &malformed{text: "The model returned the following errors: messages: final assistant content cannot end with trailing whitespace"}
	}
	return turns, nil
}

// turn reads the message with this index.
func (c *turnReader) turn(i int, m converseMessage) (translate.Turn, *malformed) {
	turn := translate.Turn{Role: m.Role}
	spoken, documents := false, c.documents // spoken: the turn has text; documents: the number before this turn
	for j, b := range m.Content {
		part, problem := c.part(b, fmt.Sprintf("messages.%d.content.%d", i, j), m.Role)
		if problem != nil {
			return turn, problem
		}
		spoken = spoken || part.Type == translate.PartText
		turn.Parts = append(turn.Parts, part)
	}
	switch {
	case len(turn.Parts) == 0:
		return turn, &malformed{text: fmt.Sprintf("The content field in the Message object at messages.%d is empty. Add a ContentBlock object to the content field and try again.", i)}
	case c.documents > documents && !spoken:
		return turn, &malformed{text: fmt.Sprintf("messages.%d: a document needs a text block beside it", i)}
	}
	return turn, nil
}

// part reads the block at a place, which errors name. It takes cache points only in the system prompt,
// because that is where the upstream writes them.
func (c *turnReader) part(b converseBlock, place, role string) (translate.Part, *malformed) {
	var part translate.Part
	typ, m := translate.PartImage, b.Image
	if b.Document != nil {
		typ, m = translate.PartDocument, b.Document
	}
	switch {
	case b.members() != 1 || b.Cache != nil:
		return part, &malformed{text: place + ": one of text, image and document is wanted"}
	case b.Text != nil && strings.TrimSpace(*b.Text) == "":
		return part, &malformed{text: "The text field in the ContentBlock object at " + place + " is blank. Add text to the text field, and try again."}
	case b.Text != nil:
		return translate.Part{Type: translate.PartText, Text: *b.Text}, nil
	case role != messages.RoleUser:
		return part, &malformed{text: place + ": only a user shows " + typ + "s"}
	case mediaTypes[typ][m.Format] == "":
		return part, &malformed{text: fmt.Sprintf("%s.%s.format: %q is no format", place, typ, m.Format)}
	case (m.Source.Bytes == nil) == (m.Source.Text == nil) || typ == translate.PartImage && m.Source.Text != nil:
		return part, &malformed{text: place + "." + typ + ".source: one source is wanted"}
	}
	if problem := c.count(typ, m, place); problem != nil {
		return part, problem
	}
	return m.part(typ, mediaTypes[typ][m.Format]), nil
}

// count counts an image or a document. It returns a problem if there are too many, or if the name of a
// document is invalid or already used.
func (c *turnReader) count(typ string, m *media, place string) *malformed {
	if typ == translate.PartImage {
		if c.images++; c.images > maxImages || m.Name+m.Context != "" {
			return &malformed{text: place + ".image: too many, or one with a name"}
		}
		return nil
	}
	c.documents++
	isRefused := func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune(" -()[]", r))
	}
	switch {
	case c.documents > maxDocuments:
		return &malformed{text: place + ".document: too many"}
	case m.Name == "" || len(m.Name) > maxName || strings.Contains(m.Name, "  ") || strings.ContainsFunc(m.Name, isRefused):
		return &malformed{text: place + ".document.name: The document file name can only contain alphanumeric characters, whitespace characters, hyphens, parentheses, and square brackets. The name can't contain more than one consecutive whitespace character."}
	case c.names[m.Name]:
		return &malformed{text: "The request contains duplicate document names. Choose unique document names and try again."}
	}
	c.names[m.Name] = true
	return nil
}
