package proxy

import (
	"bytes"
	"fmt"
	"net/http"
	"strconv"
	"time"
	"unicode"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/proxy/convert"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/upstream/converse"
	"dragoman/upstream/eventstream"
)

// bedrockConverse is Bedrock's Converse, with and without a stream (docs/reference/bedrock.md §5). The API has no
// pings. Its clients ignore unknown events, because the API grows, so a ping is an event with a name of our own. An
// empty delta would not do: it would need an open block.
var bedrockConverse = dialect{
	name:          "bedrock_converse",
	setID:         setBedrockID,
	credentials:   bedrockCredentials,
	convert:       convert.FromConverse,
	read:          readBedrock,
	nativeRequest: nativeBedrock,
	appendMessage: converseMessageJSON,
	failureBody:   bedrockFailure,
	streamHeader: http.Header{
		"Content-Type":      {eventstream.MediaType},
		"Cache-Control":     {"no-cache"},
		"X-Accel-Buffering": {"no"},
	},
	pingFrame: eventstream.Append(nil, eventstream.EventHeaders("ping"), []byte("{}")),
	newFrames: func(http.Header, *convert.Conversion) frameWriter { return &converseFrames{} },
}

// converseMessageJSON appends a whole answer.
func converseMessageJSON(_ http.Header, dst []byte, _ *convert.Conversion, m *messages.Message, took time.Duration) []byte {
	answer := converse.Answer{Ending: newEnding(m), Metering: newMetering(m.Usage, took)}
	answer.Output.Message = converse.Message{Role: messages.RoleAssistant, Content: []converse.Block{}}
	for i := range m.Content {
		if c, ok := newContent(&m.Content[i]); ok {
			answer.Output.Message.Content = append(answer.Output.Message.Content, c)
		}
	}
	return appendMarshaled(dst, answer)
}

// bedrockCount is Bedrock's CountTokens, for a request of InvokeModel or of Converse (docs/reference/bedrock.md §6).
var bedrockCount = func() dialect {
	d := bedrockConverse
	d.name = "bedrock_count"
	d.convert = convert.FromCountTokens
	d.appendTokenCount = func(dst []byte, tokens int) []byte { return fmt.Appendf(dst, `{"inputTokens":%d}`, tokens) }
	return d
}()

// The parts of a Converse answer, whole or streamed (docs/reference/bedrock.md §5).

// converseStops maps stop reasons to the names that Converse has for them.
var converseStops = map[messages.Stop]string{
	messages.StopEndTurn:       converse.ReasonEndTurn,
	messages.StopToolUse:       converse.ReasonToolUse,
	messages.StopMaxTokens:     converse.ReasonMaxTokens,
	messages.StopSequence:      converse.ReasonSequence,
	messages.StopRefusal:       converse.ReasonContentFiltered,
	messages.StopGuardrail:     converse.ReasonGuardrail,
	messages.StopContextWindow: converse.ReasonContextWindow,
}

// converseStop returns the Converse name of a stop reason. A reason that Converse does not have, from a model with its
// own tools API, becomes the end of the turn.
func converseStop(s messages.Stop) string {
	if name, ok := converseStops[s]; ok {
		return name
	}
	return converse.ReasonEndTurn
}

// converseSequence is the stop sequence in the place where a client asks for it: a path in a message or in a stream's
// event. Dragoman always sends it in both places, because a client can ask for no other field.
type converseSequence struct {
	StopSequence string `json:"stop_sequence"`
	Delta        struct {
		StopSequence string `json:"stop_sequence"`
	} `json:"delta"`
}

// newEnding returns why an answer ended, in the form of Converse.
func newEnding(m *messages.Message) converse.Ending {
	e := converse.Ending{StopReason: converseStop(m.StopReason)}
	if m.StopSequence != "" {
		fields := converseSequence{StopSequence: m.StopSequence}
		fields.Delta.StopSequence = m.StopSequence
		e.Fields = appendMarshaled(nil, fields)
	}
	return e
}

// newMetering returns the tokens and the time of an answer, in the form of Converse.
func newMetering(u messages.Usage, took time.Duration) (m converse.Metering) {
	m.Usage.Input, m.Usage.Output = u.InputTokens, u.OutputTokens
	m.Usage.CacheRead, m.Usage.CacheWrite = u.CacheReadInputTokens, u.CacheCreationInputTokens
	m.Usage.Total = u.InputTokens + u.OutputTokens + u.CacheReadInputTokens + u.CacheCreationInputTokens
	m.Metrics.Latency = took.Milliseconds()
	return m
}

// newContent returns a block of an answer. ok is false if Converse has no such block: a tool that the model's own API
// has run.
func newContent(b *messages.ContentBlock) (c converse.Block, ok bool) {
	switch b.Type {
	case messages.BlockText:
		c.Text = &b.Text
	case messages.BlockToolUse:
		c.ToolUse = &converse.ToolUse{ID: b.ID, Name: b.Name, Input: b.Input}
		if len(b.Input) == 0 || b.Input.Kind() == 'n' {
			c.ToolUse.Input = jsontext.Value("{}")
		}
	case messages.BlockThinking:
		c.Reasoning = &converse.Reasoning{Text: &converse.ReasoningText{Text: b.Thinking, Signature: b.Signature}}
	case messages.BlockRedacted:
		c.Reasoning = &converse.Reasoning{Redacted: b.Data}
	default:
		return c, false
	}
	return c, true
}

// appendMarshaled appends v as JSON. It panics if v has no JSON form, which would be a bug.
func appendMarshaled(dst []byte, v any) []byte {
	data, err := json.Marshal(v, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		panic(err)
	}
	return append(dst, data...)
}

// converseFrames writes events of the Messages API as events of ConverseStream (docs/reference/bedrock.md §5). It omits
// blocks that Converse does not have, so that later blocks have a lower index than in the Messages API.
type converseFrames struct {
	blocks  []streamedBlock // indexed as in the Messages API
	shown   int             // the number of blocks written so far
	ending  converse.Ending
	usage   messages.Usage
	payload []byte // a buffer that every frame reuses
}

// streamedBlock is a content block of the stream.
type streamedBlock struct {
	index    int            // on the client's wire; -1 if the block is omitted
	hasDelta bool           // a delta has been written
	input    jsontext.Value // a call's input from the block's start; nil for other blocks
}

// The headers of each kind of frame.
var (
	converseStart      = eventstream.EventHeaders(converse.EventMessageStart)
	converseBlockStart = eventstream.EventHeaders(converse.EventContentBlockStart)
	converseBlockDelta = eventstream.EventHeaders(converse.EventContentBlockDelta)
	converseBlockStop  = eventstream.EventHeaders(converse.EventContentBlockStop)
	converseStopped    = eventstream.EventHeaders(converse.EventMessageStop)
	converseMetadata   = eventstream.EventHeaders(converse.EventMetadata)
)

func (f *converseFrames) appendEvent(dst []byte, e messages.Event, took time.Duration) []byte {
	switch e.Type {
	case messages.MessageStart:
		return eventstream.Append(dst, converseStart, []byte(`{"role":"assistant"}`))
	case messages.ContentBlockStart:
		return f.startBlock(dst, e.Block)
	case messages.ContentBlockDelta:
		return f.appendDelta(dst, e)
	case messages.ContentBlockStop:
		return f.stopBlock(dst, e.Index)
	case messages.MessageDelta:
		f.ending, f.usage = newEnding(e.Message), e.Message.Usage
	case messages.MessageStop:
		f.payload = appendMarshaled(f.payload[:0], f.ending)
		dst = eventstream.Append(dst, converseStopped, f.payload)
		f.payload = appendMarshaled(f.payload[:0], newMetering(f.usage, took))
		return eventstream.Append(dst, converseMetadata, f.payload)
	}
	return dst
}

func (f *converseFrames) appendFailure(dst []byte, failed *failure, _ string) []byte {
	return appendExceptionFrame(dst, failed)
}

// startBlock appends the start of a call. Other blocks begin with their first delta.
func (f *converseFrames) startBlock(dst []byte, b *messages.ContentBlock) []byte {
	c, known := newContent(b)
	if !known {
		f.blocks = append(f.blocks, streamedBlock{index: -1})
		return dst
	}
	f.blocks = append(f.blocks, streamedBlock{index: f.shown})
	f.shown++
	block := &f.blocks[len(f.blocks)-1]
	if c.ToolUse == nil { // a model with its own tools API may send the first words in the block's start
		dst = f.appendText(dst, block, converseDeltas[messages.TextDelta], []byte(b.Text))
		dst = f.appendText(dst, block, converseDeltas[messages.ThinkingDelta], []byte(b.Thinking))
		return f.appendText(dst, block, converseRedacted, []byte(b.Data))
	}
	block.input, c.ToolUse.Input = c.ToolUse.Input, nil
	f.openPayload(f.shown - 1)
	f.payload = append(f.payload, `,"start":`...)
	f.payload = append(appendMarshaled(f.payload, c), '}')
	return eventstream.Append(dst, converseBlockStart, f.payload)
}

// wrapping is the JSON before and after a delta's text.
type wrapping struct{ before, after string }

var converseDeltas = [...]wrapping{
	messages.TextDelta:      {`,"delta":{"text":`, `}}`},
	messages.InputJSONDelta: {`,"delta":{"toolUse":{"input":`, `}}}`},
	messages.ThinkingDelta:  {`,"delta":{"reasoningContent":{"text":`, `}}}`},
	messages.SignatureDelta: {`,"delta":{"reasoningContent":{"signature":`, `}}}`},
	messages.OtherDelta:     {},
}

var converseRedacted = wrapping{`,"delta":{"reasoningContent":{"redactedContent":`, `}}}`}

// appendDelta appends a delta. Within a call, it ignores deltas that are not input.
func (f *converseFrames) appendDelta(dst []byte, e messages.Event) []byte {
	b := &f.blocks[e.Index]
	if b.input != nil && e.Delta != messages.InputJSONDelta {
		return dst
	}
	return f.appendText(dst, b, converseDeltas[e.Delta], e.Text)
}

// appendText appends a delta with the text, unless Converse has no such block or delta. It skips blanks before the
// input of a call: they are not input, and stopBlock may write an input instead.
func (f *converseFrames) appendText(dst []byte, b *streamedBlock, around wrapping, text []byte) []byte {
	if b.input != nil && !b.hasDelta {
		text = bytes.TrimLeftFunc(text, unicode.IsSpace)
	}
	if b.index < 0 || around.before == "" || len(text) == 0 {
		return dst
	}
	b.hasDelta = true
	f.openPayload(b.index)
	f.payload = append(f.payload, around.before...)
	f.payload = rawjson.AppendString(f.payload, text)
	f.payload = append(f.payload, around.after...)
	return eventstream.Append(dst, converseBlockDelta, f.payload)
}

// stopBlock appends the end of a block. Clients join the deltas of a call and read them as JSON. A call without deltas
// has its whole input in its start, where Converse has no field for it, so stopBlock writes it as a delta
// (docs/reference/streaming.md §5).
func (f *converseFrames) stopBlock(dst []byte, index int) []byte {
	b := &f.blocks[index]
	if b.index < 0 {
		return dst
	}
	if b.input != nil && !b.hasDelta {
		dst = f.appendText(dst, b, converseDeltas[messages.InputJSONDelta], b.input)
	}
	f.openPayload(b.index)
	f.payload = append(f.payload, '}')
	return eventstream.Append(dst, converseBlockStop, f.payload)
}

// openPayload begins the payload of a block's frame, with the block's index.
func (f *converseFrames) openPayload(index int) {
	f.payload = append(f.payload[:0], `{"contentBlockIndex":`...)
	f.payload = strconv.AppendInt(f.payload, int64(index), 10)
}
