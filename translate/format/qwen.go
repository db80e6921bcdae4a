package format

// These variants of [JSONCalls] ask Qwen2.5, Qwen3 and QwQ in the words of their template. Qwen3-Coder
// and later models have another format: qwen3_coder.go. Since Qwen3 the template has no system text of
// its own.
var (
	qwenJSONCalls = JSONCalls.vary("qwen", func(f *Format) {
		f.Words = [2]string{`# Tools

You may call one or more functions to assist with the user query.

You are provided with function signatures within <tools></tools> XML tags:
`, `

For each function call, return a json object with function name and arguments within <tool_call></tool_call> XML tags:
<tool_call>
{"name": <function-name>, "arguments": <args-json-object>}
</tool_call>`}
	}, "qwen", "qwq")
	Qwen25Calls = qwenJSONCalls.vary("qwen2.5", func(f *Format) {
		f.SystemText = "You are Qwen, created by Alibaba Cloud. You are a helpful assistant."
	}, "qwen2.5", "qwen2p5")
)
