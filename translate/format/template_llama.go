package format

// The templates of Llama, and of families that share its turns.

// llama3 is the base of all templates since Llama 3.
var llama3 = ChatTemplate{
	BOS:       "<|begin_of_text|>",
	System:    [2]string{"<|start_header_id|>system<|end_header_id|>\n\n", "<|eot_id|>"},
	User:      [2]string{"<|start_header_id|>user<|end_header_id|>\n\n", "<|eot_id|>"},
	Assistant: [2]string{"<|start_header_id|>assistant<|end_header_id|>\n\n", "<|eot_id|>"},
	Stops:     []string{"<|eot_id|>", "<|end_of_text|>"},
	SystemGap: "\n\n", Trims: TrimAll,
}

// llama31 adds what Llama 3.1 has: a date in the system turn, and tools in the first user turn.
var llama31 = func() ChatTemplate {
	t := llama3
	t.Stops = append(t.Stops[:2:2], "<|eom_id|>")
	t.SystemStarts = []Piece{{"Environment: ipython\n", IfTools}, {"Cutting Knowledge Date: December 2023\nToday Date: $DATE\n\n", Always}}
	t.Date = "26 Jul 2024"
	t.Own, t.ToolsAt, t.Tools, t.CallsGap = llamaTemplateCalls, InFirstUser, [2]string{"", "\n\n"}, "\n\n"
	return t
}()

var llamaTemplates = []*ChatTemplate{
	llama3.vary("llama-3", func(*ChatTemplate) {}, "llama3"),
	llama31.vary("llama-3.1", func(*ChatTemplate) {}, "llama3.1", "llama3-1", "llama-3-1", "llama3_1", "llama-3.3", "llama3.3", "llama3-3", "llama-3-3", "llama3_3"),
	llama31.vary("llama-3.2", func(t *ChatTemplate) { t.Layout = "DD MONTH YYYY" }, "llama3.2", "llama3-2", "llama-3-2", "llama3_2", "mllama"),
	llama3.vary("llama-4", func(t *ChatTemplate) {
		t.System = [2]string{"<|header_start|>system<|header_end|>\n\n", "<|eot|>"}
		t.User = [2]string{"<|header_start|>user<|header_end|>\n\n", "<|eot|>"}
		t.Assistant = [2]string{"<|header_start|>assistant<|header_end|>\n\n", "<|eot|>"}
		t.Stops, t.Trims = []string{"<|eot|>", "<|eom|>"}, TrimSystem
	}, "llama4"),
	llama3.vary("nemotron-super", func(t *ChatTemplate) {
		t.System[1] = "\n\n<|eot_id|>"
		t.NoSystem, t.Stops = t.System[0]+t.System[1], []string{"<|eot_id|>"}
	}, "super-49b", "super_49b"),
	{
		Name: "llama-2", Models: []string{"llama2", "codellama", "code-llama"}, BOS: "<s>",
		System: [2]string{"<<SYS>>\n", "\n<</SYS>>\n\n"}, SystemAt: InFirstUser, SystemGap: "\n\n",
		User:      [2]string{"[INST] ", " [/INST]"},
		Assistant: [2]string{" ", " </s><s>"}, NoGeneration: true,
		Stops: []string{"</s>"}, Trims: TrimUser | TrimAssistant, Alternates: true,
	},
}

// llamaTemplateCalls asks in the words of the template, without a tag. A forced call begins with
// the tag, which the models also write: with the tag, the start of a call is distinct from text.
var llamaTemplateCalls = LlamaCalls.vary("llama-3.1", func(f *Format) {
	f.erased = false // a call is JSON alone
	f.StopSequence = "<|start_header_id|>"
	f.Words = [2]string{"Given the following functions, please respond with a JSON for a function call with its proper arguments that best answers the given prompt.\n\n" +
		`Respond in the format {"name": function name, "parameters": dictionary of argument name and its value}.Do not use variables.` + "\n\n"}
	f.WriteCall, f.BetweenCalls = writeBareCall, "; "
	f.writeResult = writeQuotedResult([2]string{"<|start_header_id|>ipython<|end_header_id|>\n\n", "<|eot_id|>"})
}, "llama-3.1")
