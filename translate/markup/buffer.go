package markup

import (
	"bytes"
	"strconv"
)

// Buffer collects the text of a prompt: markup and the client's text. If [Escaper.Labels] is set,
// the buffer labels each part with its [Origin]. The labels move with the text: [Buffer.Truncate]
// cuts both, and [Buffer.Take] returns both.
type Buffer struct {
	Out    []byte // bytes without a label are markup from Source
	Escape *Escaper
	Source string // the path in the request for the next text; set by At
	labels []Origin
}

// Write adds markup.
func (b *Buffer) Write(s string) *Buffer {
	b.Out = append(b.Out, s...)
	return b
}

// WriteClient adds the client's text without escaping.
func (b *Buffer) WriteClient(s string) *Buffer {
	b.At(b.Source)
	b.Out = append(b.Out, s...)
	b.label(len(b.Out), OriginClient, b.Source)
	return b
}

// WriteText adds the client's text to a turn or to the system prompt, escaped.
func (b *Buffer) WriteText(s string) *Buffer { return b.escape(s, InTurns, "", nil) }

// WriteTool adds the client's text to a tool description, escaped.
func (b *Buffer) WriteTool(s string) *Buffer { return b.escape(s, InTools, "", nil) }

// WriteValue adds the value of a parameter, escaped. parameter is the parameter's tag.
func (b *Buffer) WriteValue(s, parameter string) *Buffer {
	return b.escape(s, InValues, parameter, nil)
}

// WriteRaw does what WriteText does, for a text made of several parts. They are escaped together,
// because a tag may span two parts.
func (b *Buffer) WriteRaw(raw Sourced) *Buffer { return b.escape(raw.Text, InTurns, "", raw.Origins) }

// WriteTextBy escapes the client's text and adds it through write. Calling write for each part must
// give the same as calling it for the whole text.
func (b *Buffer) WriteTextBy(s string, write func(dst []byte, part string) []byte) *Buffer {
	text := b.Escape.TextFrom(s, b.Source)
	if !b.Escape.Labels {
		b.Out = write(b.Out, text.Text)
		return b
	}
	b.At(b.Source)
	at := 0
	for _, o := range text.Origins {
		b.Out = write(b.Out, text.Text[at:o.End])
		b.label(len(b.Out), o.Kind, o.Source)
		at = o.End
	}
	return b
}

// At sets the path in the request for the next text. It returns the previous path.
func (b *Buffer) At(source string) (before string) {
	b.label(len(b.Out), OriginMarkup, b.Source)
	before, b.Source = b.Source, source
	return before
}

// Enter does what At does, for a list element: member is a member of the object at the current
// path, and index an index in it. If index is negative, the path is the member itself.
func (b *Buffer) Enter(member string, index int) (before string) {
	if !b.Escape.Labels {
		return ""
	}
	path := member
	if b.Source != "" {
		path = b.Source + "." + member
	}
	if index >= 0 {
		path += "." + strconv.Itoa(index)
	}
	return b.At(path)
}

// LastSource returns the path of the last text.
func (b *Buffer) LastSource() string {
	if b.At(b.Source); len(b.labels) == 0 {
		return b.Source
	}
	return b.labels[len(b.labels)-1].Source
}

// Truncate removes everything after the first n bytes.
func (b *Buffer) Truncate(n int) {
	b.Out = b.Out[:n]
	for i := len(b.labels) - 1; i >= 0 && b.labels[i].End > n; i-- {
		if b.labels[i].End = n; startOf(b.labels, i) >= n {
			b.labels = b.labels[:i]
		}
	}
}

// TrimSuffix removes suffix from the end of the text, if the text ends with it.
func (b *Buffer) TrimSuffix(suffix string) {
	b.Truncate(len(bytes.TrimSuffix(b.Out, []byte(suffix))))
}

// Take returns the text and empties the buffer.
func (b *Buffer) Take() Sourced {
	b.At(b.Source)
	text := Sourced{string(b.Out), b.labels}
	b.Out, b.labels = b.Out[:0], nil
	return text
}

// escape adds a text, escaped. origins are the labels of the text; nil means that all of it is the
// client's, from the current path.
func (b *Buffer) escape(s string, names TagSet, parameter string, origins []Origin) *Buffer {
	b.At(b.Source)
	longer := len(b.Out) // how much an offset in Out exceeds the same offset in s
	b.Out = b.Escape.append(b.Out, s, names, parameter)
	if !b.Escape.Labels {
		return b
	}
	if origins == nil {
		origins = []Origin{{len(s), OriginClient, b.Source}}
	}
	entities := b.Escape.entities
	for _, o := range origins {
		for len(entities) > 0 && entities[0].at < o.End {
			c := entities[0]
			b.label(longer+c.at, o.Kind, o.Source)
			longer += c.len - 1
			b.label(longer+c.at+1, OriginEscape, o.Source)
			entities = entities[1:]
		}
		b.label(longer+o.End, o.Kind, o.Source)
	}
	return b
}

// label labels the unlabelled bytes before end.
func (b *Buffer) label(end int, kind OriginKind, source string) {
	n := len(b.labels)
	switch {
	case !b.Escape.Labels || startOf(b.labels, n) >= end:
	case n > 0 && kind != OriginEscape && b.labels[n-1].Kind == kind && b.labels[n-1].Source == source:
		b.labels[n-1].End = end
	default:
		b.labels = append(b.labels, Origin{end, kind, source})
	}
}
