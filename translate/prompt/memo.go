package prompt

import (
	"bytes"
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

// Memo keeps what is made of tools, for the next request that offers the same: their descriptions, and
// their schemas compiled. It also keeps in which language a conversation began, where that is asked
// for. It changes no prompt and no event, and takes some megabytes at most, whatever tools it sees. It
// may be used by several goroutines at once; a nil Memo keeps nothing.
type Memo struct {
	descriptions *memo.Table[describedTools] // by what appendMemoKey writes
	schemas      *memo.Table[*schema.Schema] // by the text of the schema
	languages    *memo.Table[string]         // by the beginning of a conversation
	constraints  *memo.Table[*Constraint]    // by what they are made of
	keys         *sync.Pool                  // of *[]byte: keys that are only looked up
}

// What a Memo may hold. A list of tools may take half of the bytes, which is more than a thousand tools:
// those that come once drop those that are not in use. What is longer is made anew each time.
const (
	memoLists, memoListBytes, memoListMost       = 64, 8 << 20, 4 << 20
	memoSchemas, memoSchemaBytes, memoSchemaMost = 1024, 4 << 20, 512 << 10
	memoTexts, memoTextBytes, memoTextMost       = 512, 1 << 20, 128 << 10
	memoRules, memoRuleBytes, memoRuleMost       = 64, 8 << 20, 1 << 20
)

// NewMemo returns a Memo that is empty.
func NewMemo() *Memo {
	return &Memo{
		descriptions: memo.New[describedTools](memoLists, memoListBytes, memoListMost),
		schemas:      memo.New[*schema.Schema](memoSchemas, memoSchemaBytes, memoSchemaMost),
		languages:    memo.New[string](memoTexts, memoTextBytes, memoTextMost),
		constraints:  memo.New[*Constraint](memoRules, memoRuleBytes, memoRuleMost),
		keys:         &sync.Pool{New: func() any { return new([]byte) }},
	}
}

// Of returns the memo of one client: what others sent shows in none of its answers, nor in the time that
// they take. All clients share the room.
func (m *Memo) Of(client string) *Memo {
	if m == nil {
		return nil
	}
	return &Memo{m.descriptions.Of(client), m.schemas.Of(client), m.languages.Of(client), m.constraints.Of(client), m.keys}
}

// Constraint returns the constraint that is kept for a key, or what build makes. Failures are not kept.
func (m *Memo) Constraint(key []byte, build func() (*Constraint, error)) (*Constraint, error) {
	if m == nil {
		return build()
	}
	if kept, ok := m.constraints.Find(key); ok {
		return kept, nil
	}
	c, err := build()
	if err == nil {
		size := len(c.Grammar) + len(c.Tag) + len(c.Schema)
		for _, trigger := range c.Triggers {
			size += len(trigger)
		}
		m.constraints.Keep(key, c, size)
	}
	return c, err
}

// describedTools is the text that describes tools, and the names that had to be escaped in it,
// and the tools as outliving has them, for those who read answers.
type describedTools struct {
	text    string
	example *ExampleCall
	escaped markup.TagSet
	tools   []messages.Tool
}

// compile is [schema.Compile].
func (m *Memo) compile(raw jsontext.Value) *schema.Schema {
	if !m.owns(raw) {
		return schema.Compile(raw)
	}
	if m != nil {
		if s, ok := m.schemas.Find(raw); ok {
			return s
		}
	}
	own := bytes.Clone(raw) // what is compiled refers to its text: all of the request would be kept
	s := schema.Compile(own)
	if m != nil {
		m.schemas.Keep(own, s, len(own)+s.Memory())
	}
	return s
}

// owns reports whether what compile returns for a schema refers to nothing of the request. A schema that
// is too long to be kept is not copied.
func (m *Memo) owns(raw jsontext.Value) bool { return m == nil || m.schemas.Takes(2*len(raw)) }

// identify is [langid.Identify].
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

// describe returns what r.describeTools makes.
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

// memoKeySize returns about how long the key of tools is.
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

// toolsMemory returns about how many bytes of memory tools take that outliving has made.
func toolsMemory(tools []messages.Tool) int {
	const each = 160 // besides the texts
	return each*len(tools) + memoKeySize(tools)
}

// appendMemoKey appends all that describeTools and outliving read, so that other tools or another
// target never give the same bytes. It is called before anything is escaped.
func (r *renderer) appendMemoKey(dst []byte) []byte {
	dst = appendField(dst, r.format.Name)
	dst = appendField(dst, r.format.Variant)
	dst = appendField(dst, r.target.ChatTemplate)
	dst = appendField(dst, r.target.Accept)
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

// appendField appends s so that where it ends is certain.
func appendField[S ~string | ~[]byte](dst []byte, s S) []byte {
	return append(binary.AppendUvarint(dst, uint64(len(s))), s...)
}

// Outliving returns tools without what only a prompt has of them.
func Outliving(tools []messages.Tool) []messages.Tool {
	own := make([]messages.Tool, len(tools))
	for i := range tools {
		t := &tools[i]
		own[i] = messages.Tool{Name: strings.Clone(t.Name), InputSchema: bytes.Clone(t.InputSchema), Streaming: t.Streaming, Strict: t.Strict}
	}
	return own
}
