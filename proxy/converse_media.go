package proxy

import (
	"encoding/base64"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// image writes an image, of which the bytes alone can be passed on.
func (c *converter) image(at *spot, v jsontext.Value) {
	from := c.open(at, v, []string{"format", "source"})
	format := c.word(at.member("format"), from.Take("format"))
	if !slices.Contains([]string{"png", "jpeg", "gif", "webp"}, format) {
		c.fail(at.member("format"), "The format of an image is one of png, jpeg, gif and webp.")
	}
	_, bytes := c.source(at.member("source"), from.Take("source"), "bytes")
	c.write(`{"type":"image","source":{"type":"base64","media_type":"image/`)
	c.write(format)
	c.write(`",`)
	c.member("data", bytes)
	c.close('}')
	c.close('}')
	c.leave(at, &from)
}

// source returns the kind of a source, which has to be one of kinds, and what is
// there: a union.
func (c *converter) source(at *spot, v jsontext.Value, kinds ...string) (kind string, content jsontext.Value) {
	all := []string{"bytes", "text", "content"}
	from := c.open(at, v, all)
	kind = c.union(at, &from, all)
	if c.err == nil && !slices.Contains(kinds, kind) {
		c.fail(at.member(kind), "A source of this kind has no place here.")
	}
	if content = from.Take(kind); kind != "content" {
		content = c.text(at.member(kind), content)
	}
	return kind, content
}

// document writes a document. Of files, PDF is passed on, and text is unpacked.
func (c *converter) document(at *spot, v jsontext.Value) {
	from := c.open(at, v, []string{"format", "name", "source", "context", "citations"})
	format := c.word(at.member("format"), from.Take("format"))
	place := at.member("source")
	kind, content := c.source(place, from.Take("source"), "bytes", "text", "content")
	c.write(`{"type":"document","source":`)
	switch {
	case c.err != nil:
	case kind == "text":
		c.plainText(content)
	case kind == "content":
		c.write(`{"type":"content","content":`)
		c.content(place.member("content"), content, inSource, innerList)
		c.write("}")
	case format == "pdf":
		c.write(`{"type":"base64","media_type":"application/pdf",`)
		c.member("data", content)
		c.close('}')
	case slices.Contains([]string{"txt", "md", "csv", "html"}, format):
		c.plainText(c.unpack(place.member("bytes"), content))
	default:
		c.fail(at.member("format"), "Documents are read here as pdf, txt, md, csv and html. Send the text of others.")
	}
	c.write(",")
	c.member("title", from.Take("name"))
	c.member("context", from.Take("context"))
	c.member("citations", from.Take("citations"))
	c.close('}')
	c.leave(at, &from)
}

// plainText writes the source of a document that is text.
func (c *converter) plainText(text jsontext.Value) {
	c.write(`{"type":"text","media_type":"text/plain",`)
	c.member("data", text)
	c.close('}')
}

// unpack returns the text of a file, as a JSON string.
func (c *converter) unpack(at *spot, bytes jsontext.Value) jsontext.Value {
	packed, _ := jsontext.AppendUnquote(nil, bytes) // it was checked before
	data, err := base64.StdEncoding.AppendDecode(nil, packed)
	if err != nil || !utf8.Valid(data) {
		c.fail(at, "These should be the bytes of a text in UTF-8, in base64.")
		return nil
	}
	text, _ := jsontext.AppendQuote(packed[:0], data)
	return text
}
