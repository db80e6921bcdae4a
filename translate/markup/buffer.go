package markup

import (
	"bytes"
	"strconv"
)

// Buffer is a text of a prompt while it is written: markup, and text of the client. If [Escaper.Labels] is set, the
// buffer labels what is written with its [Origin]. The labels move with the text: [Buffer.Truncate] cuts both, and
// [Buffer.Take] returns both.
type Buffer struct {
	Out    []byte // bytes that nothing labels are markup from Source
	Escape *Escaper
	Source string // the path in the request of what is written next; At changes it
	labels []Origin
}

// Write adds markup.
func (b *Buffer) Write(s string) *Buffer {
	b.Out = append(b.Out, s...)
	return b
}

// WriteClient adds text of the client as it is.
func (b *Buffer) WriteClient(s string) *Buffer {
	b.At(b.Source)
	b.Out = append(b.Out, s...)
	b.label(len(b.Out), OriginClient, b.Source)
	return b
}

// WriteText adds text of the client to a turn or to the system prompt, escaped.
func (b *Buffer) WriteText(s string) *Buffer { return b.escape(s, InTurns, "", nil) }

// WriteTool adds text of the client to a tool description, escaped.
func (b *Buffer) WriteTool(s string) *Buffer { return b.escape(s, InTools, "", nil) }

// WriteValue adds the value of a parameter, escaped; parameter is the parameter's tag.
func (b *Buffer) WriteValue(s, parameter string) *Buffer {
	return b.escape(s, InValues, parameter, nil)
}

// WriteRaw is WriteText for a text that is made of several, which are escaped together: a tag may be spelled across
// them.
func (b *Buffer) WriteRaw(raw Sourced) *Buffer { return b.escape(raw.Text, InTurns, "", raw.Origins) }

// WriteTextBy adds what write appends for text of the client, once it is escaped. It must not matter whether write is
// called for all of the text or for each part of it.
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

// At sets the path in the request of what is written next. It returns the path before.
func (b *Buffer) At(source string) (before string) {
	b.label(len(b.Out), OriginMarkup, b.Source)
	before, b.Source = b.Source, source
	return before
}

// Enter is At for an element of a list that is a member of what stands at the current path. With a negative index it
// is for the member itself.
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

// LastSource returns the path of what was written last.
func (b *Buffer) LastSource() string {
	if b.At(b.Source); len(b.labels) == 0 {
		return b.Source
	}
	return b.labels[len(b.labels)-1].Source
}

// Truncate takes back what was written behind the first n bytes.
func (b *Buffer) Truncate(n int) {
	b.Out = b.Out[:n]
	for i := len(b.labels) - 1; i >= 0 && b.labels[i].End > n; i-- {
		if b.labels[i].End = n; startOf(b.labels, i) >= n {
			b.labels = b.labels[:i]
		}
	}
}

// TrimSuffix takes back what was written last, if it is suffix.
func (b *Buffer) TrimSuffix(suffix string) {
	b.Truncate(len(bytes.TrimSuffix(b.Out, []byte(suffix))))
}

// Take returns the text. The buffer is then empty.
func (b *Buffer) Take() Sourced {
	b.At(b.Source)
	text := Sourced{string(b.Out), b.labels}
	b.Out, b.labels = b.Out[:0], nil
	return text
}

// escape adds a text, escaped. origins are those of the text; nil if all of it is text of the client from the current
// path.
func (b *Buffer) escape(s string, names TagSet, parameter string, origins []Origin) *Buffer {
	b.At(b.Source)
	longer := len(b.Out) // by how much an offset in Out is higher than it is in s
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

// label labels the bytes up to an offset that have no label.
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
