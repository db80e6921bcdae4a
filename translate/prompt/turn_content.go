package prompt

import (
	"strings"

	"dragoman/translate/markup"
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
			w.writeLines(w.newRaw(), member, first+i, blocks[i:i+n])
			i += n
			continue
		}
		outer := w.Enter(member, first+i+int(blocks[i].Skipped))
		if i > 0 && isElement(&blocks[i]) {
			w.separate()
		}
		w.writeRich(&blocks[i])
		w.At(outer)
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
		e := element{
			tag: "document", title: b.Source.Title, label: w.language().ContextLabel, origin: b.Source.Context, originIs: "context",
			content: b.Content, contentIs: "source.content",
		}
		if b.Source.Type == messages.SourceText {
			e.content, e.contentIs, e.first = []messages.BlockParam{{Type: messages.BlockText, Text: b.Source.Text}}, "source.data", -1
		}
		w.writeElement(&e)
	case b.Type == messages.BlockDocument:
		w.addSource(PartDocument, b)
	default:
		w.addSource(PartImage, b)
	}
}

// separate writes a newline, unless an image or document stands before.
func (w *turnWriter) separate() {
	if len(w.Out) > 0 {
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

// newRaw returns a text that is made of several before they are escaped together.
func (w *turnWriter) newRaw() *markup.Buffer {
	return &markup.Buffer{Escape: w.Escape, Source: w.Source}
}

// writeLines writes blocks that are lines, below what raw holds. The first block has that index in the member of its
// block; the index is negative if the member is no list. All is escaped as one text, since a tag may be spelled across
// two blocks.
func (w *turnWriter) writeLines(raw *markup.Buffer, member string, first int, blocks []messages.BlockParam) {
	if len(raw.Out) == 0 && len(blocks) == 1 && blocks[0].Type == messages.BlockText {
		outer := w.Enter(member, first+int(blocks[0].Skipped))
		w.WriteText(blocks[0].Text).At(outer)
		return
	}
	for i := range blocks {
		if i > 0 {
			raw.Write("\n")
		}
		outer := raw.Enter(member, first+i+int(blocks[i].Skipped))
		if blocks[i].Type == messages.BlockText {
			raw.WriteClient(blocks[i].Text)
		} else {
			before, after, _ := strings.Cut(w.language().ToolFits, "%s")
			raw.Write(before).WriteClient(blocks[i].Name).Write(after)
		}
		raw.At(outer)
	}
	w.WriteRaw(raw.Take())
}

// element is a search result or a document, given as text.
type element struct {
	tag, title              string
	label, origin, originIs string // where it is from, after a label, and the member of the block that says so
	content                 []messages.BlockParam
	contentIs               string // the member of the block that the content is
	first                   int    // negative if that is no list
}

// writeElement writes a content with two lines above it, each unless it is "": the title,
// and origin after its label. They are escaped together with the text below them, since a
// tag may be spelled across the lines.
func (w *turnWriter) writeElement(e *element) {
	raw := w.newRaw()
	addLine := func(label, text, member string) {
		if text != "" {
			raw.Write(label)
			outer := raw.Enter(member, -1)
			raw.WriteClient(text).At(outer)
			raw.Write("\n")
		}
	}
	addLine(w.language().TitleLabel, e.title, "title")
	addLine(e.label, e.origin, e.originIs)
	if len(raw.Out) > 0 {
		raw.Write("\n")
	}
	n := leadingLines(e.content)
	w.Write("<").Write(e.tag).Write(">\n")
	w.writeLines(raw, e.contentIs, e.first, e.content[:n])
	w.writeRest(e.contentIs, e.first+n, e.content[n:])
	w.Write("\n</").Write(e.tag).Write(">")
}

// addSource makes an image or a document a part of its own.
func (w *turnWriter) addSource(partType string, b *messages.BlockParam) {
	w.endPart()
	title, context := w.Escape.TextFrom(b.Source.Title, w.Source), w.Escape.TextFrom(b.Source.Context, w.Source)
	part := Part{Type: partType, Source: b.Source.JSON, Title: title.Text, Context: context.Text, Results: w.results}
	if partType == PartDocument {
		part.Labels = w.language().Labels()
	}
	w.addPart(part, PartOrigins{Title: title.Origins, Context: context.Origins, Source: w.Source})
}
