package proxy

import (
	"bytes"
	"strconv"
	"time"
	"unicode"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/upstream/converse"
	"dragoman/upstream/eventstream"
)

// converseFrames writes the events of the Messages API as those of ConverseStream
// (docs/reference/bedrock.md §5). The API has no term for some kinds of block: they are
// left out, and the index of all later ones is lower than in the Messages API.
type converseFrames struct {
	blocks  []streamedBlock // by the index in the Messages API
	shown   int             // the number of blocks that are not left out
	ending  converse.Ending
	usage   messages.Usage
	payload []byte // a buffer for one frame after another
}

// streamedBlock is a content block of the stream.
type streamedBlock struct {
	index    int            // on the client's wire; -1 if the block is left out
	hasDelta bool           // one has been written
	input    jsontext.Value // of a call, as its start has it; nil for other blocks
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

// startBlock appends the start of a call. Other blocks start with their first delta.
func (f *converseFrames) startBlock(dst []byte, b *messages.ContentBlock) []byte {
	c, known := newContent(b)
	if !known {
		f.blocks = append(f.blocks, streamedBlock{index: -1})
		return dst
	}
	f.blocks = append(f.blocks, streamedBlock{index: f.shown})
	f.shown++
	block := &f.blocks[len(f.blocks)-1]
	if c.ToolUse == nil { // a model with a tool API may send the first words with the start of the block
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

// wrapping is the JSON before and after the text of a delta.
type wrapping struct{ before, after string }

var converseDeltas = [...]wrapping{
	messages.TextDelta:      {`,"delta":{"text":`, `}}`},
	messages.InputJSONDelta: {`,"delta":{"toolUse":{"input":`, `}}}`},
	messages.ThinkingDelta:  {`,"delta":{"reasoningContent":{"text":`, `}}}`},
	messages.SignatureDelta: {`,"delta":{"reasoningContent":{"signature":`, `}}}`},
	messages.OtherDelta:     {},
}

var converseRedacted = wrapping{`,"delta":{"reasoningContent":{"redactedContent":`, `}}}`}

// appendDelta appends a delta, but for those in a call that are not of its input.
func (f *converseFrames) appendDelta(dst []byte, e messages.Event) []byte {
	b := &f.blocks[e.Index]
	if b.input != nil && e.Delta != messages.InputJSONDelta {
		return dst
	}
	return f.appendText(dst, b, converseDeltas[e.Delta], e.Text)
}

// appendText appends a delta with the text, unless the API has no term for either. Blanks
// before the input of a call are left out: they are no input, and stopBlock may have one to
// write.
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

// stopBlock appends the end of a block. Clients join the deltas of a call and read them as
// JSON. A call without a delta has the input that its start had, which this API has no
// place for: it becomes a delta (docs/reference/streaming.md §5).
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

// openPayload begins the payload of a frame about a block, with its index.
func (f *converseFrames) openPayload(index int) {
	f.payload = append(f.payload[:0], `{"contentBlockIndex":`...)
	f.payload = strconv.AppendInt(f.payload, int64(index), 10)
}
