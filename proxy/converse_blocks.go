package proxy

import (
	"fmt"
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// blockKinds are the members of a content block: a union, whose one member that is
// set names it.
var blockKinds = []string{"text", "image", "document", "toolUse", "toolResult", "reasoningContent", "guardContent", "json", "cachePoint"}

// The kinds of block that stand in each place. Which of them a role may use is said
// by the rules of the Messages API.
var (
	inMessage = []string{"text", "image", "document", "toolUse", "toolResult", "reasoningContent", "guardContent", "cachePoint"}
	inSystem  = []string{"text", "guardContent", "cachePoint"}
	inResult  = []string{"text", "json", "image", "document"}
	inSource  = []string{"text"}
)

// content writes blocks. A cache point is a mark on the block before it.
func (c *converter) content(at *spot, blocks jsontext.Value, kinds []string, list int) {
	c.write("[")
	last, end := "", 0 // of the block before: its kind, and where it is closed
	inner := &spot{index: -1}
	for at, v := range c.items(at, blocks, messages.MaxBlocks) {
		if c.blocks++; c.blocks > messages.MaxBlocks {
			c.fail(at, fmt.Sprintf("There should be at most %d content blocks in all", messages.MaxBlocks))
		}
		b := c.open(at, v, blockKinds)
		kind := c.union(at, &b, blockKinds)
		if c.err == nil && !slices.Contains(kinds, kind) {
			c.fail(at.member(kind), "A block of this kind has no place here.")
		}
		switch v := b.Take(kind); {
		case c.err != nil:
		case kind != "cachePoint":
			*inner = spot{at, kind, -1}
			c.block(inner, kind, v)
			last, end = kind, len(c.out)-1
			c.write(",")
		case last == "" || last == "reasoningContent": // which may not be the end of what is cached
			c.skip(list, at.index)
			c.drop(at.member(kind))
			c.discard(func() { c.mark(at, v) })
		default:
			c.skip(list, at.index)
			c.reopen(end)
			c.mark(at, v)
			c.write("},")
		}
	}
	c.close(']')
}

// discard does without what f writes.
func (c *converter) discard(f func()) {
	n := len(c.out)
	f()
	c.out = c.out[:n]
}

// block writes a block of a kind, which is at at.
func (c *converter) block(at *spot, kind string, v jsontext.Value) {
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
		c.guarded(at, v)
	}
}

func (c *converter) textBlock(at *spot, v jsontext.Value) {
	if v = c.text(at, v); v == nil || string(v) == `""` {
		c.fail(at, "The text field is blank. Add text to the text field, and try again.")
	}
	c.write(`{"type":"text",`)
	c.member("text", v)
	c.close('}')
}

// quoted returns JSON as a JSON string, without white space. It is only there until
// the next one.
func (c *converter) quoted(v jsontext.Value) jsontext.Value {
	c.quote, _ = jsontext.AppendQuote(c.quote[:0], rawjson.Compact(v))
	return c.quote
}

func (c *converter) toolUse(at *spot, v jsontext.Value) {
	from := c.open(at, v, []string{"toolUseId", "name", "input", "type"})
	if c.word(at.member("type"), from.Take("type")) != "" {
		c.fail(at.member("type"), "Tools that the service runs cannot be expressed here.")
	}
	c.write(`{"type":"tool_use",`)
	c.member("id", from.Take("toolUseId"))
	c.member("name", from.Take("name"))
	c.member("input", from.Take("input"))
	c.close('}')
	c.leave(at, &from)
}

func (c *converter) toolResult(at *spot, v jsontext.Value) {
	from := c.open(at, v, []string{"toolUseId", "content", "status"})
	status := c.word(at.member("status"), from.Take("status"))
	if !slices.Contains([]string{"", "success", "error"}, status) {
		c.fail(at.member("status"), "The status is success or error.")
	}
	c.write(`{"type":"tool_result",`)
	c.member("tool_use_id", from.Take("toolUseId"))
	if content := given(from.Take("content")); content != nil {
		c.write(`"content":`)
		c.content(at.member("content"), content, inResult, innerList)
		c.write(",")
	}
	if status == "error" {
		c.write(`"is_error":true`)
	}
	c.close('}')
	c.leave(at, &from)
}

// reasoning writes what a model has thought: a union.
func (c *converter) reasoning(at *spot, v jsontext.Value) {
	from := c.open(at, v, reasoningKinds)
	if c.union(at, &from, reasoningKinds) == "redactedContent" {
		c.write(`{"type":"redacted_thinking",`)
		c.member("data", c.text(at.member("redactedContent"), from.Take("redactedContent")))
		c.close('}')
		return
	}
	at = at.member("reasoningText")
	text := c.open(at, from.Take("reasoningText"), []string{"text", "signature"})
	c.write(`{"type":"thinking",`)
	c.member("thinking", c.text(at.member("text"), text.Take("text")))
	if signature := c.text(at.member("signature"), text.Take("signature")); signature != nil {
		c.member("signature", signature)
	} else {
		c.write(`"signature":""`)
	}
	c.close('}')
	c.leave(at, &text)
}

var reasoningKinds = []string{"reasoningText", "redactedContent"}

// guarded writes what a guardrail would look at, which is content all the same: a
// union.
func (c *converter) guarded(at *spot, v jsontext.Value) {
	kinds := []string{"text", "image"}
	from := c.open(at, v, kinds)
	if c.union(at, &from, kinds) == "image" {
		c.image(at.member("image"), from.Take("image"))
		return
	}
	at = at.member("text")
	text := c.open(at, from.Take("text"), []string{"text", "qualifiers"})
	c.textBlock(at.member("text"), text.Take("text"))
	for q, v := range c.items(at.member("qualifiers"), text.Take("qualifiers"), messages.MaxStopSequences) {
		if c.word(q, v) != "guard_content" { // which is what it is without any
			c.drop(at.member("qualifiers"))
		}
	}
	c.leave(at, &text)
}
