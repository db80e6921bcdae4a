package proxy

import (
	"encoding/base64"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

type converseImage struct {
	Format string         `json:"format"`
	Source converseSource `json:"source"`
	Rest   others         `json:",embed"`
}

type converseDocument struct {
	Format    string         `json:"format"`
	Name      jsontext.Value `json:"name"`
	Source    converseSource `json:"source"`
	Context   jsontext.Value `json:"context"`
	Citations jsontext.Value `json:"citations"`
	Rest      others         `json:",embed"`
}

// converseSource is a union.
type converseSource struct {
	Bytes   *string         `json:"bytes"` // base64
	Text    *string         `json:"text"`
	Content []converseBlock `json:"content"`
	Rest    others          `json:",embed"`
}

type messagesSource struct {
	Type      string          `json:"type"`
	MediaType string          `json:"media_type,omitzero"`
	Data      *string         `json:"data,omitzero"`
	Content   []messagesBlock `json:"content,omitzero"`
}

func (c *converter) image(at string, from *converseImage) messagesBlock {
	c.leave(at, from.Rest)
	if !slices.Contains([]string{"png", "jpeg", "gif", "webp"}, from.Format) {
		c.fail(at+".format", "The format of an image is one of png, jpeg, gif and webp.")
	}
	c.source(at+".source", &from.Source, "bytes")
	return messagesBlock{Type: translate.BlockImage, Source: &messagesSource{
		Type: translate.SourceBase64, MediaType: "image/" + from.Format, Data: from.Source.Bytes,
	}}
}

// source checks that a source is of one of the kinds.
func (c *converter) source(at string, from *converseSource, kinds ...string) {
	c.union(at, from.Rest, from.Bytes != nil, from.Text != nil, from.Content != nil)
	for kind, set := range map[string]bool{"text": from.Text != nil, "content": from.Content != nil} {
		if set && !slices.Contains(kinds, kind) {
			c.fail(at+"."+kind, "A source of this kind has no place here.")
		}
	}
}

// document writes a document. Of files, PDF is passed on, and text is unpacked.
func (c *converter) document(at string, from *converseDocument) messagesBlock {
	c.leave(at, from.Rest)
	b := messagesBlock{
		Type: translate.BlockDocument, Title: value(from.Name), Context: value(from.Context), Citations: value(from.Citations),
	}
	place := at + ".source"
	c.source(place, &from.Source, "bytes", "text", "content")
	switch {
	case from.Source.Text != nil:
		b.Source = plainText(from.Source.Text)
	case from.Source.Content != nil:
		b.Source = &messagesSource{Type: translate.SourceContent, Content: c.blocks(place+".content", from.Source.Content, inSource)}
	case from.Format == "pdf":
		b.Source = &messagesSource{Type: translate.SourceBase64, MediaType: "application/pdf", Data: from.Source.Bytes}
	case slices.Contains([]string{"txt", "md", "csv", "html"}, from.Format):
		b.Source = plainText(c.unpack(place+".bytes", from.Source.Bytes))
	default:
		c.fail(at+".format", "Documents are read here as pdf, txt, md, csv and html. Send the text of others.")
	}
	return b
}

func plainText(text *string) *messagesSource {
	return &messagesSource{Type: translate.SourceText, MediaType: "text/plain", Data: text}
}

// unpack returns the text of a file.
func (c *converter) unpack(at string, bytes *string) *string {
	if bytes == nil {
		return nil
	}
	data, err := base64.StdEncoding.DecodeString(*bytes)
	if err != nil || !utf8.Valid(data) {
		c.fail(at, "These should be the bytes of a text in UTF-8, in base64.")
	}
	text := string(data)
	return &text
}
