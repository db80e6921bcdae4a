package prompt

import (
	"fmt"
	"strings"

	"dragoman/translate/messages"
)

// What a turn holds besides plain text and calls: the contents of results and system
// messages, and images, documents and search results wherever they stand.

// WriteContent writes blocks, within an element that the caller has begun: text blocks a
// line each, documents given as text and search results as elements. Images and other
// documents are parts of their own, so that the element may span several parts.
func (w *turnWriter) WriteContent(blocks []messages.BlockParam) { w.writeRest("content", 0, blocks) }

// writeRest is WriteContent for what is left of a content after its first blocks. member is what the
// content is called in its block.
func (w *turnWriter) writeRest(member string, first int, blocks []messages.BlockParam) {
	for i := 0; i < len(blocks); {
		if n := leadingLines(blocks[i:]); n > 0 {
			if i > 0 {
				w.separate()
			}
			w.WriteEscaped(w.joinLines(member, first+i, blocks[i:i+n]))
			i += n
			continue
		}
		w.origins.enter(len(w.text), member, first+i+int(blocks[i].Skipped))
		if i > 0 && isElement(&blocks[i]) {
			w.separate()
		}
		w.writeRich(&blocks[i])
		w.origins.leave(len(w.text))
		i++
	}
}

// isElement reports whether writeRich writes a block as an element.
func isElement(b *messages.BlockParam) bool {
	return b.Type == messages.BlockSearchResult ||
		b.Type == messages.BlockDocument && (b.Source.Type == messages.SourceText || b.Source.Type == messages.SourceContent)
}

// writeRich writes a search result, a document or an image.
func (w *turnWriter) writeRich(b *messages.BlockParam) {
	switch {
	case b.Type == messages.BlockSearchResult:
		w.writeElement(&element{
			tag: "search_result", title: b.Source.Title, label: w.language().SourceLabel, origin: b.Source.Text, originIs: "source",
			content: b.Content, contentIs: "content",
		})
	case isElement(b):
		content, member := documentContent(b)
		w.writeElement(&element{
			tag: "document", title: b.Source.Title, label: w.language().ContextLabel, origin: b.Source.Context, originIs: "context",
			content: content, contentIs: member,
		})
	case b.Type == messages.BlockDocument:
		w.addSource(PartDocument, b)
	default:
		w.addSource(PartImage, b)
	}
}

// separate writes a newline, unless an image or document stands before.
func (w *turnWriter) separate() {
	if len(w.text) > 0 {
		w.Write("\n")
	}
}

// leadingLines returns how many of the first blocks are lines of text.
func leadingLines(blocks []messages.BlockParam) int {
	for i := range blocks {
		if t := blocks[i].Type; t != messages.BlockText && t != messages.BlockToolReference {
			return i
		}
	}
	return len(blocks)
}

// joinLines returns the text of blocks that are lines, the first of which has that index in the member
// of its block. The caller escapes it as one text, since a tag may be spelled across two blocks.
func (w *turnWriter) joinLines(member string, first int, blocks []messages.BlockParam) string {
	w.origins.addLines(member, first, blocks, w.language)
	if len(blocks) == 1 && blocks[0].Type == messages.BlockText {
		return blocks[0].Text
	}
	lines := make([]string, len(blocks))
	for i := range blocks {
		if lines[i] = blocks[i].Text; blocks[i].Type == messages.BlockToolReference {
			lines[i] = fmt.Sprintf(w.language().ToolFits, blocks[i].Name)
		}
	}
	return strings.Join(lines, "\n")
}

// element is a search result or a document, given as text.
type element struct {
	tag, title              string
	label, origin, originIs string // where it is from, after a label, and the member of the block that says so
	content                 []messages.BlockParam
	contentIs               string // the member of the block that the content is
}

// writeElement writes a content with two lines above it, each unless it is "": the title,
// and origin after its label. They are escaped together with the text below them, since a
// tag may be spelled across the lines.
func (w *turnWriter) writeElement(e *element) {
	var head string
	if e.title != "" {
		head = w.language().TitleLabel + e.title + "\n"
		w.origins.addHead(w.language().TitleLabel, "title", e.title)
	}
	if e.origin != "" {
		head += e.label + e.origin + "\n"
		w.origins.addHead(e.label, e.originIs, e.origin)
	}
	if head != "" {
		head += "\n"
		w.origins.addHeadEnd()
	}
	n := leadingLines(e.content)
	w.Write("<", e.tag, ">\n")
	w.WriteEscaped(head + w.joinLines(e.contentIs, 0, e.content[:n]))
	w.writeRest(e.contentIs, n, e.content[n:])
	w.Write("\n</", e.tag, ">")
}

// documentContent returns the blocks of a document that is given as text, and which member of it they are.
func documentContent(b *messages.BlockParam) (content []messages.BlockParam, member string) {
	if b.Source.Type == messages.SourceContent {
		return b.Content, "source.content"
	}
	return []messages.BlockParam{{Type: messages.BlockText, Text: b.Source.Text}}, "source.data"
}

// addSource makes an image or a document a part of its own.
func (w *turnWriter) addSource(partType string, b *messages.BlockParam) {
	w.endPart()
	part := Part{Type: partType, Source: b.Source.JSON}
	part.Title = w.escape.Text(b.Source.Title)
	title := w.origins.endField(len(part.Title))
	part.Context = w.escape.Text(b.Source.Context)
	context := w.origins.endField(len(part.Context))
	if partType == PartDocument {
		part.Labels = w.language().Labels()
	}
	w.parts = append(w.parts, part)
	w.origins.endSource(title, context)
}
