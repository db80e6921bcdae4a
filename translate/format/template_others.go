package format

// The templates of families with one or two templates.

var otherTemplates = []*ChatTemplate{
	{
		Name: "gemma-3", Models: []string{"gemma"}, BOS: "<bos>",
		System: [2]string{"", "\n\n"}, SystemAt: InFirstUser, SystemGap: "\n\n",
		User:      [2]string{"<start_of_turn>user\n", "<end_of_turn>\n"},
		Assistant: [2]string{"<start_of_turn>model\n", "<end_of_turn>\n"},
		Stops:     []string{"<end_of_turn>", "<eos>"}, Trims: TrimAll, Alternates: true,
	},
	{
		Name: "gemma-4", Models: []string{"gemma4"}, BOS: "<bos>",
		System: [2]string{"<|turn>system\n", "<turn|>\n"}, SystemGap: "\n\n", SystemStarts: []Piece{{"<|think|>\n", IfThinking}},
		User:      [2]string{"<|turn>user\n", "<turn|>\n"},
		Assistant: [2]string{"<|turn>model\n", "<turn|>\n"},
		Stops:     []string{"<turn|>"}, Trims: TrimAll,
		Thinking: &TemplateThinking{Off: "<|channel>thought\n<channel|>", Past: [2]string{"<|channel>thought\n", "\n<channel|>"}},
		Own:      gemmaTemplateCalls, Resumes: InTurn,
	},
	{
		Name: "phi-3", Models: []string{"phi3"},
		System:    [2]string{"<|system|>\n", "<|end|>\n"},
		User:      [2]string{"<|user|>\n", "<|end|>\n"},
		Assistant: [2]string{"<|assistant|>\n", "<|end|>\n"},
		Stops:     []string{"<|end|>", "<|endoftext|>"}, SystemGap: "\n\n",
	},
	{
		Name: "phi-4", Models: []string{"phi4"},
		System:    [2]string{"<|im_start|>system<|im_sep|>", "<|im_end|>"},
		User:      [2]string{"<|im_start|>user<|im_sep|>", "<|im_end|>"},
		Assistant: [2]string{"<|im_start|>assistant<|im_sep|>", "<|im_end|>"},
		Stops:     []string{"<|im_end|>"}, SystemGap: "\n\n",
	},
	{
		Name: "phi-4-mini", Models: []string{"phi4-mini"},
		System:    [2]string{"<|system|>\n", "<|end|>"},
		NoSystem:  "<|system|>\nYou are a helpful assistant.<|end|>",
		User:      [2]string{"<|user|>", "<|end|>"},
		Assistant: [2]string{"<|assistant|>", "<|end|>"},
		Stops:     []string{"<|end|>"}, SystemGap: "\n\n", Trims: TrimSystem,
	},
	kimi.vary("kimi-k2", func(*ChatTemplate) {}),
	kimi.vary("kimi-k2-thinking", func(t *ChatTemplate) {
		t.Thinking = &TemplateThinking{
			Prefill: "<think></think>", Always: true, Past: [2]string{"<think>", "</think>"},
			Earlier: "<think></think>", None: "<think></think>",
		}
	}),
	{
		Name: "minimax-m2", BOS: "]~!b[",
		System:    [2]string{"]~b]system\n", "[e~[\n"},
		User:      [2]string{"]~b]user\n", "[e~[\n"},
		Assistant: [2]string{"]~b]ai\n", "[e~[\n"},
		Stops:     []string{"[e~["}, SystemGap: "\n\n",
		Thinking: &TemplateThinking{On: "<think>\n", Prefill: noThought, Always: true, Past: [2]string{"<think>\n", "\n</think>\n\n"}},
	},
	{
		Name: "gpt-oss", Models: []string{"gptoss", "gpt_oss"},
		Starts: []Piece{
			{"<|start|>system<|message|>You are ChatGPT, a large language model trained by OpenAI.\nKnowledge cutoff: 2024-06\n", Always},
			{"Current date: $DATE\n", IfDated},
			{"\nReasoning: medium\n", IfThinking}, {"\nReasoning: low\n", IfNot},
			{"\n# Valid channels: analysis, commentary, final. Channel must be included for every message.", Always},
			{"\nCalls to these tools must go to the commentary channel: 'functions'.", IfTools},
			{"<|end|>", Always},
		},
		Layout: "YYYY-MM-DD",
		System: [2]string{"<|start|>developer<|message|>", "<|end|>"}, SystemText: [2]string{"# Instructions\n\n", "\n\n"}, SystemGap: "\n\n",
		User:      [2]string{"<|start|>user<|message|>", "<|end|>"},
		Assistant: [2]string{"<|start|>assistant", ""},
		Messages:  [2]string{"<|channel|>final<|message|>", "<|end|>"}, Preamble: "<|channel|>commentary<|message|>", NextMessage: "<|start|>assistant",
		Stops:    []string{"<|return|>", "<|call|>"},
		Thinking: &TemplateThinking{Past: [2]string{"<|channel|>analysis<|message|>", "<|end|>"}},
		Own:      harmonyTemplateCalls,
	},
	{
		Name: "granite-3", Models: []string{"granite"},
		System:    [2]string{"<|start_of_role|>system<|end_of_role|>", "<|end_of_text|>\n"},
		User:      [2]string{"<|start_of_role|>user<|end_of_role|>", "<|end_of_text|>\n"},
		Assistant: [2]string{"<|start_of_role|>assistant<|end_of_role|>", "<|end_of_text|>\n"},
		Stops:     []string{"<|end_of_text|>"}, SystemGap: "\n\n",
	},
	{
		Name: "command-r", Models: []string{"c4ai", "cohere"}, BOS: "<BOS_TOKEN>",
		System:    [2]string{"<|START_OF_TURN_TOKEN|><|SYSTEM_TOKEN|>", "<|END_OF_TURN_TOKEN|>"},
		User:      [2]string{"<|START_OF_TURN_TOKEN|><|USER_TOKEN|>", "<|END_OF_TURN_TOKEN|>"},
		Assistant: [2]string{"<|START_OF_TURN_TOKEN|><|CHATBOT_TOKEN|>", "<|END_OF_TURN_TOKEN|>"},
		Stops:     []string{"<|END_OF_TURN_TOKEN|>"}, SystemGap: "\n\n", Trims: TrimUser | TrimAssistant,
	},
	{
		Name:      "seed-oss",
		System:    [2]string{"<seed:bos>system\n", "<seed:eos>"},
		User:      [2]string{"<seed:bos>user\n", "<seed:eos>"},
		Assistant: [2]string{"<seed:bos>assistant\n", "<seed:eos>"},
		Stops:     []string{"<seed:eos>"}, SystemGap: "\n\n", ToolsGap: "\n\n", CallsGap: "\n", Trims: TrimAssistant,
		Thinking: &TemplateThinking{Past: [2]string{"<seed:think>", "</seed:think>\n"}, Keeps: KeepAll},
		Own:      seedTemplateCalls,
	},
	{
		Name: "exaone-3", Models: []string{"exaone"},
		System:    [2]string{"[|system|]", "[|endofturn|]\n"},
		User:      [2]string{"[|user|]", "\n"},
		Assistant: [2]string{"[|assistant|]", "[|endofturn|]\n"},
		Stops:     []string{"[|endofturn|]"}, SystemGap: "\n\n", Trims: TrimAll,
	},
	{
		Name:      "exaone-4",
		System:    [2]string{"[|system|]\n", "[|endofturn|]\n"},
		User:      [2]string{"[|user|]\n", "[|endofturn|]\n"},
		Assistant: [2]string{"[|assistant|]\n", "[|endofturn|]\n"},
		Stops:     []string{"[|endofturn|]"}, SystemGap: "\n\n",
	},
	{
		Name: "nemotron-nano", Models: []string{"nano-9b-v2", "nano-12b-v2"},
		System:    [2]string{"<SPECIAL_10>System\n", "\n\n"},
		User:      [2]string{"<SPECIAL_11>User\n", "\n"},
		Assistant: [2]string{"<SPECIAL_11>Assistant\n", "\n<SPECIAL_12>\n\n"},
		Stops:     []string{"<SPECIAL_12>"}, SystemGap: "\n\n", Trims: TrimAll,
		Thinking: &TemplateThinking{On: "<think>\n\n", Off: "<think></think>", Keeps: KeepNone},
	},
	zephyr.vary("zephyr", func(*ChatTemplate) {}),
	zephyr.vary("starchat", func(t *ChatTemplate) {
		t.System[1], t.User[1], t.Assistant[1], t.Stops = "<|end|>\n", "<|end|>\n", "<|end|>\n", []string{"<|end|>"}
	}),
}

var kimi = ChatTemplate{
	System:    [2]string{"<|im_system|>system<|im_middle|>", "<|im_end|>"},
	NoSystem:  "<|im_system|>system<|im_middle|>You are Kimi, an AI assistant created by Moonshot AI.<|im_end|>\n",
	User:      [2]string{"<|im_user|>user<|im_middle|>", "<|im_end|>"},
	Assistant: [2]string{"<|im_assistant|>assistant<|im_middle|>", "<|im_end|>"},
	Stops:     []string{"<|im_end|>"}, SystemGap: "\n\n",
	ToolsAt: BeforeAll, Tools: [2]string{"<|im_system|>tool_declare<|im_middle|>", "<|im_end|>"},
	Own: kimiTemplateCalls,
}

var zephyr = ChatTemplate{
	System:    [2]string{"<|system|>\n", "</s>\n"},
	User:      [2]string{"<|user|>\n", "</s>\n"},
	Assistant: [2]string{"<|assistant|>\n", "</s>\n"},
	Stops:     []string{"</s>"}, SystemGap: "\n\n",
}
