package chaos

import (
	"fmt"
	"net/http"

	"dragoman/proxy"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// nativeEvents is the same answer from a model with a tool API of its own, which dragoman passes through.
var nativeEvents = func() (list []string) {
	add := func(name, format string, args ...any) {
		list = append(list, fmt.Sprintf(`{"type":%q%s}`, name, fmt.Sprintf(format, args...)))
	}
	add("message_start", `,"message":{"id":"msg_fake","type":"message","role":"assistant","model":"fake","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":3,"output_tokens":1}}`)
	add("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
	for _, text := range []string{saidText[:12], saidText[12:40], saidText[40:]} {
		add("content_block_delta", `,"index":0,"delta":{"type":"text_delta","text":%q}`, text)
	}
	add("content_block_stop", `,"index":0`)
	add("content_block_start", `,"index":1,"content_block":{"type":"tool_use","id":"toolu_fake","name":"note","input":{}}`)
	for _, part := range []string{"", `{"text":"`, saidValue[:5], saidValue[5:20], saidValue[20:], `"}`} {
		add("content_block_delta", `,"index":1,"delta":{"type":"input_json_delta","partial_json":%q}`, part)
	}
	add("content_block_stop", `,"index":1`)
	add("message_delta", `,"delta":{"stop_reason":"tool_use","stop_sequence":null},"usage":{"output_tokens":30}`)
	add("message_stop", "")
	return list
}()

// native is a wire of the Messages API with a model that has a tool API of its own.
func native(w wire, serve func(upstreamtest.Native) http.Handler) wire {
	w.name += " (native tools)"
	w.model, w.tools = "claude-3-haiku", proxy.ToolsNative
	w.serve = func(upstreamtest.Script) http.Handler {
		return serve(func(string, []byte) []string { return nativeEvents })
	}
	return w
}

// nativeWires are the wires to models that can have a tool API.
var nativeWires = []wire{
	native(bedrock("bedrock", proxy.WireMessages, 0, ""), func(n upstreamtest.Native) http.Handler {
		f := upstreamtest.NewBedrock(nil)
		f.Native = n
		return f
	}),
	native(vertex("vertex", proxy.WireMessages, 0), func(n upstreamtest.Native) http.Handler {
		f := upstreamtest.NewVertex(nil)
		f.Native = n
		return f
	}),
	native(wire{name: "anthropic", kind: upstream.KindAnthropic, dial: dialAnthropic}, func(n upstreamtest.Native) http.Handler {
		f := upstreamtest.NewMessages(nil)
		f.Key, f.Native = apiKey, n
		return f
	}),
}
