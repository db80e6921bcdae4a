package upstream

import (
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// messagesEvent is an event of a Messages stream (docs/reference/streaming.md §3), with the members that a
// completion needs. One struct serves all types of event: the type says which members are set.
type messagesEvent struct {
	Type         string        `json:"type"`
	Delta        messagesDelta `json:"delta"`         // content_block_delta, message_delta
	ContentBlock messagesDelta `json:"content_block"` // content_block_start
	Usage        tokenUsage    `json:"usage"`         // message_delta
	Message      struct {
		Usage tokenUsage `json:"usage"`
	} `json:"message"` // message_start
	Error   messagesError  `json:"error"`
	Metrics bedrockMetrics `json:"amazon-bedrock-invocationMetrics"` // message_stop
}

// messagesDelta has the members of a delta, and of a content block at its start.
type messagesDelta struct {
	Type         string         `json:"type"`
	Text         string         `json:"text"`
	Thinking     string         `json:"thinking"`
	Name         string         `json:"name"`  // of a call
	Input        jsontext.Value `json:"input"` // of a call, at the start of its block
	PartialJSON  string         `json:"partial_json"`
	StopReason   string         `json:"stop_reason"`
	StopSequence string         `json:"stop_sequence"`
}

// bedrockMetrics is a member that Bedrock adds to the last event of an answer (docs/reference/bedrock.md §3).
type bedrockMetrics struct {
	Input      int `json:"inputTokenCount"`
	Output     int `json:"outputTokenCount"`
	CacheRead  int `json:"cacheReadInputTokenCount"`
	CacheWrite int `json:"cacheWriteInputTokenCount"`
}

// messagesDecoder turns the events of one Messages stream into chunks. The stream ends with message_stop. The
// stop reason comes before it, in message_delta. Several events have token counts; each replaces earlier
// ones.
type messagesDecoder struct {
	asked    []string // the stop sequences in the request
	usage    messages.Usage
	stop     messages.Stop
	sequence string // the stop sequence that ended the answer
	unknown  string // an unknown stop_reason
	calls    callPieces
	call     *openCall      // nil between calls
	event    messagesEvent  // the last event; the next one reuses its memory
	input    jsontext.Value // the open call's input at the start of its block; deltas replace it
}

// newMessagesDecoder returns a decoder for the answer to a prompt.
func newMessagesDecoder(p *translate.Prompt) *messagesDecoder {
	return &messagesDecoder{asked: p.StopSequences}
}

// decode returns the chunk for one event. For an unknown event the chunk is empty, which still shows that the
// upstream is alive. Only the chunk for message_stop has Stop.
func (d *messagesDecoder) decode(data []byte) (translate.Chunk, error) {
	ev := &d.event
	*ev = messagesEvent{}
	if err := readEvent(data, ev, &ev.Type); err != nil {
		return translate.Chunk{}, err
	}
	switch ev.Type {
	case "content_block_delta":
		var err error
		if d.call != nil {
			err = d.calls.write(d.call, ev.Delta.PartialJSON)
		}
		return translate.Chunk{Text: ev.Delta.Text, Thinking: ev.Delta.Thinking}, err
	case "content_block_stop":
		d.endCall()
		return translate.Chunk{Calls: d.calls.take()}, nil
	case "content_block_start":
		if ev.ContentBlock.Type == messages.BlockToolUse {
			d.endCall()
			d.call = d.calls.begin(chatCallPart{Function: chatFunctionPart{Name: ev.ContentBlock.Name}})
			d.input = ev.ContentBlock.Input
		}
		return translate.Chunk{Text: ev.ContentBlock.Text, Thinking: ev.ContentBlock.Thinking}, nil
	case "message_start":
		d.usage = ev.Message.Usage.usage()
		return translate.Chunk{Usage: d.usage}, nil
	case "message_delta":
		d.usage = mergeUsage(d.usage, ev.Usage.usage())
		if ev.Delta.StopReason != "" {
			if err := brokenOff(ev.Delta.StopReason); err != nil {
				return translate.Chunk{}, err
			}
			d.stop, d.unknown = stopReason(ev.Delta.StopReason)
			d.sequence = ev.Delta.StopSequence
			if d.stop == messages.StopSequence {
				d.stop, d.sequence = stoppedAt(d.asked, d.sequence)
			}
		}
		return translate.Chunk{Usage: d.usage}, nil
	case "message_stop":
		if d.stop == "" {
			return translate.Chunk{}, gatewayError("the upstream ended its answer without a stop_reason", nil)
		}
		d.meter(ev.Metrics)
		d.endCall()
		return translate.Chunk{Calls: d.calls.take(), Stop: d.stop, StopSequence: d.sequence, UnknownStop: d.unknown, Usage: d.usage}, nil
	case "error":
		return translate.Chunk{}, eventError(&ev.Error, data)
	}
	return translate.Chunk{}, nil
}

// endCall ends the open call. Some servers parse calls although the request has no tools.
func (d *messagesDecoder) endCall() {
	if d.call != nil && d.call.input.Len() == 0 {
		_ = d.calls.write(d.call, string(d.input)) // cannot fail: the input is no longer than its event
	}
	d.calls.end()
	d.call = nil
}

// readEvent reads the JSON of an event into event; typ points to its type. JSON without a type may be an
// error of a gateway before the server.
func readEvent(data []byte, event any, typ *string) error {
	err := json.Unmarshal(data, event, lenient)
	if err != nil || *typ == "" {
		if e := chatError(data, 0); e != nil {
			return e
		}
	}
	if err != nil {
		return gatewayError("the upstream sent an event that Dragoman cannot read", err)
	}
	return nil
}

// meter fills in the token counts that the model did not report from Bedrock's own.
func (d *messagesDecoder) meter(m bedrockMetrics) {
	d.usage = mergeUsage(m.usage(), d.usage)
}

// usage returns the counters in the terms of the Messages API.
func (m bedrockMetrics) usage() messages.Usage {
	return messages.Usage{
		InputTokens: m.Input, OutputTokens: m.Output,
		CacheReadInputTokens: m.CacheRead, CacheCreationInputTokens: m.CacheWrite,
	}
}

// mergeUsage returns old with the non-zero counts of news. Each count starts at the beginning of the answer,
// so a later count replaces an earlier one. Zero or absent means unknown.
func mergeUsage(old, news messages.Usage) messages.Usage {
	take := func(to *int, from int) {
		if from != 0 {
			*to = from
		}
	}
	take(&old.InputTokens, news.InputTokens)
	take(&old.OutputTokens, news.OutputTokens)
	take(&old.CacheCreationInputTokens, news.CacheCreationInputTokens)
	take(&old.CacheReadInputTokens, news.CacheReadInputTokens)
	return old
}

// withStop returns the JSON of a message_delta with another stop reason and no stop sequence. It returns an
// unreadable event unchanged, because the decoder reports it.
func withStop(event []byte, stop messages.Stop) []byte {
	var e struct {
		Delta jsontext.Value `json:"delta"`
	}
	if json.Unmarshal(event, &e) != nil || e.Delta.Kind() != '{' {
		return event
	}
	delta := rawjson.WithMembers(e.Delta, map[string]jsontext.Value{"stop_reason": asJSON(stop), "stop_sequence": jsontext.Value("null")})
	return rawjson.WithMembers(event, map[string]jsontext.Value{"delta": delta})
}
