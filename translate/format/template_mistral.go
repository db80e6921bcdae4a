package format

// The templates of Mistral. Its tokenizers differ in the blanks after markers.

var mistralBase = ChatTemplate{
	BOS: "<s>", Stops: []string{"</s>"}, NoGeneration: true, Alternates: true, SystemGap: "\n\n",
	System: [2]string{"", "\n\n"}, SystemAt: InLastUser,
	User: [2]string{"[INST]", "[/INST]"}, Assistant: [2]string{"", "</s>"},
	ToolsAt: BeforeLast, Resumes: WithNothing,
}

var mistralTemplates = []*ChatTemplate{
	mistralBase.vary("mistral-v1", func(t *ChatTemplate) {
		t.SystemAt, t.User, t.Assistant[0] = InFirstUser, [2]string{" [INST] ", " [/INST]"}, " "
	}, "mistral-7b-instruct-v0.1", "mistral-7b-instruct-v0.2", "mistral-7b-instruct-v0:2", "mixtral", "mistral-large-2402", "mistral-small-2402"),
	mistralBase.vary("mistral-v3", func(t *ChatTemplate) { t.writeSpaced(); t.Own = mistralV3Calls(" ") },
		"mistral", "mixtral-8x22b", "mistral-large-2407"),
	mistralBase.vary("mistral-v3-tekken", func(t *ChatTemplate) { t.Own = mistralV3Calls("") }, "mistral-nemo", "pixtral", "ministral-8b"),
	mistralBase.vary("mistral-v7", func(t *ChatTemplate) {
		t.writeSpaced()
		t.System, t.SystemAt, t.Own = [2]string{"[SYSTEM_PROMPT] ", "[/SYSTEM_PROMPT]"}, InSystem, mistralV3Calls(" ")
	}, "mistral-large-2411"),
	mistralBase.vary("mistral-v11", func(t *ChatTemplate) {
		t.System, t.SystemAt, t.Own = [2]string{"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"}, InSystem, mistralV11Calls
	}, "mistral-small-2501", "mistral-small-2503", "mistral-small-2506", "mistral-small-3", "devstral-small-2505", "magistral-small-2506"),
	mistralBase.vary("mistral-v13", func(t *ChatTemplate) {
		t.System, t.SystemAt, t.Own, t.ToolsAt = [2]string{"[SYSTEM_PROMPT]", "[/SYSTEM_PROMPT]"}, InSystem, mistralV13Calls, AfterSystem
	}, "ministral", "devstral", "magistral", "mistral-large-3", "mistral-small-4"),
}

// writeSpaced adds a blank after each marker, as SentencePiece does.
func (t *ChatTemplate) writeSpaced() { t.User[0], t.Assistant[0] = "[INST] ", " " }
