package translate

import (
	"dragoman/translate/messages"
	"fmt"
	"strings"
)

// content writes blocks within an element of ours: text as text, a line each;
// what is no text as a part of its own, between parts with the text around it.
func (w *turnWriter) writeContent(blocks []messages.BlockParam) {
	for i := 0; i < len(blocks); {
		if n := leadingLines(blocks[i:]); n > 0 {
			w.separate(i)
			w.write(w.escape.Text(w.joinLines(blocks[i : i+n])))
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

// newline separates a block from the one before it, if that was text.
func (w *turnWriter) separate(i int) {
	if i > 0 && len(w.buf) > 0 {
		w.write("\n")
	}
}

// leadingLines counts the blocks at the start that are lines of text.
func leadingLines(blocks []messages.BlockParam) int {
	for i := range blocks {
		if t := blocks[i].Type; t != messages.BlockText && t != messages.BlockToolReference {
			return i
		}
	}
	return len(blocks)
}

// lines joins blocks, so that their texts are escaped as one: a tag may be
// spelled across them.
func (w *turnWriter) joinLines(blocks []messages.BlockParam) string {
	if len(blocks) == 1 && blocks[0].Type == messages.BlockText {
		return blocks[0].Text
	}
	texts := make([]string, len(blocks))
	for i := range blocks {
		if texts[i] = blocks[i].Text; blocks[i].Type == messages.BlockToolReference {
			texts[i] = fmt.Sprintf(w.language().toolFits, blocks[i].Name)
		}
	}
	return strings.Join(texts, "\n")
}

// element writes a text with its title and where it is from, a line each, above
// it. They are escaped as one: a tag may be spelled across them.
func (w *turnWriter) writeElement(tag, title, label, of string, content []messages.BlockParam) {
	var head string
	if title != "" {
		head = w.language().titleLabel + title + "\n"
	}
	if of != "" {
		head += label + of + "\n"
	}
	if head != "" {
		head += "\n"
	}
	n := leadingLines(content)
	w.write("<", tag, ">\n", w.escape.Text(head+w.joinLines(content[:n])))
	w.writeContent(content[n:])
	w.write("\n</", tag, ">")
}

// documentContent returns the blocks of a document that is given as text.
func documentContent(b *messages.BlockParam) []messages.BlockParam {
	if b.Source.Type == messages.SourceContent {
		return b.Content
	}
	return []messages.BlockParam{{Type: messages.BlockText, Text: b.Source.Text}}
}

// source makes an image or a document a part.
func (w *turnWriter) addSource(partType string, b *messages.BlockParam) {
	w.endPart()
	w.parts = append(w.parts, Part{
		Type:    partType,
		Source:  b.Source.JSON,
		Title:   w.escape.Text(b.Source.Title),
		Context: w.escape.Text(b.Source.Context),
	})
}
