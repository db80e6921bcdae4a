package rawjson

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"
)

// This file passes texts on from one JSON into another.

// Text is a text of which parts may stand as in the JSON that they came in. Such a part is decoded for
// those who read the text, and is neither decoded nor quoted again for those who write it as JSON. The
// text then shares the memory of that JSON ([Index.Text]). The zero value is the empty text.
type Text struct {
	pieces *piece // the first of those with a part in JSON; nil for none
	plain  string // what follows them
}

// piece is two texts, one after the other.
type piece struct {
	plain  string
	quoted jsontext.Value // a string that is not empty, written just as AppendString does
	next   *piece
}

// inside returns what stands between the quotes.
func (p *piece) inside() []byte { return p.quoted[1 : len(p.quoted)-1] }

// Plain returns s as a Text.
func Plain(s string) Text { return Text{plain: s} }

// Quoted returns a text that is kept in JSON, for one that is written more often than it is read. What
// has other escapes than those of two bytes is kept as it is.
func Quoted(text []byte) Text {
	escapes := 0
	for _, c := range text {
		switch {
		case shortEscapes[c] != 0:
			escapes++
		case c < ' ':
			return Plain(string(text))
		}
	}
	if len(text) == 0 || !utf8.Valid(text) {
		return Plain(string(text))
	}
	quoted := AppendString(make([]byte, 0, len(text)+escapes+len(`""`)), text)
	return Text{pieces: &piece{quoted: quoted}}
}

// Then returns t with more behind it.
func (t Text) Then(more string) Text {
	t.plain += more
	return t
}

// IsZero reports whether the text is empty.
func (t Text) IsZero() bool { return t.pieces == nil && t.plain == "" }

// Equal reports whether two texts are the same, however they stand.
func (t Text) Equal(other Text) bool { return t.String() == other.String() }

// String returns the text. It is decoded anew each time if a part of it is JSON.
func (t Text) String() string {
	if t.pieces == nil {
		return t.plain
	}
	size := len(t.plain)
	for p := t.pieces; p != nil; p = p.next {
		size += len(p.plain) + len(p.quoted)
	}
	return string(t.Append(make([]byte, 0, size)))
}

// Append appends the text to dst, decoded.
func (t Text) Append(dst []byte) []byte {
	for p := t.pieces; p != nil; p = p.next {
		dst = append(dst, p.plain...)
		dst = AppendUnquoted(dst, p.quoted)
	}
	return append(dst, t.plain...)
}

// AppendEscaped appends the text to dst as the inside of a JSON string, as the function of that name
// does. It reports false if the text is not UTF-8.
func (t Text) AppendEscaped(dst []byte) (_ []byte, ok bool) {
	for p := t.pieces; p != nil; p = p.next {
		if dst, ok = appendValid(dst, p.plain); !ok {
			return dst, false
		}
		dst = append(dst, p.inside()...)
	}
	return appendValid(dst, t.plain)
}

// appendValid is AppendEscaped for a string.
func appendValid(dst []byte, s string) (_ []byte, ok bool) {
	if !utf8.ValidString(s) {
		return dst, false
	}
	return AppendEscapedUTF8(dst, []byte(s)), true // not a copy: the bytes are only read
}

// EscapedLen returns about how many bytes AppendEscaped appends: the escapes of most texts take less
// than a quarter of what the texts do.
func (t Text) EscapedLen() int {
	n := len(t.plain) * 5 / 4
	for p := t.pieces; p != nil; p = p.next {
		n += len(p.plain)*5/4 + len(p.quoted)
	}
	return n
}

// Len returns how many bytes the text has.
func (t Text) Len() int {
	n := len(t.plain)
	for p := t.pieces; p != nil; p = p.next {
		n += len(p.plain) + len(p.inside())
		for rest := p.inside(); ; n-- { // an escape of two bytes stands for one
			at := bytes.IndexByte(rest, '\\')
			if at < 0 {
				break
			}
			rest = rest[at+len(`\n`):]
		}
	}
	return n
}

// InJSON returns the inside of the JSON string that the text is, if all of it is one: it has no escapes
// but those of two bytes that [AppendString] writes. The caller must not change it.
func (t Text) InJSON() (inside []byte, ok bool) {
	if t.pieces == nil || t.pieces.next != nil || t.pieces.plain != "" || t.plain != "" {
		return nil, false
	}
	return t.pieces.inside(), true
}

// IsBlank reports whether there is nothing but white space in the text.
func (t Text) IsBlank() bool {
	for p := t.pieces; p != nil; p = p.next {
		if c := p.inside()[0]; c > ' ' && c < utf8.RuneSelf && c != '\\' {
			return false
		}
	}
	return strings.TrimSpace(t.String()) == ""
}

// BeginsWith reports whether the first byte of the text is c, which is ASCII.
func (t Text) BeginsWith(c byte) bool {
	if t.pieces == nil {
		return t.plain != "" && t.plain[0] == c
	}
	if first := t.pieces.plain; first != "" {
		return first[0] == c
	}
	inside := t.pieces.inside()
	if inside[0] == '\\' {
		return unescape[inside[1]] == c
	}
	return inside[0] == c
}

// EndsWith reports whether the last byte of the text is c, which is ASCII.
func (t Text) EndsWith(c byte) bool {
	if t.plain != "" || t.pieces == nil {
		return t.plain != "" && t.plain[len(t.plain)-1] == c
	}
	final := t.pieces
	for final.next != nil {
		final = final.next
	}
	inside := final.inside()
	before, last := inside[:len(inside)-1], inside[len(inside)-1]
	if slashes := len(before) - len(bytes.TrimRight(before, `\`)); slashes%2 == 1 { // last belongs to an escape
		return unescape[last] == c
	}
	return last == c
}

// MarshalText returns the text: JSON encoders write a string.
func (t Text) MarshalText() ([]byte, error) { return t.Append(nil), nil }

// UnmarshalText reads the text: JSON decoders read a string.
func (t *Text) UnmarshalText(text []byte) error {
	*t = Plain(string(text))
	return nil
}

// TextBuilder gathers a Text. The zero value is ready to use.
type TextBuilder struct {
	// Plain is what is not JSON of the text. Whoever builds it appends to it.
	Plain []byte
	parts []builtPart
}

// builtPart is a part in JSON, and where in Plain it stands.
type builtPart struct {
	at     int
	quoted jsontext.Value
}

// Add adds a text behind all else.
func (b *TextBuilder) Add(t Text) {
	for p := t.pieces; p != nil; p = p.next {
		b.Plain = append(b.Plain, p.plain...)
		b.parts = append(b.parts, builtPart{len(b.Plain), p.quoted})
	}
	b.Plain = append(b.Plain, t.plain...)
}

// IsEmpty reports whether nothing was added.
func (b *TextBuilder) IsEmpty() bool { return len(b.parts) == 0 && len(b.Plain) == 0 }

// Take returns the text and empties the builder.
func (b *TextBuilder) Take() Text {
	t, done := Text{plain: string(b.Plain)}, 0
	if len(b.parts) > 0 {
		pieces := make([]piece, len(b.parts))
		for i, part := range b.parts {
			pieces[i].plain, pieces[i].quoted = t.plain[:part.at-done], part.quoted
			if i > 0 {
				pieces[i-1].next = &pieces[i]
			}
			t.plain, done = t.plain[part.at-done:], part.at
		}
		t.pieces = &pieces[0]
		clear(b.parts) // what is built next is not to keep the JSON
	}
	b.Plain, b.parts = b.Plain[:0], b.parts[:0]
	return t
}
