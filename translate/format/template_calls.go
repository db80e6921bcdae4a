package format

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// This file declares formats as chat templates write them. On a chat wire, results are in a user
// turn, and Dragoman's sentences stand around the tools. In a template, results have turns of their
// own, and the tools stand alone.

// The formats of Mistral: v3 has lists of calls with ids, v11 has an id in each call, and v13 has
// none. blank is the text after each marker.
func mistralV3Calls(blank string) *Format {
	return mistralCalls.vary("v3", func(f *Format) {
		f.Shape = shape{}
		f.bareTools("[AVAILABLE_TOOLS]"+blank+"[", "][/AVAILABLE_TOOLS]")
		f.BeforeCalls, f.BetweenCalls, f.AfterCalls = "[TOOL_CALLS]"+blank+"[", ", ", "]"
		f.WriteCall = func(b *markup.Buffer, name string, n int, input jsontext.Value, _ *schema.Schema) {
			writeJSONCall(b, name, "arguments", input).TrimSuffix("}")
			b.Write(`, "id": "` + callNumber(n) + `"}, `)
		}
		f.CallPrefill = func(name string, _ int) string { return f.BeforeCalls + jsonPrefill(name, "arguments") }
		f.writeResult = func(w resultWriter, _ string, n int, b *messages.BlockParam) {
			w.Write("[TOOL_RESULTS]" + blank + `{"content": `)
			writeResultContent(w, b)
			w.Write(`, "call_id": "` + callNumber(n) + `"}[/TOOL_RESULTS]`)
		}
	})
}

var (
	mistralV11Calls = mistralCalls.vary("v11", func(f *Format) {
		f.Shape = shape{}
		f.bareTools("[AVAILABLE_TOOLS][", "][/AVAILABLE_TOOLS]")
		id := func(n int) string { return CallIDMarker + callNumber(n) + ArgsMarker }
		f.WriteCall = func(b *markup.Buffer, name string, n int, input jsontext.Value, _ *schema.Schema) {
			b.Write(f.CallOpener).WriteText(name).Write(id(n)).WriteValue(f.json(input), "")
		}
		f.CallPrefill = func(name string, n int) string {
			if name == "" {
				return f.CallOpener
			}
			return f.CallOpener + name + id(n)
		}
		f.writeResult = func(w resultWriter, _ string, n int, b *messages.BlockParam) {
			w.Write("[TOOL_RESULTS]" + callNumber(n) + "[TOOL_CONTENT]")
			writeResultContent(w, b)
			w.Write("[/TOOL_RESULTS]")
		}
	})
	mistralV13Calls = mistralCalls.vary("v13", func(f *Format) { f.bareTools("[AVAILABLE_TOOLS][", "][/AVAILABLE_TOOLS]") })

	// Kimi has a turn for each result. Its role has the name of the tool.
	kimiTemplateCalls = kimiCalls.vary("", func(f *Format) {
		f.bareTools("[", "]")
		f.compactTools, f.tool, f.BetweenTools = false, listedTool, ", "
		f.writeResult = func(w resultWriter, tool string, n int, b *messages.BlockParam) {
			w.Write("<|im_system|>").WriteText(tool)
			w.Write("<|im_middle|>## Return of functions.").WriteText(tool).Write(":" + strconv.Itoa(n) + "\n")
			writeResultContent(w, b)
			w.Write("<|im_end|>")
		}
	})

	gemmaTemplateCalls = GemmaCalls.vary("", func(f *Format) { f.bareTools("", "") })

	harmonyTemplateCalls = harmonyCalls.vary("", func(f *Format) {
		f.bareTools("# Tools\n\n## functions\n\nnamespace functions {\n\n", "\n\n} // namespace functions")
		f.Shape.Call = [3]string{" to=functions.", "<|channel|>commentary json<|message|>", harmonyCall + nextMessage}
		f.BetweenCalls = nextMessage
		f.writeResult = func(w resultWriter, tool string, n int, b *messages.BlockParam) {
			w.Write("<|start|>functions.").WriteText(tool)
			writeQuotedResult([2]string{" to=assistant<|channel|>commentary<|message|>", "<|end|>"})(w, tool, n, b)
		}
	})

	seedTemplateCalls = SeedCalls.vary("", func(f *Format) { f.Result = [2]string{"<seed:bos>tool\n", "<seed:eos>"} })
)

// nextMessage begins another message of the assistant in Harmony.
const nextMessage = "<|start|>assistant"

// bareTools puts the tools between two texts, without any sentences.
func (f *Format) bareTools(before, after string) {
	f.BeforeTools, f.AfterTools, f.ToolsAlone = before, after, true
}

// writeBareCall is [Format.WriteCall] for a call that is JSON alone.
func writeBareCall(b *markup.Buffer, name string, _ int, input jsontext.Value, _ *schema.Schema) {
	writeJSONCall(b, name, "parameters", input).Write("; ")
}

// writeResultContent writes the content of a result.
func writeResultContent(w resultWriter, b *messages.BlockParam) {
	if b.IsError {
		w.Write(w.ErrorLabel())
	}
	w.WriteContent(b.Content)
}

// writeQuotedResult returns a [Format.writeResult] that writes the content as a JSON string. If the
// content has more than text, it is written without quotes.
func writeQuotedResult(frame [2]string) func(w resultWriter, _ string, _ int, b *messages.BlockParam) {
	return func(w resultWriter, _ string, _ int, b *messages.BlockParam) {
		w.Write(frame[0])
		if text, ok := textOf(b.Content); ok {
			w.Write(`"`)
			if b.IsError {
				w.Write(w.ErrorLabel())
			}
			w.WriteTextBy(text, rawjson.AppendEscaped[string]).Write(`"`)
		} else {
			writeResultContent(w, b)
		}
		w.Write(frame[1])
	}
}

// textOf returns the text of blocks, one block per line. It returns false if a block is not text.
func textOf(blocks []messages.BlockParam) (text string, ok bool) {
	for i := range blocks {
		if blocks[i].Type != messages.BlockText {
			return "", false
		}
		if i > 0 {
			text += "\n"
		}
		text += blocks[i].Text
	}
	return text, true
}

// callNumber returns the id of a call in Mistral's templates, which require nine letters and
// digits. n is the number of earlier calls.
func callNumber(n int) string { return fmt.Sprintf("%0*d", CallIDLen, n) }
