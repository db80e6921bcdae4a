package prompt

import (
	"bytes"

	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// writeExamples writes the client's input_examples of a tool as calls, each as the model would
// write it alone, in an element after the tool's description. It also escapes the tags of tool
// descriptions in the inputs.
func (r *renderer) writeExamples(w *format.ToolWriter, t *messages.Tool) {
	if len(t.InputExamples) == 0 {
		return
	}
	s := r.prompt.Schemas.Of(t)
	others := w.Escape.Tags
	w.Escape.Tags |= markup.InTools
	if !bytes.HasSuffix(w.Out, []byte("\n")) {
		w.Write("\n")
	}
	w.Write("<examples>\n")
	for _, input := range t.InputExamples {
		w.Write(w.Format.BeforeCalls)
		w.Format.WriteCall(&w.Buffer, t.Name, 0, rawjson.Plain(input), s)
		w.TrimSuffix(w.Format.BetweenCalls)
		if w.Write(w.Format.AfterCalls); !bytes.HasSuffix(w.Out, []byte("\n")) {
			w.Write("\n")
		}
	}
	w.Write("</examples>\n")
	w.Escape.Tags = others
}
