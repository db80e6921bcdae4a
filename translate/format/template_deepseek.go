package format

// The templates of DeepSeek.

var deepseekBase = ChatTemplate{
	BOS:       "<｜begin▁of▁sentence｜>",
	User:      [2]string{"<｜User｜>", ""},
	Assistant: [2]string{"<｜Assistant｜>", "<｜end▁of▁sentence｜>"},
	Stops:     []string{"<｜end▁of▁sentence｜>"},
	SystemGap: "\n\n", ToolsGap: "\n\n",
}

var deepseekTemplates = []*ChatTemplate{
	deepseekBase.vary("deepseek-v3", func(*ChatTemplate) {}, "deepseek.v3"),
	deepseekBase.vary("deepseek-r1", func(t *ChatTemplate) {
		t.Thinking = &TemplateThinking{On: "<think>\n", Prefill: noThought, Always: true, Keeps: KeepNone}
	}, "deepseek.r1"),
	deepseekBase.vary("deepseek-v3.1", func(t *ChatTemplate) {
		t.Own, t.Resumes = deepseekCalls, WithNothing
		t.Thinking = &TemplateThinking{On: "<think>", Off: "</think>", Earlier: "</think>", Keeps: KeepNone}
	}, "deepseek.v3.1", "deepseek-v3-1", "deepseek.v3-1"),
	deepseekBase.vary("deepseek-v3.2", func(t *ChatTemplate) {
		t.Own, t.Results, t.CallsGap, t.Resumes = dsmlV32Calls, [2]string{"\n\n", "\n\n"}, "\n\n", WithMark
		t.Thinking = &dsmlThinking
	}, "deepseek.v3.2"),
	deepseekBase.vary("deepseek-v4", func(t *ChatTemplate) {
		t.Own, t.Results, t.CallsGap = DSMLCalls, [2]string{"<｜User｜>", ""}, "\n\n"
		kept := dsmlThinking
		kept.Keeps = KeepWithTools
		t.Thinking = &kept
	}, "deepseek.v4"),
}

// dsmlThinking is how V3.2 and V4 mark thinking.
var dsmlThinking = TemplateThinking{
	On: "<think>", Off: "</think>", Past: [2]string{"<think>", "</think>"},
	Earlier: "</think>", None: "<think></think>", NoneOff: "</think>",
}
