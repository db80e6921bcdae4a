package translate

import (
	"fmt"
	"strings"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// What a turn holds besides plain text and calls: the contents of results and system
// messages, and images, documents and search results wherever they stand.

// writeContent writes blocks, within an element that the caller has begun: text blocks a
// line each, documents given as text and search results as elements. Images and other
// documents are parts of their own, so that the element may span several parts.
func (w *turnWriter) writeContent(blocks []messages.BlockParam) {
	for i := 0; i < len(blocks); {
		if n := leadingLines(blocks[i:]); n > 0 {
			w.separate(i)
			w.writeEscaped(w.joinLines(blocks[i : i+n]))
			i += n
			continue
		}
		switch b := &blocks[i]; {
		case b.Type == messages.BlockSearchResult:
			w.separate(i)
			w.writeElement("search_result", b.Source.Title, w.language().sourceLabel, b.Source.Text, b.Content)
		case b.Type == messages.BlockDocument && (b.Source.Type == messages.SourceText || b.Source.Type == messages.SourceContent):
			w.separate(i)
			w.writeElement("document", b.Source.Title, w.language().contextLabel, b.Source.Context, documentContent(b))
		case b.Type == messages.BlockDocument:
			w.addSource(PartDocument, b)
		default:
			w.addSource(PartImage, b)
		}
		i++
	}
}

// separate writes a newline before block i of a content, unless it is the first or
// follows an image or document.
func (w *turnWriter) separate(i int) {
	if i > 0 && !w.text.IsEmpty() {
		w.write("\n")
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

// joinLines returns the text of blocks that are lines. The caller escapes it as one text,
// since a tag may be spelled across two blocks.
func (w *turnWriter) joinLines(blocks []messages.BlockParam) rawjson.Text {
	if len(blocks) == 1 && blocks[0].Type == messages.BlockText {
		return blocks[0].Text
	}
	lines := make([]string, len(blocks))
	for i := range blocks {
		if lines[i] = blocks[i].Text.String(); blocks[i].Type == messages.BlockToolReference {
			lines[i] = fmt.Sprintf(w.language().toolFits, blocks[i].Name)
		}
	}
	return rawjson.Plain(strings.Join(lines, "\n"))
}

// writeElement writes a content with two lines above it, each unless it is "": the title,
// and origin after its label. They are escaped together with the text below them, since a
// tag may be spelled across the lines.
func (w *turnWriter) writeElement(tag, title, label, origin string, content []messages.BlockParam) {
	var head string
	if title != "" {
		head = w.language().titleLabel + title + "\n"
	}
	if origin != "" {
		head += label + origin + "\n"
	}
	if head != "" {
		head += "\n"
	}
	n := leadingLines(content)
	w.write("<", tag, ">\n")
	w.writeEscaped(rawjson.Plain(head + w.joinLines(content[:n]).String()))
	w.writeContent(content[n:])
	w.write("\n</", tag, ">")
}

// documentContent returns the blocks of a document that is given as text.
func documentContent(b *messages.BlockParam) []messages.BlockParam {
	if b.Source.Type == messages.SourceContent {
		return b.Content
	}
	return []messages.BlockParam{{Type: messages.BlockText, Text: rawjson.Plain(b.Source.Text)}}
}

// addSource makes an image or a document a part of its own.
func (w *turnWriter) addSource(partType string, b *messages.BlockParam) {
	w.endPart()
	part := Part{
		Type:    partType,
		Source:  b.Source.JSON,
		Title:   w.escape.Text(b.Source.Title),
		Context: w.escape.Text(b.Source.Context),
	}
	if partType == PartDocument {
		part.Labels = w.language().labels()
	}
	w.parts = append(w.parts, part)
}
