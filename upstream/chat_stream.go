package upstream

import (
	"cmp"
	"iter"
	"slices"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// chatCompletion is an event of a stream (chat.completion.chunk), or an answer in one piece
// (chat.completion).
type chatCompletion struct {
	Choices []chatChoice   `json:"choices"`
	Usage   tokenUsage     `json:"usage"`
	Error   jsontext.Value `json:"error"`
}

type chatChoice struct {
	Index        int       `json:"index"`   // the answer is choice 0
	Delta        chatDelta `json:"delta"`   // in a stream
	Message      chatDelta `json:"message"` // in an answer in one piece
	Text         string    `json:"text"`    // in completions
	FinishReason string    `json:"finish_reason"`
	// What ended the answer, in the members of vLLM and of SGLang: a stop sequence, the number of a token, or
	// null for the usual end. DeepSeek-R1 on Bedrock has its finish_reason in stop_reason.
	StopReason  jsontext.Value `json:"stop_reason"`
	MatchedStop jsontext.Value `json:"matched_stop"`
}

type chatDelta struct {
	Content chatWritten `json:"content"`
	Refusal chatText    `json:"refusal"` // the text with which a model refuses to answer
	// Thinking, in one of two members: DeepSeek, llama.cpp and older vLLM write the first; OpenRouter, Ollama
	// and newer vLLM the second.
	ReasoningContent chatText `json:"reasoning_content"`
	Reasoning        chatText `json:"reasoning"`
	// Calls that the server has parsed. Older servers write FunctionCall, which is one call.
	Calls        []chatCallPart    `json:"tool_calls"`
	FunctionCall *chatFunctionPart `json:"function_call"`
}

// chatText is a text: a string, null, or a list of parts with text.
type chatText string

func (t *chatText) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	switch d.PeekKind() {
	case '"':
		return json.UnmarshalDecode(d, (*string)(t))
	case '[':
		var parts []struct {
			Text string `json:"text"`
		}
		if err := json.UnmarshalDecode(d, &parts); err != nil {
			return err
		}
		var text strings.Builder
		for _, part := range parts {
			text.WriteString(part.Text)
		}
		*t = chatText(text.String())
		return nil
	}
	return d.SkipValue()
}

// chatWritten is what a model has written: a [chatText], in which Mistral also has parts with thinking.
type chatWritten struct{ text, thinking string }

func (w *chatWritten) UnmarshalJSONFrom(d *jsontext.Decoder) error {
	if d.PeekKind() != '[' {
		return json.UnmarshalDecode(d, (*chatText)(&w.text))
	}
	var parts []struct {
		Text     string   `json:"text"`
		Thinking chatText `json:"thinking"`
	}
	if err := json.UnmarshalDecode(d, &parts); err != nil {
		return err
	}
	var text, thinking strings.Builder
	for _, part := range parts {
		text.WriteString(part.Text)
		thinking.WriteString(string(part.Thinking))
	}
	w.text, w.thinking = text.String(), thinking.String()
	return nil
}

// chatDecoder turns one answer into chunks. The finish_reason comes with the last text, but the token counts
// come in a later event. So the chunk for the end of the stream has Stop.
type chatDecoder struct {
	stops    []string // the stop sequences in the request
	usage    messages.Usage
	stop     messages.Stop
	sequence string
	unknown  string // an unknown finish_reason
	word     string // the finish_reason
	refused  bool   // the text is a refusal
	// intervened: a guardrail of Bedrock intervened.
	intervened bool
	calls      callPieces
}

// chatEnd is the data of the last event of a stream.
const chatEnd = "[DONE]"

// quotedChatEnd is the last event of one provider on Bedrock. The stream ends after it.
const quotedChatEnd = `"[DONE]"`

// ended yields the events of an answer, and adds the last event if it is missing. Some servers end the stream
// after the finish_reason, and an answer in one piece is only one event.
func (d *chatDecoder) ended(events iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for data, err := range events {
			if !yield(data, err) || err != nil {
				return
			}
		}
		if d.stop != "" {
			yield([]byte(chatEnd), nil)
		}
	}
}

// decode returns the chunk for an event. Only the chunk for the last event has Stop, because the token counts
// come after the finish_reason.
func (d *chatDecoder) decode(data []byte) (translate.Chunk, error) {
	switch string(data) {
	case chatEnd:
		return d.end()
	case quotedChatEnd:
		return translate.Chunk{}, nil
	}
	var c chatCompletion
	if err := json.Unmarshal(data, &c, lenient); err != nil {
		return translate.Chunk{}, unreadableEvent(data, err)
	}
	return d.read(&c, data)
}

// unreadableEvent returns the error for an event that Dragoman cannot decode. If the event is an error, it
// returns that.
func unreadableEvent(data []byte, cause error) error {
	if e := chatError(data, 0); e != nil {
		return e
	}
	return gatewayError("the upstream sent an event that Dragoman cannot read", cause)
}

// read returns the chunk for an event; data is its JSON.
func (d *chatDecoder) read(c *chatCompletion, data []byte) (translate.Chunk, error) {
	// After status 200, a server can report a failure only in the stream.
	if c.Choices == nil || len(c.Error) > 0 && c.Error.Kind() != 'n' {
		if e := chatError(data, 0); e != nil {
			return translate.Chunk{}, e
		}
	}
	d.usage = mergeUsage(d.usage, c.Usage.usage())
	first := slices.IndexFunc(c.Choices, func(c chatChoice) bool { return c.Index == 0 })
	if first < 0 { // an event with only the token counts, or another choice, which nobody asked for
		return translate.Chunk{Usage: d.usage}, nil
	}
	return d.choice(&c.Choices[first])
}

// whole returns the chunk for an answer in one piece, or for its end. It returns an error if the answer has
// no finish_reason.
func (d *chatDecoder) whole(data []byte) (translate.Chunk, error) {
	c, err := d.decode(data)
	if err == nil && d.stop == "" {
		return d.end()
	}
	return c, err
}

// choice returns the chunk for a choice. If the finish_reason says that the server broke off, it returns an
// error.
func (d *chatDecoder) choice(c *chatChoice) (translate.Chunk, error) {
	chunk := translate.Chunk{Text: c.Text, Usage: d.usage}
	// One of the two is empty: a stream sets delta, and an answer in one piece sets message.
	for _, delta := range [...]*chatDelta{&c.Delta, &c.Message} {
		chunk.Text += delta.Content.text + string(delta.Refusal)
		chunk.Thinking += delta.Content.thinking
		d.refused = d.refused || delta.Refusal != ""
		if delta.ReasoningContent != "" {
			chunk.Thinking += string(delta.ReasoningContent)
		} else {
			chunk.Thinking += string(delta.Reasoning)
		}
	}
	if !isBlank(chunk.Text) {
		d.calls.endWhole() // of an unfinished call, more may follow
	}
	chunk.Calls = d.calls.take()
	// Calls come after the text.
	if err := cmp.Or(d.addCalls(&c.Delta, false), d.addCalls(&c.Message, true)); err != nil {
		return translate.Chunk{}, err
	}
	if c.FinishReason == "" && c.StopReason.Kind() == '"' {
		c.FinishReason, c.StopReason = rawjson.StringOf(c.StopReason), nil
	}
	if c.FinishReason == "" {
		return chunk, nil
	}
	if err := brokenOff(c.FinishReason); err != nil {
		return translate.Chunk{}, err
	}
	d.finish(c)
	return chunk, nil
}

// addCalls adds the calls of a delta, or pieces of them.
func (d *chatDecoder) addCalls(delta *chatDelta, inOnePiece bool) error {
	if delta.FunctionCall != nil {
		delta.Calls = append(delta.Calls, chatCallPart{Function: *delta.FunctionCall})
	}
	for i := range delta.Calls {
		if err := d.calls.add(&delta.Calls[i], inOnePiece); err != nil {
			return err
		}
	}
	return nil
}

// finish stores why the answer ended.
func (d *chatDecoder) finish(c *chatChoice) {
	d.stop, d.unknown = stopReason(c.FinishReason)
	d.word = c.FinishReason
	switch {
	case d.refused:
		d.stop = messages.StopRefusal
	case strings.EqualFold(c.FinishReason, "stop"), d.stop == messages.StopSequence:
		d.stop, d.sequence = d.stopped(c)
	}
}

// stopped returns what the finish_reason "stop" means: the model has ended its turn, or has written a stop
// sequence. If the server does not say which, stopped returns StopSequence with an unknown sequence. The
// parser then decides, because it knows whether a call is open.
func (d *chatDecoder) stopped(c *chatChoice) (messages.Stop, string) {
	met := c.StopReason
	if met == nil {
		met = c.MatchedStop
	}
	switch {
	case met != nil:
		var sequence string
		if met.Kind() == '"' && json.Unmarshal(met, &sequence) == nil && sequence != "" {
			return stoppedAt(d.stops, sequence)
		}
	case len(d.stops) > 0:
		return messages.StopSequence, ""
	}
	return messages.StopEndTurn, ""
}

// end returns the last chunk, or an error if no finish_reason came.
func (d *chatDecoder) end() (translate.Chunk, error) {
	if d.stop == "" {
		return translate.Chunk{}, gatewayError("the upstream ended its answer without a finish_reason", nil)
	}
	if d.intervened {
		d.stop, d.sequence, d.unknown = messages.StopGuardrail, "", ""
	}
	d.calls.end()
	return translate.Chunk{Calls: d.calls.take(), Stop: d.stop, StopSequence: d.sequence, StopWord: d.word, UnknownStop: d.unknown, Usage: d.usage}, nil
}
