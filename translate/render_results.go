package translate

import (
	"cmp"
	"context"
	"dragoman/translate/messages"
	"fmt"
	"slices"
	"strings"
)

// answer is a tool_result and the call that it answers.
type answer struct {
	call  pastCall
	block *messages.BlockParam
}

// results writes the results of the calls before this turn: all in one element,
// at its start, in the order of the calls, since nothing else tells which is
// whose (reference/legacy-format.md §7).
func (w *turnWriter) results(first, end int) error {
	var answers []answer
	for i := first; i < end; i++ {
		content := w.req.Messages[i].Content
		for j := range content {
			b := &content[j]
			if b.Type != messages.BlockToolResult {
				continue
			}
			call, ok := w.calls[b.ToolUseID]
			if !ok && b.ToolUseID == "" { // of a call that could not be read
				call, ok = pastCall{order: len(w.calls)}, true
			}
			if !ok {
				return &messages.InvalidRequestError{
					Path: fmt.Sprintf("messages.%d.content.%d", i, j),
					Message: fmt.Sprintf("unexpected `tool_use_id` found in `tool_result` blocks: %s. Each `tool_result` block "+
						"must have a corresponding `tool_use` block in the previous message.", b.ToolUseID),
				}
			}
			answers = append(answers, answer{call, b})
		}
	}
	if len(answers) == 0 {
		return nil
	}
	slices.SortStableFunc(answers, func(a, b answer) int { return cmp.Compare(a.call.order, b.call.order) })
	w.raw(w.format.results)
	for _, a := range answers {
		if w.ctx.Err() != nil {
			return context.Cause(w.ctx)
		}
		w.format.result(w, a)
	}
	w.close(w.format.resultsEnd)
	w.seal()
	return nil
}

// result writes one result. One without content is an empty line.
func (w *turnWriter) result(a answer) {
	if a.block.IsError {
		w.raw("<error>\n")
		w.content(a.block.Content)
		w.raw("\n</error>\n")
		return
	}
	w.raw("<result>\n<tool_name>", w.escape.Text(a.call.name), "</tool_name>\n<stdout>\n")
	w.content(a.block.Content)
	w.raw("\n</stdout>\n</result>\n")
}

// content writes blocks within an element of ours: text as text, a line each;
// what is no text as a part of its own, between parts with the text around it.
func (w *turnWriter) content(blocks []messages.BlockParam) {
	for i := 0; i < len(blocks); {
		if n := leadingLines(blocks[i:]); n > 0 {
			w.newline(i)
			w.raw(w.escape.Text(lines(blocks[i : i+n])))
			i += n
			continue
		}
		switch b := &blocks[i]; {
		case b.Type == messages.BlockSearchResult:
			w.newline(i)
			w.element("search_result", b.Source.Title, "Source: ", b.Source.Text, b.Content)
		case b.Type == messages.BlockDocument && (b.Source.Type == messages.SourceText || b.Source.Type == messages.SourceContent):
			w.newline(i)
			w.element("document", b.Source.Title, "Context: ", b.Source.Context, documentContent(b))
		case b.Type == messages.BlockDocument:
			w.source(PartDocument, b)
		default:
			w.source(PartImage, b)
		}
		i++
	}
}

// newline separates a block from the one before it, if that was text.
func (w *turnWriter) newline(i int) {
	if i > 0 && len(w.markup) > 0 {
		w.raw("\n")
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
func lines(blocks []messages.BlockParam) string {
	if len(blocks) == 1 && blocks[0].Type == messages.BlockText {
		return blocks[0].Text
	}
	texts := make([]string, len(blocks))
	for i := range blocks {
		if texts[i] = blocks[i].Text; blocks[i].Type == messages.BlockToolReference {
			texts[i] = "The tool " + blocks[i].Name + " fits."
		}
	}
	return strings.Join(texts, "\n")
}

// element writes a text with its title and where it is from, a line each, above
// it. They are escaped as one: a tag may be spelled across them.
func (w *turnWriter) element(tag, title, label, of string, content []messages.BlockParam) {
	var head string
	if title != "" {
		head = "Title: " + title + "\n"
	}
	if of != "" {
		head += label + of + "\n"
	}
	if head != "" {
		head += "\n"
	}
	n := leadingLines(content)
	w.raw("<", tag, ">\n", w.escape.Text(head+lines(content[:n])))
	w.content(content[n:])
	w.raw("\n</", tag, ">")
}

// documentContent returns the blocks of a document that is given as text.
func documentContent(b *messages.BlockParam) []messages.BlockParam {
	if b.Source.Type == messages.SourceContent {
		return b.Content
	}
	return []messages.BlockParam{{Type: messages.BlockText, Text: b.Source.Text}}
}

// source makes an image or a document a part.
func (w *turnWriter) source(partType string, b *messages.BlockParam) {
	w.seal()
	w.parts = append(w.parts, Part{
		Type:    partType,
		Source:  b.Source.JSON,
		Title:   w.escape.Text(b.Source.Title),
		Context: w.escape.Text(b.Source.Context),
	})
}
