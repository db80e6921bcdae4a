package proxy

import (
	"slices"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// converseBlock is a content block of any kind: a union, whose one member that is
// set names it.
type converseBlock struct {
	Text       *string             `json:"text"`
	Image      *converseImage      `json:"image"`
	Document   *converseDocument   `json:"document"`
	ToolUse    *converseToolUse    `json:"toolUse"`
	ToolResult *converseToolResult `json:"toolResult"`
	Reasoning  *converseReasoning  `json:"reasoningContent"`
	Guard      *converseGuard      `json:"guardContent"`
	JSON       jsontext.Value      `json:"json"`
	CachePoint *cachePoint         `json:"cachePoint"`
	Rest       others              `json:",embed"`
}

type converseToolUse struct {
	ID    jsontext.Value `json:"toolUseId"`
	Name  jsontext.Value `json:"name"`
	Input jsontext.Value `json:"input"`
	Type  string         `json:"type"`
	Rest  others         `json:",embed"`
}

type converseToolResult struct {
	ID      jsontext.Value  `json:"toolUseId"`
	Content []converseBlock `json:"content"`
	Status  string          `json:"status"`
	Rest    others          `json:",embed"`
}

// converseReasoning is a union.
type converseReasoning struct {
	Text *struct {
		Text      *string `json:"text"`
		Signature string  `json:"signature"`
		Rest      others  `json:",embed"`
	} `json:"reasoningText"`
	Redacted *string `json:"redactedContent"`
	Rest     others  `json:",embed"`
}

// converseGuard is a union.
type converseGuard struct {
	Text *struct {
		Text string `json:"text"`
		Rest others `json:",embed"`
	} `json:"text"`
	Image *converseImage `json:"image"`
	Rest  others         `json:",embed"`
}

// messagesBlock is a content block as it is written.
type messagesBlock struct {
	Type         string          `json:"type"`
	Text         string          `json:"text,omitzero"`
	Source       *messagesSource `json:"source,omitzero"`
	Title        jsontext.Value  `json:"title,omitzero"`
	Context      jsontext.Value  `json:"context,omitzero"`
	Citations    jsontext.Value  `json:"citations,omitzero"`
	ID           jsontext.Value  `json:"id,omitzero"`
	Name         jsontext.Value  `json:"name,omitzero"`
	Input        jsontext.Value  `json:"input,omitzero"`
	ToolUseID    jsontext.Value  `json:"tool_use_id,omitzero"`
	Content      []messagesBlock `json:"content,omitzero"`
	IsError      bool            `json:"is_error,omitzero"`
	Thinking     *string         `json:"thinking,omitzero"`
	Signature    *string         `json:"signature,omitzero"`
	Data         *string         `json:"data,omitzero"`
	CacheControl *cacheControl   `json:"cache_control,omitzero"`
}

// The kinds of block that stand in each place. Which of them a role may use is said
// by the rules of the Messages API.
var (
	inMessage = []string{"text", "image", "document", "toolUse", "toolResult", "reasoningContent", "guardContent", "cachePoint"}
	inSystem  = []string{"text", "guardContent", "cachePoint"}
	inResult  = []string{"text", "json", "image", "document"}
	inSource  = []string{"text"}
)

// blocks writes content. A cache point is a mark on the block before it.
func (c *converter) blocks(at string, from []converseBlock, kinds []string) []messagesBlock {
	if from == nil {
		return nil
	}
	to := make([]messagesBlock, 0, len(from))
	for i := range from {
		b, place := &from[i], element(at, i)
		kind := c.kind(place, b, kinds)
		if c.err != nil {
			return nil
		}
		if kind != "cachePoint" {
			c.moved(at, len(to), at, i)
			to = append(to, c.block(place+"."+kind, b))
			continue
		}
		mark := c.cache(place, b.CachePoint)
		if len(to) == 0 || to[len(to)-1].takesNoMark() {
			c.drop(place + ".cachePoint")
			continue
		}
		to[len(to)-1].CacheControl = mark
	}
	return to
}

// takesNoMark reports whether a block may not be the end of what is cached.
func (b *messagesBlock) takesNoMark() bool {
	return b.Type == translate.BlockThinking || b.Type == translate.BlockRedacted
}

// kind returns the name of the one member of a block, which has to be of kinds.
func (c *converter) kind(at string, b *converseBlock, kinds []string) (kind string) {
	members := []struct {
		name string
		set  bool
	}{
		{"text", b.Text != nil}, {"image", b.Image != nil}, {"document", b.Document != nil}, {"toolUse", b.ToolUse != nil},
		{"toolResult", b.ToolResult != nil}, {"reasoningContent", b.Reasoning != nil}, {"guardContent", b.Guard != nil},
		{"json", b.JSON != nil}, {"cachePoint", b.CachePoint != nil},
	}
	var set []bool
	for _, m := range members {
		set = append(set, m.set)
		if m.set {
			kind = m.name
		}
	}
	c.union(at, b.Rest, set...)
	if c.err == nil && !slices.Contains(kinds, kind) {
		c.fail(at+"."+kind, "A block of this kind has no place here.")
	}
	return kind
}

// block writes a block whose kind is at the end of at.
func (c *converter) block(at string, b *converseBlock) messagesBlock {
	switch {
	case b.Text != nil:
		return c.text(at, *b.Text)
	case b.JSON != nil:
		return c.text(at, compact(b.JSON))
	case b.Image != nil:
		return c.image(at, b.Image)
	case b.Document != nil:
		return c.document(at, b.Document)
	case b.ToolUse != nil:
		return c.toolUse(at, b.ToolUse)
	case b.ToolResult != nil:
		return c.toolResult(at, b.ToolResult)
	case b.Reasoning != nil:
		return c.reasoning(at, b.Reasoning)
	}
	return c.guarded(at, b.Guard)
}

func (c *converter) text(at, text string) messagesBlock {
	if text == "" {
		c.fail(at, "The text field is blank. Add text to the text field, and try again.")
	}
	return messagesBlock{Type: translate.BlockText, Text: text}
}

func compact(v jsontext.Value) string {
	v = v.Clone()
	_ = v.Compact() // it has been read before
	return string(v)
}

func (c *converter) toolUse(at string, from *converseToolUse) messagesBlock {
	c.leave(at, from.Rest)
	if from.Type != "" {
		c.fail(at+".type", "Tools that the service runs cannot be expressed here.")
	}
	return messagesBlock{Type: translate.BlockToolUse, ID: value(from.ID), Name: value(from.Name), Input: value(from.Input)}
}

func (c *converter) toolResult(at string, from *converseToolResult) messagesBlock {
	c.leave(at, from.Rest)
	if !slices.Contains([]string{"", "success", "error"}, from.Status) {
		c.fail(at+".status", "The status is success or error.")
	}
	return messagesBlock{
		Type: translate.BlockToolResult, ToolUseID: value(from.ID), IsError: from.Status == "error",
		Content: c.blocks(at+".content", from.Content, inResult),
	}
}

func (c *converter) reasoning(at string, from *converseReasoning) messagesBlock {
	c.union(at, from.Rest, from.Text != nil, from.Redacted != nil)
	if from.Text == nil {
		return messagesBlock{Type: translate.BlockRedacted, Data: from.Redacted}
	}
	c.leave(at+".reasoningText", from.Text.Rest)
	return messagesBlock{Type: translate.BlockThinking, Thinking: from.Text.Text, Signature: &from.Text.Signature}
}

// guarded writes what a guardrail would look at, which is content all the same.
func (c *converter) guarded(at string, from *converseGuard) messagesBlock {
	c.union(at, from.Rest, from.Text != nil, from.Image != nil)
	switch {
	case from.Text != nil:
		if compact(from.Text.Rest["qualifiers"]) == `["guard_content"]` {
			delete(from.Text.Rest, "qualifiers") // which is what it is without any
		}
		c.leave(at+".text", from.Text.Rest)
		return c.text(at+".text.text", from.Text.Text)
	case from.Image != nil:
		return c.image(at+".image", from.Image)
	}
	return messagesBlock{}
}
