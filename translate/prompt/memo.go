package prompt

import (
	"bytes"
	"context"
	"encoding/binary"
	"strconv"
	"strings"
	"sync"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/langid"
	"dragoman/translate/markup"
	"dragoman/translate/memo"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// Memo caches what is made from tools, for the next request with the same tools: their descriptions
// and their compiled schemas. It also caches the language of a conversation's first text. It never
// changes a prompt or an event, and takes a few megabytes at most. Several goroutines may use it at
// once. A nil Memo caches nothing.
type Memo struct {
	descriptions *memo.Table[describedTools] // keyed by what appendMemoKey writes
	schemas      *memo.Table[*schema.Schema] // keyed by the schema's text
	languages    *memo.Table[string]         // keyed by the start of a conversation
	constraints  *memo.Table[madeConstraint] // keyed by what they are made from
	keys         *sync.Pool                  // of *[]byte: keys for lookups
}

// The limits of a Memo. A list of tools may take half of the bytes, which is enough for more than a
// thousand tools. Lists that come only once displace unused lists. A longer list is made again for
// each request.
const (
	memoLists, memoListBytes, memoListMost       = 64, 8 << 20, 4 << 20
	memoSchemas, memoSchemaBytes, memoSchemaMost = 1024, 4 << 20, 512 << 10
	memoTexts, memoTextBytes, memoTextMost       = 512, 1 << 20, 128 << 10
	memoRules, memoRuleBytes, memoRuleMost       = 64, 8 << 20, 1 << 20
)

// NewMemo returns an empty Memo.
func NewMemo() *Memo {
	return &Memo{
		descriptions: memo.New[describedTools](memoLists, memoListBytes, memoListMost),
		schemas:      memo.New[*schema.Schema](memoSchemas, memoSchemaBytes, memoSchemaMost),
		languages:    memo.New[string](memoTexts, memoTextBytes, memoTextMost),
		constraints:  memo.New[madeConstraint](memoRules, memoRuleBytes, memoRuleMost),
		keys:         &sync.Pool{New: func() any { return new([]byte) }},
	}
}

// Of returns the memo of one client. No client can learn what another sent, from an answer or from
// the time it takes. All clients share the room.
func (m *Memo) Of(client string) *Memo {
	if m == nil {
		return nil
	}
	return &Memo{m.descriptions.Of(client), m.schemas.Of(client), m.languages.Of(client), m.constraints.Of(client), m.keys}
}

// madeConstraint is a constraint, or the reason why there can be none.
type madeConstraint struct {
	*Constraint
	err error
}

// Constraint returns the cached constraint for a key, or the result of build. It also caches an error, unless ctx has
// ended.
func (m *Memo) Constraint(ctx context.Context, key []byte, build func() (*Constraint, error)) (*Constraint, error) {
	if m == nil {
		return build()
	}
	if kept, ok := m.constraints.Find(key); ok {
		return kept.Constraint, kept.err
	}
	c, err := build()
	switch {
	case err == nil:
		size := len(c.Grammar) + len(c.Tag) + len(c.Schema)
		for _, trigger := range c.Triggers {
			size += len(trigger)
		}
		m.constraints.Keep(key, madeConstraint{c, nil}, size)
	case ctx.Err() == nil:
		m.constraints.Keep(key, madeConstraint{nil, err}, len(err.Error()))
	}
	return c, err
}

// describedTools is a text that describes tools, the names that it had to escape, and the tools as
// Outliving returns them, for whoever reads the answer.
type describedTools struct {
	text    string
	example *ExampleCall
	escaped markup.TagSet
	tools   []messages.Tool
}

// compile does what [schema.Compile] does, with the cache.
func (m *Memo) compile(raw jsontext.Value) *schema.Schema {
	if !m.owns(raw) {
		return schema.Compile(raw)
	}
	if m != nil {
		if s, ok := m.schemas.Find(raw); ok {
			return s
		}
	}
	own := bytes.Clone(raw) // a compiled schema refers to its text, and would keep the whole request in memory
	s := schema.Compile(own)
	if m != nil {
		m.schemas.Keep(own, s, len(own)+s.Memory())
	}
	return s
}

// owns reports whether the result of compile is independent of the request. A schema that is too
// long for the cache is not copied.
func (m *Memo) owns(raw jsontext.Value) bool { return m == nil || m.schemas.Takes(2*len(raw)) }

// identify does what [langid.Identify] does, with the cache.
func (m *Memo) identify(text string) string {
	if m == nil {
		return langid.Identify(text)
	}
	input := []byte(text[:min(len(text), langid.MaxBytes)])
	code, ok := m.languages.Find(input)
	if !ok {
		code = langid.Identify(text)
		m.languages.Keep(input, code, 0)
	}
	return code
}

// describe does what r.describeTools does, with the cache.
func (m *Memo) describe(r *renderer) (markup.Sourced, error) {
	if m == nil || !m.descriptions.Takes(2*memoKeySize(r.req.Tools)) {
		return r.describeTools()
	}
	key := m.keys.Get().(*[]byte)
	defer m.keys.Put(key)
	*key = r.appendMemoKey((*key)[:0])
	if kept, ok := m.descriptions.Find(*key); ok {
		r.escape.Used |= kept.escaped
		r.prompt.Tools, r.prompt.Example = kept.tools, kept.example
		return markup.Sourced{Text: kept.text}, nil
	}
	made, err := r.describeTools()
	if err == nil {
		r.prompt.Tools = Outliving(r.req.Tools)
		kept := describedTools{made.Text, r.prompt.Example, r.escape.Used, r.prompt.Tools}
		m.descriptions.Keep(*key, kept, len(kept.text)+toolsMemory(kept.tools))
	}
	return made, err
}

// memoKeySize returns the approximate length of the key for tools.
func memoKeySize(tools []messages.Tool) int {
	size := 0
	for i := range tools {
		t := &tools[i]
		size += len(t.Name) + len(t.Description) + len(t.InputSchema)
		for _, input := range t.InputExamples {
			size += len(input)
		}
	}
	return size
}

// toolsMemory returns the approximate memory of tools that Outliving returned.
func toolsMemory(tools []messages.Tool) int {
	const each = 160 // in addition to the texts
	return each*len(tools) + memoKeySize(tools)
}

// appendMemoKey appends everything that describeTools and Outliving read, so that different tools
// or targets always give different keys. It is called before anything is escaped.
func (r *renderer) appendMemoKey(dst []byte) []byte {
	dst = appendField(dst, r.format.Name)
	dst = appendField(dst, r.format.Variant)
	dst = appendField(dst, r.target.ChatTemplate)
	dst = appendField(dst, strings.Join(r.target.Accept, ","))
	dst = appendField(dst, r.target.Template)
	if !strings.Contains(r.target.Template, templateTools) {
		dst = appendField(dst, r.language().Name)
	}
	dst = appendField(dst, r.target.ExampleCall)
	dst = strconv.AppendBool(dst, r.escape.TurnMarkers)
	dst = binary.AppendUvarint(dst, uint64(r.target.tokens()))
	for i := range r.req.Tools {
		t := &r.req.Tools[i]
		dst = appendField(dst, t.Name)
		dst = appendField(dst, t.Description)
		dst = appendField(dst, t.InputSchema)
		dst = append(dst, byte(t.Streaming))
		dst = strconv.AppendBool(dst, t.Late)
		dst = binary.AppendUvarint(dst, uint64(len(t.InputExamples)))
		for _, input := range t.InputExamples {
			dst = appendField(dst, input)
		}
	}
	return dst
}

// appendField appends s with its length, so that its end is unambiguous.
func appendField[S ~string | ~[]byte](dst []byte, s S) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Outliving returns tools without the fields that only a prompt needs.
func Outliving(tools []messages.Tool) []messages.Tool {
	own := make([]messages.Tool, len(tools))
	for i := range tools {
		t := &tools[i]
		own[i] = messages.Tool{Name: strings.Clone(t.Name), InputSchema: bytes.Clone(t.InputSchema), Streaming: t.Streaming, Strict: t.Strict}
	}
	return own
}
