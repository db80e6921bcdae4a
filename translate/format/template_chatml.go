package format

// The templates of ChatML, which Qwen and many other families use.

// chatML is the base of all of them.
var chatML = ChatTemplate{
	System:    [2]string{"<|im_start|>system\n", "<|im_end|>\n"},
	User:      [2]string{"<|im_start|>user\n", "<|im_end|>\n"},
	Assistant: [2]string{"<|im_start|>assistant\n", "<|im_end|>\n"},
	Results:   [2]string{"<|im_start|>user\n", "<|im_end|>\n"},
	Stops:     []string{"<|im_end|>", "<|endoftext|>"},
	CallsGap:  "\n",
	SystemGap: "\n\n",
	ToolsGap:  "\n\n",
}

// vary returns a copy of t with another name, changed by change.
func (t ChatTemplate) vary(name string, change func(*ChatTemplate), models ...string) *ChatTemplate {
	t.Name, t.Models = name, models
	change(&t)
	return &t
}

// qwenThinking is how Qwen3 marks thinking; the model begins it. With qwenOpened the template
// begins it.
var (
	qwenThinking = TemplateThinking{
		Off:  noThought,
		Past: [2]string{"<think>\n", "\n</think>\n\n"},
	}
	qwenOpened = TemplateThinking{
		On: "<think>\n", Off: noThought, None: noThought,
		Past: [2]string{"<think>\n", "\n</think>\n\n"},
	}
)

// noThought is empty thinking.
const noThought = "<think>\n\n</think>\n\n"

var chatMLTemplates = []*ChatTemplate{
	chatML.vary("chatml", func(*ChatTemplate) {}, "smollm", "falcon-h1"),
	chatML.vary("qwen2.5", func(t *ChatTemplate) {
		t.Own, t.NoSystem = Qwen25Calls, t.System[0]+Qwen25Calls.SystemText+t.System[1]
	}, "qwen2p5", "qwen2"),
	chatML.vary("qwen3", func(t *ChatTemplate) { t.Own, t.Thinking = qwenJSONCalls, &qwenThinking }),
	chatML.vary("qwen3-instruct", func(t *ChatTemplate) { t.Own = qwenJSONCalls }, "instruct-2507", "a22b-2507"),
	chatML.vary("qwen3-coder", func(t *ChatTemplate) { t.Own, t.Results[1] = Qwen3CoderCalls, "\n<|im_end|>\n" }),
	chatML.vary("qwen3.5", func(t *ChatTemplate) { t.Own, t.Trims, t.Thinking = qwen35Calls, TrimAll, &qwenOpened }, "qwen3.6"),
	chatML.vary("qwen3.8", func(t *ChatTemplate) {
		kept := qwenOpened
		kept.Keeps = KeepAll
		t.Own, t.Trims, t.Thinking = qwen35Calls, TrimAll, &kept
	}),
	chatML.vary("qwq", func(t *ChatTemplate) {
		t.Own = qwenJSONCalls
		t.Thinking = &TemplateThinking{On: "<think>\n", Prefill: noThought, Always: true, Past: qwenThinking.Past}
	}),
	chatML.vary("nemotron-3", func(t *ChatTemplate) {
		t.Own, t.Results[1], t.NoSystem = nemotronCalls, "\n<|im_end|>\n", "<|im_start|>system\n<|im_end|>\n"
		t.Thinking = &TemplateThinking{
			On: "<think>\n", Off: "<think></think>", None: "<think></think>",
			Past: [2]string{"<think>\n", "\n</think>\n"}, Earlier: "<think></think>", Dropped: "<think></think>\n",
		}
	}),
	chatML.vary("step-3.5", func(t *ChatTemplate) { t.Thinking = &qwenOpened }, "step-3.7"),
	chatML.vary("lfm2", func(t *ChatTemplate) { t.BOS = "<|startoftext|>" }),
	chatML.vary("hermes", func(t *ChatTemplate) {
		t.BOS, t.Own = "<|begin_of_text|>", &JSONCalls
		t.ToolsAt, t.Tools = BeforeAll, t.System
		t.Results = [2]string{"<|im_start|>tool\n", "<|im_end|>"}
	}, "hermes-2", "hermes-3-llama-3", "hermes-2-pro-llama-3", "hermes-2-theta-llama-3"),
	chatML.vary("olmo-3", func(t *ChatTemplate) {
		t.Own, t.CallsGap = olmoCalls, ""
		t.Results = [2]string{"<|im_start|>environment\n", "<|im_end|>\n"}
	}, "olmo3"),
}

// nemotronCalls end with a line feed, as in Nemotron 3's template.
var nemotronCalls = Qwen3CoderCalls.vary("", func(f *Format) { f.BetweenCalls, f.AfterCalls = "\n", "\n" }, "nemotron-3")
