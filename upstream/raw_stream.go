package upstream

import (
	"cmp"
	"iter"
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// completion is an answer to a raw prompt, or an event of its stream. completions answers in choices; the
// other bodies have their own members.
type completion struct {
	chatCompletion
	Generation *string `json:"generation"` // Llama, and BedrockCompletion of imported models
	Text       *string `json:"text"`       // older imports of Qwen2
	Outputs    []struct {
		Text       string `json:"text"`
		StopReason string `json:"stop_reason"`
	} `json:"outputs"` // Mistral
	Response   *string `json:"response"` // Ollama
	StopReason string  `json:"stop_reason"`
	DoneReason string  `json:"done_reason"`

	PromptTokens     tokenCount     `json:"prompt_token_count"`
	GenerationTokens tokenCount     `json:"generation_token_count"`
	PromptEval       tokenCount     `json:"prompt_eval_count"`
	Eval             tokenCount     `json:"eval_count"`
	Metrics          bedrockMetrics `json:"amazon-bedrock-invocationMetrics"`
	Action           string         `json:"amazon-bedrock-guardrailAction"`
}

// choice returns the part of the answer outside choices. It returns false if there is none.
func (c *completion) choice() (chatChoice, bool) {
	text := cmp.Or(c.Generation, c.Text, c.Response)
	reason := cmp.Or(c.StopReason, c.DoneReason)
	if len(c.Outputs) > 0 {
		text, reason = &c.Outputs[0].Text, c.Outputs[0].StopReason
	}
	if text == nil && reason == "" {
		return chatChoice{}, false
	}
	choice := chatChoice{FinishReason: reason}
	if text != nil {
		choice.Text = *text
	}
	return choice, true
}

// count returns the token counts outside usage.
func (c *completion) count() messages.Usage {
	return mergeUsage(c.Metrics.usage(), messages.Usage{
		InputTokens: int(cmp.Or(c.PromptTokens, c.PromptEval)), OutputTokens: int(cmp.Or(c.GenerationTokens, c.Eval)),
	})
}

// completionDecoder turns the answer to a raw prompt into chunks, for any body. Like chatDecoder, it ends
// with the end of the stream, because token counts may come after the stop reason.
type completionDecoder struct{ chatDecoder }

func newCompletionDecoder(r *rawPrompt) *completionDecoder {
	return &completionDecoder{chatDecoder{stops: r.ours}}
}

// decode returns the chunk for an event, or for an answer in one piece.
func (d *completionDecoder) decode(data []byte) (translate.Chunk, error) {
	if text := string(data); text == chatEnd || text == quotedChatEnd {
		return d.chatDecoder.decode(data)
	}
	var c completion
	if err := json.Unmarshal(data, &c, lenient); err != nil {
		return translate.Chunk{}, unreadableEvent(data, err)
	}
	if choice, ok := c.choice(); ok {
		c.Choices = []chatChoice{choice}
	}
	d.usage = mergeUsage(d.usage, c.count())
	chunk, err := d.read(&c.chatCompletion, data)
	if c.Action == Intervened {
		d.intervened = true
	}
	return chunk, err
}

// whole is [chatDecoder.whole] for an answer to a raw prompt.
func (d *completionDecoder) whole(data []byte) (translate.Chunk, error) {
	c, err := d.decode(data)
	if err == nil && d.stop == "" {
		return d.end()
	}
	return c, err
}

// watchRaw yields the chunks of the answer to a raw prompt, up to the first stop sequence or the end of the
// turn in its template. Servers get only some of these sequences, and some servers ignore them.
func watchRaw(r *rawPrompt, chunks iter.Seq2[translate.Chunk, error]) iter.Seq2[translate.Chunk, error] {
	w := newStopWatch(r.prompt, r.prompt.StopSequences)
	for _, end := range r.turns {
		w.add(strings.TrimRight(end, " \t\r\n"), "")
	}
	return w.watch(chunks)
}
