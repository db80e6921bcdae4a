package upstream

import (
	"errors"
	"strconv"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/rawjson"
)

// body is the JSON of a request while it is written: each text of a prompt goes once, escaped, into
// one buffer. What is written is the next member of the object that is open, or the next element of
// the array, with "" as its name; a name holds nothing that has to be escaped.
type body struct {
	out []byte
	err error // the first thing that cannot be written
}

// newBody returns an empty body with room for a prompt: a buffer that grows on the way would take
// several times the memory.
func newBody(p *translate.Prompt) *body {
	const frame = 64 // what stands around a text, about
	size := 1 << 10
	for i := range p.System {
		size += p.System[i].Text.EscapedLen() + frame
	}
	for i := range p.Turns {
		parts := p.Turns[i].Parts
		for j := range parts {
			size += parts[j].Text.EscapedLen() + len(parts[j].Source) + frame
		}
		size += frame
	}
	return &body{out: make([]byte, 0, size)}
}

// begin writes what stands before a value.
func (b *body) begin(name string) {
	if n := len(b.out); n > 0 {
		switch b.out[n-1] {
		case '{', '[':
		default:
			b.out = append(b.out, ',')
		}
	}
	if name != "" {
		b.out = append(b.out, '"')
		b.out = append(b.out, name...)
		b.out = append(b.out, `":`...)
	}
}

// open begins an object or an array.
func (b *body) open(name string, bracket byte) {
	b.begin(name)
	b.out = append(b.out, bracket)
}

// close ends the object or array that was opened last.
func (b *body) close(bracket byte) { b.out = append(b.out, bracket) }

// text writes a string.
func (b *body) text(name, s string) { b.joined(name, rawjson.Plain(s)) }

// joined writes a string that is made of texts. What is not UTF-8 cannot be written.
func (b *body) joined(name string, texts ...rawjson.Text) {
	b.begin(name)
	b.out = append(b.out, '"')
	for i := range texts {
		var ok bool
		if b.out, ok = texts[i].AppendEscaped(b.out); !ok {
			b.fail(errNotUTF8)
		}
	}
	b.out = append(b.out, '"')
}

var errNotUTF8 = errors.New("text that is not UTF-8")

// textUnlessEmpty writes a string, or nothing if it is empty.
func (b *body) textUnlessEmpty(name, s string) {
	if s != "" {
		b.text(name, s)
	}
}

// joinedUnlessEmpty writes a string that is one text, or nothing if it is empty.
func (b *body) joinedUnlessEmpty(name string, text rawjson.Text) {
	if !text.IsZero() {
		b.joined(name, text)
	}
}

// texts writes a list of strings, or nothing if it is empty.
func (b *body) texts(name string, list []string) {
	if len(list) == 0 {
		return
	}
	b.open(name, '[')
	for _, s := range list {
		b.text("", s)
	}
	b.close(']')
}

// source writes the source of an image or a document as the client gave it.
func (b *body) source(name string, source jsontext.Value) {
	if !source.IsValid() {
		b.fail(errors.New("a source that is not JSON"))
		return
	}
	b.begin(name)
	b.out = append(b.out, rawjson.Compact(source)...)
}

// number writes an integer.
func (b *body) number(name string, n int) {
	b.begin(name)
	b.out = strconv.AppendInt(b.out, int64(n), 10)
}

// flag writes true or false.
func (b *body) flag(name string, v bool) {
	b.begin(name)
	b.out = strconv.AppendBool(b.out, v)
}

// value writes any other value. It is for those that are small, and seldom sent.
func (b *body) value(name string, v any) {
	data, err := json.Marshal(v)
	if err != nil {
		b.fail(err)
		return
	}
	b.begin(name)
	b.out = append(b.out, data...)
}

// optional writes a parameter of a prompt, or nothing if the client sent none.
func optional[T int | float64](b *body, name string, v *T) {
	if v != nil {
		b.value(name, *v)
	}
}

// fail notes why the body cannot be written.
func (b *body) fail(err error) {
	if b.err == nil {
		b.err = err
	}
}

// end closes the body and returns it, or an [*Error] if it could not be written.
func (b *body) end() ([]byte, error) {
	if b.err != nil {
		e := invalidRequest.error("the prompt cannot be written as JSON")
		e.Err = b.err
		return nil, e
	}
	b.close('}')
	return b.out, nil
}
