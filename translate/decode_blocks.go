package translate

import (
	"slices"
	"strings"
)

// blockPlace is a place that holds content blocks.
type blockPlace struct {
	takes   []string // types
	omits   []string // types that the API takes here and a text model cannot read
	message bool     // the content of a message
}

// foreignBlocks come from a server with tools of its own, or from a model that
// thinks (reference/messages-api.md §4).
var foreignBlocks = []string{
	"thinking", "redacted_thinking", "server_tool_use", "web_search_tool_result", "web_fetch_tool_result",
	"code_execution_tool_result", "bash_code_execution_tool_result", "text_editor_code_execution_tool_result",
	"tool_search_tool_result", "container_upload", "mcp_tool_use", "mcp_tool_result", "mcp_tool_listing",
	"compaction", "fallback", "advisor_tool_result",
}

var (
	inUser = blockPlace{
		takes: []string{BlockText, BlockImage, BlockDocument, BlockSearchResult, BlockToolResult},
		omits: foreignBlocks, message: true,
	}
	inAssistant     = blockPlace{takes: []string{BlockText, BlockToolUse, BlockDocument}, omits: foreignBlocks, message: true}
	inSystemMessage = blockPlace{takes: []string{BlockText}, message: true}
	inSystem        = blockPlace{takes: []string{BlockText}}
	inToolResult    = blockPlace{
		takes: []string{BlockText, BlockImage, BlockSearchResult, BlockDocument, BlockToolReference},
		omits: []string{"browser_state"},
	}
	inSearchResult = blockPlace{takes: []string{BlockText}}
	inSource       = blockPlace{takes: []string{BlockText, BlockImage}}
)

// messageBlocks are the types that the content of some message takes.
var messageBlocks = []string{BlockText, BlockImage, BlockDocument, BlockSearchResult, BlockToolUse, BlockToolResult}

// unusableIn are the members of each type of block that the API knows and a
// text model has no use for.
var unusableIn = map[string][]string{
	BlockText:          {"cache_control", "citations"},
	BlockImage:         {"cache_control", "transformations"},
	BlockDocument:      {"cache_control", "citations"},
	BlockSearchResult:  {"cache_control", "citations"},
	BlockToolUse:       {"cache_control", "caller", "toolset_name"},
	BlockToolResult:    {"cache_control", "toolset_name"},
	BlockToolReference: {"cache_control"},
}

// blocks reads content outside of messages: a string, or an array of blocks.
func (d *decoder) blocks(at fieldPath, w *wireList[wireBlock], place *blockPlace) []BlockParam {
	switch w.at.kind {
	case '"':
		s := d.text(at, w.at)
		if s == "" {
			return nil
		}
		return []BlockParam{{Type: BlockText, Text: s}}
	case '[':
		blocks := make([]BlockParam, 0, len(w.items))
		for i := range w.items {
			element := at.element(i)
			if b, ok := d.block(&element, &w.items[i], place); ok {
				blocks = append(blocks, b)
			}
		}
		return blocks
	case 0:
		d.fail(at, fieldRequired)
	default:
		d.fail(at, notText)
	}
	return nil
}

// block reads one block. It is not ok if the block is left out.
func (d *decoder) block(at *fieldPath, w *wireBlock, place *blockPlace) (b BlockParam, ok bool) {
	if !d.object(*at, w.at) {
		return b, false
	}
	b.Type = d.text(at.member("type"), take(&w.Type))
	if d.err != nil || !d.placed(at, b.Type, place) {
		return b, false
	}
	tagged := at.tagged(b.Type)
	d.fill(&tagged, &b, w, place)
	for _, m := range w.members() {
		d.leaveUnknown(tagged.member(m.name), m.value)
	}
	d.leave(&tagged, w.Rest, unusableIn[b.Type])
	return b, true
}

// placed reports whether a block of the type may stand in the place. If it is
// left out instead, that is noted.
func (d *decoder) placed(at *fieldPath, typ string, place *blockPlace) bool {
	switch {
	case typ == BlockThinking && d.thinks && place == &inAssistant:
		return true
	case slices.Contains(place.takes, typ):
		if typ == BlockDocument && place == &inAssistant && d.opt.Version == version20261021 {
			d.fail(*at, "`document` blocks can only be in `user` messages under API version %s", version20261021)
		}
		return d.err == nil
	case slices.Contains(place.omits, typ) && d.opt.Strict:
		d.fail(*at, "`%s` blocks are not supported: this model only completes text. Remove the block, or use a model with a tool API.", typ)
	case slices.Contains(place.omits, typ):
		d.drop(at.field() + "." + typ)
	case place.message && typ == BlockToolUse:
		d.fail(*at, "`%s` blocks can only be in `assistant` messages", typ)
	case place.message && slices.Contains(messageBlocks, typ):
		d.fail(*at, "`%s` blocks can only be in `user` messages", typ)
	default:
		d.failTag(*at, typ, slices.Concat(place.takes, place.omits))
	}
	return false
}

func (d *decoder) failTag(at fieldPath, tag string, expected []string) {
	d.fail(at, "Input tag '%s' found using 'type' does not match any of the expected tags: '%s'", clip(tag), strings.Join(expected, "', '"))
}

// fill reads the members that a block of its type has.
func (d *decoder) fill(at *fieldPath, b *BlockParam, w *wireBlock, place *blockPlace) {
	switch b.Type {
	case BlockText:
		b.Text = d.text(at.member("text"), take(&w.Text))
		if b.Text == "" {
			d.fail(at.root(), "text content blocks must be non-empty")
		}
		d.checkCitations(at, w, place)
	case BlockImage:
		d.source(at, b, take(&w.Source))
	case BlockDocument:
		d.source(at, b, take(&w.Source))
		b.Title = d.optional(at.member("title"), take(&w.Title))
		b.Context = d.optional(at.member("context"), take(&w.Context))
	case BlockSearchResult:
		b.Source.Text = d.text(at.member("source"), take(&w.Source).value())
		b.Title = d.text(at.member("title"), take(&w.Title))
		content := at.member("content")
		if c := take(&w.Content); c.at.kind == '"' {
			d.fail(content, notList)
		} else {
			b.Content = d.blocks(content, &c, &inSearchResult)
		}
	case BlockToolUse:
		d.toolUse(at, b, w)
	case BlockToolResult:
		b.ToolUseID = d.toolID(at.member("tool_use_id"), take(&w.ToolUseID))
		b.IsError = d.flag(at.member("is_error"), take(&w.IsError))
		if c := take(&w.Content); !c.at.absent() {
			b.Content = d.blocks(at.member("content"), &c, &inToolResult)
		}
	case BlockThinking:
		b.Text = d.text(at.member("thinking"), w.Rest["thinking"])
		delete(w.Rest, "thinking")
		delete(w.Rest, "signature")
	case BlockToolReference:
		b.Name = d.text(at.member("tool_name"), take(&w.ToolName))
	}
}

// checkCitations refuses what a client may not say it has cited
// (reference/messages-api.md §1).
func (d *decoder) checkCitations(at *fieldPath, w *wireBlock, place *blockPlace) {
	c, ok := w.Rest["citations"]
	if !ok || d.opt.Version != version20261021 || place != &inUser && place != &inSearchResult {
		return
	}
	if c.kind == '[' && !asksNothing(d.raw(c)) {
		d.fail(at.member("citations"), "Not accepted in user messages under API version %s", version20261021)
	}
}

func (d *decoder) toolUse(at *fieldPath, b *BlockParam, w *wireBlock) {
	b.ID = d.toolID(at.member("id"), take(&w.ID))
	b.Name = d.text(at.member("name"), take(&w.Name))
	d.checkReplayedName(at.member("name"), b.Name)
	if input := take(&w.Input); d.object(at.member("input"), input) {
		b.Input = d.raw(input)
	}
}

// The media types of base64 sources.
var mediaTypes = map[string][]string{
	BlockImage:    {"image/jpeg", "image/png", "image/gif", "image/webp"},
	BlockDocument: {"application/pdf"},
}

// source reads where an image or document comes from.
func (d *decoder) source(at *fieldPath, b *BlockParam, w *wireSource) {
	p := at.member("source")
	if !d.object(p, w.value()) {
		return
	}
	b.Source.Type = d.text(p.member("type"), take(&w.Type))
	if d.err != nil {
		return
	}
	switch typ := b.Source.Type; {
	case typ == SourceBase64:
		d.mediaType(p.member("media_type"), take(&w.MediaType), mediaTypes[b.Type])
		d.isText(p.member("data"), take(&w.Data))
	case typ == SourceURL:
		d.isText(p.member("url"), take(&w.URL))
	case typ == SourceFile:
		d.isText(p.member("file_id"), take(&w.FileID))
	case typ == SourceText && b.Type == BlockDocument:
		d.mediaType(p.member("media_type"), take(&w.MediaType), []string{"text/plain"})
		b.Source.Text = d.text(p.member("data"), take(&w.Data))
	case typ == SourceContent && b.Type == BlockDocument:
		c := take(&w.Content)
		b.Content = d.blocks(p.member("content"), &c, &inSource)
	case b.Type == BlockDocument:
		d.failTag(p, typ, []string{SourceBase64, SourceText, SourceContent, SourceURL, SourceFile})
	default:
		d.failTag(p, typ, []string{SourceBase64, SourceURL, SourceFile})
	}
	if typ := b.Source.Type; typ == SourceBase64 || typ == SourceURL || typ == SourceFile {
		b.Source.JSON = d.raw(w.at)
		if !d.opt.Strict {
			return // unknown members are not left out: they stay in the JSON
		}
	}
	for _, m := range w.members() {
		d.leaveUnknown(p.member(m.name), m.value)
	}
	d.leave(&p, w.Rest, nil)
}

func (d *decoder) mediaType(at fieldPath, v wireValue, allowed []string) {
	if s := d.text(at, v); !slices.Contains(allowed, s) {
		d.fail(at, "Input should be '%s'", strings.Join(allowed, "', '"))
	}
}

// isText checks a string that stays in its JSON.
func (d *decoder) isText(at fieldPath, v wireValue) {
	if v.kind != '"' {
		d.text(at, v)
	}
}
