package proxy

import (
	"bytes"
	"strconv"
	"time"
	"unicode"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// chatFrames writes events of the Messages API as chunks of Chat Completions (docs/reference/clients.md §8). Texts and
// thinking are deltas of the one message. Calls have indexes of their own: 0 is the first call.
type chatFrames struct {
	includeUsage bool // the client asks for the usage, in a chunk before the end
	text         chatText
	head         []byte // the beginning of a chunk, up to the delta
	blocks       []streamedBlock
	calls        int // the number of calls so far
	finish       string
	usage        messages.Usage
}

// The ends of chunks that do not end the answer, without and with usage.
const (
	chatTail      = `,"logprobs":null,"finish_reason":null}]}` + "\n\n"
	chatUsageTail = `,"logprobs":null,"finish_reason":null}],"usage":null}` + "\n\n"
)

func (f *chatFrames) appendEvent(dst []byte, e messages.Event, _ time.Duration) []byte {
	switch e.Type {
	case messages.MessageStart:
		head := appendMarshaled([]byte("data: "), newChatHead(e.Message, "chat.completion.chunk"))
		f.head = append(head[:len(head)-1], `,"choices":[{"index":0,"delta":`...)
		dst = append(append(dst, f.head...), `{"role":"assistant","content":"","refusal":null}`...)
		return f.appendTail(dst)
	case messages.ContentBlockStart:
		return f.startBlock(dst, e.Block)
	case messages.ContentBlockDelta:
		return f.appendDelta(dst, e)
	case messages.ContentBlockStop:
		// Clients join the arguments of a call and read them as JSON, so a call without arguments has an empty object.
		if b := &f.blocks[e.Index]; b.input != nil && !b.hasDelta {
			return f.appendArguments(dst, b, b.input)
		}
	case messages.MessageDelta:
		f.finish, f.usage = chatFinish(e.Message.StopReason), e.Message.Usage
		return f.appendText(dst, "content", f.text.take())
	case messages.MessageStop:
		return f.appendEnd(dst)
	}
	return dst
}

// appendFailure appends an error, which OpenAI's SDKs raise. The SDK for .NET does not know errors in streams, and raises
// only what it cannot read: choices that are null. [DONE] does not follow.
func (f *chatFrames) appendFailure(dst []byte, failed *failure, _ string) []byte {
	dst = appendChatError(append(dst, "data: "...), failed)
	return append(dst[:len(dst)-1], `,"choices":null}`+"\n\n"...)
}

// startBlock appends the id and the name of a call. Other blocks begin with their first delta; from a model with its
// own tools API, their start may have the first words.
func (f *chatFrames) startBlock(dst []byte, b *messages.ContentBlock) []byte {
	f.blocks = append(f.blocks, streamedBlock{index: -1})
	switch b.Type {
	case messages.BlockText:
		return f.appendText(dst, "content", f.text.content([]byte(b.Text)))
	case messages.BlockThinking:
		return f.appendText(dst, "reasoning_content", []byte(b.Thinking))
	case messages.BlockToolUse:
		block := &f.blocks[len(f.blocks)-1]
		block.index, block.input = f.calls, []byte(chatArguments(b))
		f.calls++
		dst = f.openCall(f.appendText(dst, "reasoning_content", f.text.take()), block)
		dst = append(dst, `,"id":`...)
		dst = rawjson.AppendString(dst, b.ID)
		dst = append(dst, `,"type":"function","function":{"name":`...)
		dst = rawjson.AppendString(dst, b.Name)
		return f.appendTail(append(dst, `,"arguments":""}}]}`...))
	}
	return dst
}

// appendDelta appends a delta, unless Chat Completions has no such delta.
func (f *chatFrames) appendDelta(dst []byte, e messages.Event) []byte {
	switch b := &f.blocks[e.Index]; {
	case e.Delta == messages.InputJSONDelta && b.input != nil:
		return f.appendArguments(dst, b, e.Text)
	case e.Delta == messages.TextDelta && b.input == nil:
		return f.appendText(dst, "content", f.text.content(e.Text))
	case e.Delta == messages.ThinkingDelta && b.input == nil:
		return f.appendText(dst, "reasoning_content", e.Text)
	}
	return dst
}

// appendText appends a delta of a text; nothing if the text is empty.
func (f *chatFrames) appendText(dst []byte, field string, text []byte) []byte {
	if len(text) == 0 {
		return dst
	}
	dst = append(append(append(append(dst, f.head...), `{"`...), field...), `":`...)
	return f.appendTail(append(rawjson.AppendString(dst, text), '}'))
}

// appendArguments appends a delta of a call's arguments. It skips blanks before them: the arguments may then still come
// from the start of the block.
func (f *chatFrames) appendArguments(dst []byte, b *streamedBlock, text []byte) []byte {
	if !b.hasDelta {
		text = bytes.TrimLeftFunc(text, unicode.IsSpace)
	}
	if len(text) == 0 {
		return dst
	}
	b.hasDelta = true
	dst = append(f.openCall(dst, b), `,"function":{"arguments":`...)
	return f.appendTail(append(rawjson.AppendString(dst, text), `}}]}`...))
}

// openCall begins a chunk with a delta of a call, up to the call's index.
func (f *chatFrames) openCall(dst []byte, b *streamedBlock) []byte {
	dst = append(append(dst, f.head...), `{"tool_calls":[{"index":`...)
	return strconv.AppendInt(dst, int64(b.index), 10)
}

// appendTail ends a chunk that does not end the answer.
func (f *chatFrames) appendTail(dst []byte) []byte {
	if f.includeUsage {
		return append(dst, chatUsageTail...)
	}
	return append(dst, chatTail...)
}

// appendEnd appends the chunk with the finish_reason, then the usage if the client asks for it, then [DONE].
func (f *chatFrames) appendEnd(dst []byte) []byte {
	dst = append(append(dst, f.head...), `{},"logprobs":null,"finish_reason":"`...)
	dst = append(append(dst, f.finish...), `"}]`...)
	if f.includeUsage {
		dst = append(dst, `,"usage":null}`+"\n\n"...)
		dst = append(dst, f.head[:bytes.LastIndex(f.head, []byte(`{"index"`))]...)
		dst = append(dst, `],"usage":`...)
		dst = appendMarshaled(dst, newChatUsage(f.usage))
	}
	return append(dst, "}\n\ndata: [DONE]\n\n"...)
}

// chatText sorts the text of an answer. Clients that ask for JSON parse the content, also beside calls. So if the client
// asks for JSON, what the model says before a call is not content, but reasoning.
type chatText struct {
	json  bool   // the client asks for JSON
	first byte   // the first character since the last call, except white space; 0 if there is none yet
	held  []byte // text that is content if no call follows
}

// content returns the text that is content, whatever follows: an object, from its first character on.
func (t *chatText) content(text []byte) []byte {
	if rest := bytes.TrimLeft(text, " \t\r\n"); t.first == 0 && len(rest) > 0 {
		t.first = rest[0]
	}
	if !t.json || t.first == '{' && t.held == nil {
		return text
	}
	if t.held = append(t.held, text...); t.first != '{' {
		return nil
	}
	text, t.held = t.held, nil
	return text
}

// take returns the text that is held back. At a call, this text is reasoning; at the end, it is content.
func (t *chatText) take() []byte {
	held := t.held
	t.first, t.held = 0, nil
	return held
}
