package messages

import (
	"bytes"
	"encoding/base64"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file reads content blocks, and checks which types may stand in which place.

// blockPlace is a place in a request that holds content blocks.
type blockPlace struct {
	accepts   []string // the types of blocks that Dragoman reads
	drops     []string // the types that the API allows here, but that a text model cannot read
	inMessage bool     // the place is the content of a message
}

// foreignBlocks are the blocks that come from a server with tools of its own, or from a model that
// thinks (docs/reference/messages-api.md §4).
var foreignBlocks = []string{
	"thinking", "redacted_thinking", "server_tool_use", "web_search_tool_result", "web_fetch_tool_result",
	"code_execution_tool_result", "bash_code_execution_tool_result", "text_editor_code_execution_tool_result",
	"tool_search_tool_result", "container_upload", "mcp_tool_use", "mcp_tool_result", "mcp_tool_listing",
	"compaction", "fallback", "advisor_tool_result",
}

// The places in a request that hold content blocks.
var (
	inUser = blockPlace{
		accepts: []string{BlockText, BlockImage, BlockDocument, BlockSearchResult, BlockToolResult},
		drops:   foreignBlocks, inMessage: true,
	}
	inAssistant     = blockPlace{accepts: []string{BlockText, BlockToolUse, BlockDocument}, drops: foreignBlocks, inMessage: true}
	inSystemMessage = blockPlace{accepts: []string{BlockText, blockToolAddition, blockToolRemoval}, inMessage: true}
	inSystem        = blockPlace{accepts: []string{BlockText}}
	inToolResult    = blockPlace{
		accepts: []string{BlockText, BlockImage, BlockSearchResult, BlockDocument, BlockToolReference},
		drops:   []string{"browser_state"},
	}
	inSearchResult = blockPlace{accepts: []string{BlockText}}
	inSource       = blockPlace{accepts: []string{BlockText, BlockImage}}
)

// messageBlocks are the block types that a message may hold, depending on its role.
var messageBlocks = []string{BlockText, BlockImage, BlockDocument, BlockSearchResult, BlockToolUse, BlockToolResult, blockToolAddition, blockToolRemoval}

// unsupportedInBlock lists, for each type of block, members that the API knows but a text model
// cannot use.
var unsupportedInBlock = map[string][]string{
	BlockText:          {"cache_control", "citations"},
	BlockImage:         {"cache_control", "transformations"},
	BlockDocument:      {"cache_control", "citations"},
	BlockSearchResult:  {"cache_control", "citations"},
	BlockToolUse:       {"cache_control", "caller", "toolset_name"},
	BlockToolResult:    {"cache_control", "toolset_name"},
	BlockToolReference: {"cache_control"},
	blockToolAddition:  {"cache_control"},
	blockToolRemoval:   {"cache_control"},
}

// blockCapacity returns how many blocks to allocate for a list.
func (d *decoder) blockCapacity(list jsontext.Value) int {
	const shortest = len(`{"type":"text","text":"a"},`)
	return d.capacity(list, shortest, MaxBlocks-d.blockCount)
}

// content reads content that is not a message's: a string or a list of blocks.
func (d *decoder) content(at fieldPath, v jsontext.Value, place *blockPlace) []BlockParam {
	switch v.Kind() {
	case '"':
		s := d.text(at, v)
		if s == "" {
			return nil
		}
		return []BlockParam{{Type: BlockText, Text: s}}
	case '[':
		blocks := make([]BlockParam, 0, d.blockCapacity(v))
		for e := range d.elements(at, v, MaxBlocks) {
			if b, ok := d.block(e, place); ok {
				b.Skipped = int32(e.at.index - len(blocks))
				blocks = append(blocks, b)
			}
		}
		return blocks
	case 0:
		d.failBy(FaultMissingField, at, fieldRequired)
	default:
		d.fail(at, notText)
	}
	return nil
}

// blockMembers are the names of all members that some type of block has.
var blockMembers = []string{
	"type", "text", "source", "title", "context", "id", "name", "input", "tool_use_id", "is_error", "tool_name", "content", "tool",
	"thinking", "signature", "cache_control", "citations", "transformations", "caller", "toolset_name",
}

// block reads one block. It returns false if the block is left out.
func (d *decoder) block(e *listItem, place *blockPlace) (b BlockParam, ok bool) {
	at := &e.at
	o, ok := d.openItem(e, blockMembers)
	if !ok {
		return b, false
	}
	if d.blockCount++; d.blockCount > MaxBlocks {
		d.failBy(FaultLimit, *at, "There should be at most %d content blocks in all", MaxBlocks)
	}
	b.Type = d.textKnown(at.member("type"), o.Take("type"), messageBlocks)
	if d.err != nil || !d.checkPlace(at, b.Type, place) {
		return b, false
	}
	at.tag = b.Type
	d.blockFields(at, &b, &o, place)
	d.dropRest(at, &o, unsupportedInBlock[b.Type])
	at.tag = ""
	return b, b.Type != blockToolAddition && b.Type != blockToolRemoval // tool changes are not content; see shownTools
}

// checkPlace reports whether this type of block is allowed in the place. If not, it fails, or notes
// that the block is dropped.
func (d *decoder) checkPlace(at *fieldPath, typ string, place *blockPlace) bool {
	switch {
	case typ == BlockThinking && d.thinks && place == &inAssistant:
		return true
	case slices.Contains(place.accepts, typ):
		if typ == BlockDocument && place == &inAssistant && d.opt.Version == Version20261021 {
			d.failBy(FaultUnsupported, *at, "`document` blocks can only be in `user` messages under API version %s", Version20261021)
		}
		return d.err == nil
	case slices.Contains(place.drops, typ) && d.opt.Strict:
		d.failBy(FaultUnsupported, *at, "`%s` blocks are not supported: this model only completes text. Remove the block, or use a model with a tool API.", typ)
	case slices.Contains(place.drops, typ):
		d.drop(at.member(typ))
	case place.inMessage && (typ == blockToolAddition || typ == blockToolRemoval):
		d.fail(*at, "`%s` blocks can only be in `system` messages", typ)
	case place.inMessage && typ == BlockToolUse:
		d.failBy(FaultConversation, *at, "`%s` blocks can only be in `assistant` messages", typ)
	case place.inMessage && slices.Contains(messageBlocks, typ):
		d.failBy(FaultConversation, *at, "`%s` blocks can only be in `user` messages", typ)
	default:
		d.failTag(*at, typ, slices.Concat(place.accepts, place.drops))
	}
	return false
}

// failTag fails because the type of a block, tool or source is not in expected.
func (d *decoder) failTag(at fieldPath, tag string, expected []string) {
	d.fail(at, "Input tag '%s' found using 'type' does not match any of the expected tags: '%s'", clip(tag), strings.Join(expected, "', '"))
}

// blockFields reads the members that a block of its type has.
func (d *decoder) blockFields(at *fieldPath, b *BlockParam, o *rawjson.Object, place *blockPlace) {
	switch b.Type {
	case BlockText:
		b.Text = d.text(at.member("text"), o.Take("text"))
		if b.Text == "" {
			d.fail(at.root(), "text content blocks must be non-empty")
		}
		d.checkCitations(at, o, place)
	case BlockImage:
		d.source(at, b, o.Take("source"))
	case BlockDocument:
		d.source(at, b, o.Take("source"))
		if d.err == nil {
			b.Source.Title = d.optionalText(at.member("title"), o.Take("title"))
			b.Source.Context = d.optionalText(at.member("context"), o.Take("context"))
		}
	case BlockSearchResult:
		b.Source = &Source{Text: d.text(at.member("source"), o.Take("source")), Title: d.text(at.member("title"), o.Take("title"))}
		content, v := at.member("content"), o.Take("content")
		if v.Kind() == '"' {
			d.fail(content, notList)
		} else {
			b.Content = d.content(content, v, &inSearchResult)
		}
	case BlockToolUse:
		d.toolUse(at, b, o)
	case BlockToolResult:
		b.ToolUseID = d.toolID(at.member("tool_use_id"), o.Take("tool_use_id"))
		b.IsError = d.boolean(at.member("is_error"), o.Take("is_error"))
		if v := o.Take("content"); !absent(v) {
			b.Content = d.content(at.member("content"), v, &inToolResult)
		}
	case BlockThinking:
		b.Text = d.text(at.member("thinking"), o.Take("thinking"))
		o.Take("signature")
	case BlockToolReference:
		b.Name = d.text(at.member("tool_name"), o.Take("tool_name"))
		d.mentions = append(d.mentions, toolMention{by: b.Type, name: b.Name})
	case blockToolAddition, blockToolRemoval:
		d.toolChange(at, b.Type, o.Take("tool"))
	}
}

// checkCitations rejects citations in a user's text, which the newer API version does not allow
// (docs/reference/messages-api.md §1).
func (d *decoder) checkCitations(at *fieldPath, o *rawjson.Object, place *blockPlace) {
	c := o.Member("citations")
	if d.opt.Version != Version20261021 || place != &inUser && place != &inSearchResult {
		return
	}
	if c.Kind() == '[' && !asksNothing(c) {
		d.failBy(FaultUnsupported, at.member("citations"), "Not accepted in user messages under API version %s", Version20261021)
	}
}

// toolUse reads the members of a tool_use block.
func (d *decoder) toolUse(at *fieldPath, b *BlockParam, o *rawjson.Object) {
	b.ID = d.toolID(at.member("id"), o.Take("id"))
	b.Name = d.text(at.member("name"), o.Take("name"))
	d.checkReplayedName(at.member("name"), b.Name)
	if input := o.Take("input"); d.object(at.member("input"), input.Kind()) {
		b.Input = input
	}
}

// mediaTypes lists the media types that a base64 source may have, for each type of block.
var mediaTypes = map[string][]string{
	BlockImage:    {"image/jpeg", "image/png", "image/gif", "image/webp"},
	BlockDocument: {"application/pdf"},
}

// sourceMembers are the names of all members that some type of source has.
var sourceMembers = []string{"type", "media_type", "data", "url", "file_id", "content"}

// source reads where an image or document comes from.
func (d *decoder) source(at *fieldPath, b *BlockParam, v jsontext.Value) {
	p := at.member("source")
	o, ok := d.openObject(&p, v, sourceMembers)
	if !ok {
		return
	}
	typ := d.text(p.member("type"), o.Take("type"))
	if d.err != nil {
		return
	}
	b.Source = &Source{Type: typ}
	switch {
	case typ == SourceBase64:
		d.mediaType(p.member("media_type"), o.Take("media_type"), mediaTypes[b.Type])
		d.checkBase64(p.member("data"), o.Take("data"))
	case typ == SourceURL:
		d.checkAddress(p.member("url"), o.Take("url"))
	case typ == SourceFile:
		d.checkString(p.member("file_id"), o.Take("file_id"))
	case typ == SourceText && b.Type == BlockDocument:
		d.mediaType(p.member("media_type"), o.Take("media_type"), []string{"text/plain"})
		b.Source.Text = d.text(p.member("data"), o.Take("data"))
	case typ == SourceContent && b.Type == BlockDocument:
		b.Content = d.content(p.member("content"), o.Take("content"), &inSource)
	case b.Type == BlockDocument:
		d.failTag(p, typ, []string{SourceBase64, SourceText, SourceContent, SourceURL, SourceFile})
	default:
		d.failTag(p, typ, []string{SourceBase64, SourceURL, SourceFile})
	}
	if typ == SourceBase64 || typ == SourceURL || typ == SourceFile {
		b.Source.JSON = v
		if !d.opt.Strict {
			return // unknown members stay in the JSON
		}
	}
	d.dropRest(&p, &o, nil)
}

// mediaType checks that a string is in allowed.
func (d *decoder) mediaType(at fieldPath, v jsontext.Value, allowed []string) {
	if s := d.text(at, v); !slices.Contains(allowed, s) {
		d.fail(at, "Input should be '%s'", strings.Join(allowed, "', '"))
	}
}

// checkString checks that v is a string. It stays in the JSON.
func (d *decoder) checkString(at fieldPath, v jsontext.Value) {
	if v.Kind() != '"' {
		d.text(at, v)
	}
}

// checkAddress checks that v is an address on the web. Some servers also read files, or data within the address.
func (d *decoder) checkAddress(at fieldPath, v jsontext.Value) {
	scheme, _, ok := strings.Cut(d.text(at, v), "://")
	if !ok || !strings.EqualFold(scheme, "https") && !strings.EqualFold(scheme, "http") {
		d.fail(at, "Input should begin with 'https://' or 'http://'. For the file's bytes, use a source of the type 'base64'")
	}
}

// checkBase64 checks that v is a string of base64, which may have line breaks. It stays in the
// JSON.
func (d *decoder) checkBase64(at fieldPath, v jsontext.Value) {
	if v.Kind() != '"' {
		d.text(at, v)
		return
	}
	text := []byte(v[1 : len(v)-1])
	if bytes.IndexByte(text, '\\') >= 0 {
		text = []byte(rawjson.StringOf(v))
	}
	if _, err := io.Copy(io.Discard, base64.NewDecoder(base64.StdEncoding, bytes.NewReader(text))); err != nil {
		d.fail(at, "Input should be the base64 of the file's bytes: letters, digits, '+', '/' and padding with '=', without a `data:` URL before them")
	}
}

// toolID reads the id of a tool_use or of its result. The history may come from another API or
// model: Converse allows '.' and ':' in ids, which the Messages API does not
// (docs/reference/messages-api.md §8), and gateways allow more. Dragoman never shows ids to a
// model, so only strict mode rejects ids, and only those that Converse rejects.
func (d *decoder) toolID(at fieldPath, v jsontext.Value) string {
	id := d.text(at, v)
	if id == "" || d.opt.Strict && !onlyBytes(id, "-_.:") {
		d.fail(at, "String should match pattern '^[a-zA-Z0-9_-]+$'")
	}
	return id
}

// checkReplayedName checks the name in a past tool_use. The tool need not be offered in this
// request, so the API only limits the length.
func (d *decoder) checkReplayedName(at fieldPath, name string) {
	const longest = 200
	switch n := utf8.RuneCountInString(name); {
	case n == 0:
		d.fail(at, "String should have at least 1 character")
	case n > longest:
		d.fail(at, "String should have at most %d characters", longest)
	}
}
