package convert

import (
	"encoding/base64"
	"slices"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// image writes an image. Only its bytes are supported, not an S3 location.
func (c *converseConverter) image(at *memberPath, v jsontext.Value) {
	from := c.object(at, v, []string{"format", "source"})
	format := c.stringValue(at.member("format"), from.Take("format"))
	if !slices.Contains([]string{"png", "jpeg", "gif", "webp"}, format) {
		c.fail(at.member("format"), "The format of an image is one of png, jpeg, gif and webp.")
	}
	_, bytes := c.source(at.member("source"), from.Take("source"), "bytes")
	c.write(`{"type":"image","source":{"type":"base64","media_type":"image/`)
	c.write(format)
	c.write(`",`)
	c.writeMember("data", bytes)
	c.close('}')
	c.close('}')
	c.dropRest(at, &from)
}

// source returns the kind of a source, which is a union, and its content. A kind that is not in kinds is an error.
func (c *converseConverter) source(at *memberPath, v jsontext.Value, kinds ...string) (kind string, content jsontext.Value) {
	all := []string{"bytes", "text", "content"}
	from := c.object(at, v, all)
	kind = c.union(at, &from, all)
	if c.err == nil && !slices.Contains(kinds, kind) {
		c.failBy(messages.FaultUnsupported, at.member(kind), "This kind of source is not supported here.")
	}
	if content = from.Take(kind); kind != "content" {
		content = c.rawString(at.member(kind), content)
	}
	return kind, content
}

// plainText writes the source of a text document. text is a JSON string.
func (c *converseConverter) plainText(text jsontext.Value) {
	c.write(`{"type":"text","media_type":"text/plain",`)
	c.writeMember("data", text)
	c.close('}')
}

// decodeText returns the text of a base64 file as a JSON string.
func (c *converseConverter) decodeText(at *memberPath, bytes jsontext.Value) jsontext.Value {
	packed, _ := jsontext.AppendUnquote(nil, bytes) // bytes is a JSON string that has been checked
	data, err := base64.StdEncoding.AppendDecode(nil, packed)
	if err != nil || !utf8.Valid(data) {
		c.fail(at, "These should be the bytes of a text in UTF-8, in base64.")
		return nil
	}
	text, _ := jsontext.AppendQuote(packed[:0], data)
	return text
}
