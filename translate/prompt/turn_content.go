package prompt

import (
	"strings"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file writes the contents of results and system messages, and images, documents and search
// results anywhere.

// WriteContent writes blocks inside an element that the caller has begun: one line per text block,
// and elements for text documents and search results. Images and other documents become parts of
// their own, so the element may span several parts.
func (w *turnWriter) WriteContent(blocks []messages.BlockParam) { w.writeRest("content", 0, blocks) }

// writeRest does what WriteContent does, for the blocks after the first ones. member is the name of
// the content in its block.
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

// separate writes a newline, unless an image or document comes before.
func (w *turnWriter) separate() {
	if len(w.Out) > 0 {
		w.Write("\n")
	}
}

// leadingLines returns how many blocks at the start are lines of text.
func leadingLines(blocks []messages.BlockParam) int {
	for i := range blocks {
		if t := blocks[i].Type; t != messages.BlockText && t != messages.BlockToolReference {
			return i
		}
	}
	return len(blocks)
}

// newRaw returns a buffer for texts that are later escaped together.
func (w *turnWriter) newRaw() *markup.Buffer {
	return &markup.Buffer{Escape: w.Escape, Source: w.Source}
}

// writeLines writes blocks as lines after the text in raw. first is the index of the first block in
// member; it is negative if member is not a list. All text is escaped together, because a tag may
// span two blocks.
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

// element is a search result, or a document given as text.
type element struct {
	tag, title              string
	label, origin, originIs string // where it is from, with a label, and the member of the block with this text
	content                 []messages.BlockParam
	contentIs               string // the member of the block with the content
	first                   int    // negative if the member is not a list
}

// writeElement writes a content with two lines above it: the title, and the origin after its label.
// Each is left out if it is "". They are escaped together with the content, because a tag may span
// the lines.
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

// addSource adds an image or a document as a part of its own.
func (w *turnWriter) addSource(partType string, b *messages.BlockParam) {
	w.endPart()
	title, context := w.Escape.TextFrom(b.Source.Title, w.Source), w.Escape.TextFrom(b.Source.Context, w.Source)
	part := Part{Type: partType, Source: b.Source.JSON, Title: title.Text, Context: context.Text, Results: w.results}
	if partType == PartDocument {
		part.Labels = w.language().Labels()
	}
	w.addPart(part, PartOrigins{Title: title.Origins, Context: context.Origins, Source: w.Source})
}
