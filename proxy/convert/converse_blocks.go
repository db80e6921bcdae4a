package convert

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// converseConverter is the converter of Converse.
type converseConverter struct {
	converter
	gaps       gaps
	origins    origins
	blockCount int            // the number of content blocks so far
	quote      jsontext.Value // the memory of method quoted
}

// blockKinds are the kinds of content block. A block is a union: the field that is set tells its kind.
var blockKinds = []string{"text", "image", "document", "toolUse", "toolResult", "reasoningContent", "guardContent", "json", "cachePoint"}

// The kinds of block that each place may have. The rules of the Messages API decide later which kinds a role may use,
// when the body is decoded.
var (
	inMessage = []string{"text", "image", "document", "toolUse", "toolResult", "reasoningContent", "guardContent", "cachePoint"}
	inSystem  = []string{"text", "guardContent", "cachePoint"}
	inResult  = []string{"text", "json", "image", "document"}
	inSource  = []string{"text"}
)

// content writes the blocks of a list. list is the list's number: see gap. A cache point is a block of its own in
// Converse, and a field of the preceding block in the Messages API.
func (c *converseConverter) content(at *memberPath, blocks jsontext.Value, kinds []string, list int) {
	c.write("[")
	last, end := "", 0 // the kind of the preceding block, and the position of its closing brace
	inner := &memberPath{index: -1}
	for at, v := range c.items(at, blocks, messages.MaxBlocks) {
		if c.blockCount++; c.blockCount > messages.MaxBlocks {
			c.failBy(messages.FaultLimit, at, fmt.Sprintf("There should be at most %d content blocks in all", messages.MaxBlocks))
		}
		b := c.object(at, v, blockKinds)
		kind := c.union(at, &b, blockKinds)
		if c.err == nil && !slices.Contains(kinds, kind) {
			c.failBy(messages.FaultConversation, at.member(kind), "This kind of block is not supported here.")
		}
		switch v := b.Take(kind); {
		case c.err != nil:
		case kind != "cachePoint":
			*inner = memberPath{at, kind, -1}
			c.block(inner, kind, v)
			last, end = kind, len(c.out)-1
			c.write(",")
		case last == "" || last == "reasoningContent": // the API accepts no cache_control on thinking
			c.gaps.add(list, at.index)
			c.drop(at.member(kind))
			c.discard(func() { c.cacheControl(at, v) })
		default:
			c.gaps.add(list, at.index)
			c.reopen(end)
			c.cacheControl(at, v)
			c.write("},")
		}
	}
	c.close(']')
}

// discard calls f only for the errors and dropped fields that it finds, and discards what f writes.
func (c *converseConverter) discard(f func()) {
	n := len(c.out)
	f()
	c.out = c.out[:n]
}

// block writes a block. at is the path of the field that is set.
func (c *converseConverter) block(at *memberPath, kind string, v jsontext.Value) {
	switch kind {
	case "text":
		c.textBlock(at, v)
	case "json":
		c.textBlock(at, c.quoted(v))
	case "image":
		c.image(at, v)
	case "document":
		c.document(at, v)
	case "toolUse":
		c.toolUse(at, v)
	case "toolResult":
		c.toolResult(at, v)
	case "reasoningContent":
		c.reasoning(at, v)
	case "guardContent":
		c.guardContent(at, v)
	}
}

// textBlock writes a text, which must not be empty.
func (c *converseConverter) textBlock(at *memberPath, v jsontext.Value) {
	if v = c.rawString(at, v); v == nil || string(v) == `""` {
		c.fail(at, "The text field is blank. Add text to the text field, and try again.")
	}
	c.write(`{"type":"text",`)
	c.writeMember("text", v)
	c.close('}')
}

// quoted returns JSON, without white space, as a JSON string. The result is valid until the next call.
func (c *converseConverter) quoted(v jsontext.Value) jsontext.Value {
	c.quote, _ = jsontext.AppendQuote(c.quote[:0], rawjson.Compact(v))
	return c.quote
}

// toolUse writes a tool call.
func (c *converseConverter) toolUse(at *memberPath, v jsontext.Value) {
	from := c.object(at, v, []string{"toolUseId", "name", "input", "type"})
	if c.stringValue(at.member("type"), from.Take("type")) != "" {
		c.failBy(messages.FaultUnsupported, at.member("type"), "Tools that the service runs are not supported here.")
	}
	c.write(`{"type":"tool_use",`)
	c.writeMember("id", from.Take("toolUseId"))
	c.writeMember("name", from.Take("name"))
	c.writeMember("input", from.Take("input"))
	c.close('}')
	c.dropRest(at, &from)
}

// toolResult writes the result of a tool call.
func (c *converseConverter) toolResult(at *memberPath, v jsontext.Value) {
	from := c.object(at, v, []string{"toolUseId", "content", "status"})
	status := c.stringValue(at.member("status"), from.Take("status"))
	if !slices.Contains([]string{"", "success", "error"}, status) {
		c.fail(at.member("status"), "The status is success or error.")
	}
	c.write(`{"type":"tool_result",`)
	c.writeMember("tool_use_id", from.Take("toolUseId"))
	if content := nonNull(from.Take("content")); content != nil {
		c.write(`"content":`)
		c.content(at.member("content"), content, inResult, innerList)
		c.write(",")
	}
	if status == "error" {
		c.write(`"is_error":true`)
	}
	c.close('}')
	c.dropRest(at, &from)
}

// document writes a document: its text, its content blocks, or a file. A PDF is passed on unchanged, and a text file is
// decoded.
func (c *converseConverter) document(at *memberPath, v jsontext.Value) {
	from := c.object(at, v, []string{"format", "name", "source", "context", "citations"})
	format := c.stringValue(at.member("format"), from.Take("format"))
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
		c.writeMember("data", content)
		c.close('}')
	case slices.Contains([]string{"txt", "md", "csv", "html"}, format):
		c.plainText(c.decodeText(place.member("bytes"), content))
	default:
		c.failBy(messages.FaultUnsupported, at.member("format"), "Only pdf, txt, md, csv and html documents are supported here. Send other documents as text.")
	}
	c.write(",")
	c.writeMember("title", from.Take("name"))
	c.writeMember("context", from.Take("context"))
	c.writeMember("citations", from.Take("citations"))
	c.close('}')
	c.dropRest(at, &from)
}

// reasoning writes the model's thinking: its text, or a redacted block.
func (c *converseConverter) reasoning(at *memberPath, v jsontext.Value) {
	from := c.object(at, v, reasoningKinds)
	if c.union(at, &from, reasoningKinds) == "redactedContent" {
		c.write(`{"type":"redacted_thinking",`)
		c.writeMember("data", c.rawString(at.member("redactedContent"), from.Take("redactedContent")))
		c.close('}')
		return
	}
	at = at.member("reasoningText")
	text := c.object(at, from.Take("reasoningText"), []string{"text", "signature"})
	c.write(`{"type":"thinking",`)
	c.writeMember("thinking", c.rawString(at.member("text"), text.Take("text")))
	if signature := c.rawString(at.member("signature"), text.Take("signature")); signature != nil {
		c.writeMember("signature", signature)
	} else {
		c.write(`"signature":""`)
	}
	c.close('}')
	c.dropRest(at, &text)
}

var reasoningKinds = []string{"reasoningText", "redactedContent"}

// guardContent writes a block that the client marked for the guardrail as an ordinary block. It drops qualifiers other
// than the default. If the request has a guardrail, they are an error, because the guardrail would not get them.
func (c *converseConverter) guardContent(at *memberPath, v jsontext.Value) {
	kinds := []string{"text", "image"}
	from := c.object(at, v, kinds)
	if c.union(at, &from, kinds) == "image" {
		c.image(at.member("image"), from.Take("image"))
		return
	}
	at = at.member("text")
	text := c.object(at, from.Take("text"), []string{"text", "qualifiers"})
	c.textBlock(at.member("text"), text.Take("text"))
	for q, v := range c.items(at.member("qualifiers"), text.Take("qualifiers"), messages.MaxStopSequences) {
		if c.stringValue(q, v) != "guard_content" { // the default
			c.drop(at.member("qualifiers"))
		}
	}
	c.dropRest(at, &text)
}

// cacheControl writes a cache point as a field of the preceding block.
func (c *converseConverter) cacheControl(at *memberPath, v jsontext.Value) {
	at = at.member("cachePoint")
	p := c.object(at, v, []string{"type", "ttl"})
	if c.stringValue(at.member("type"), p.Take("type")) != "default" {
		c.fail(at.member("type"), "A cache point is of the type 'default'.")
	}
	c.write(`"cache_control":{"type":"ephemeral",`)
	c.writeMember("ttl", p.Take("ttl"))
	c.close('}')
	c.dropRest(at, &p)
}
