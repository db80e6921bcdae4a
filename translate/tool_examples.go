package translate

import (
	"bytes"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// writeExamples writes the client's input_examples of a tool as calls, each as the model would write
// it alone, in an element behind the tool's description. In the inputs, what spells a tag of a
// description is escaped, too.
func (r *renderer) writeExamples(w *toolWriter, t *messages.Tool) {
	if len(t.InputExamples) == 0 {
		return
	}
	s := r.prompt.schemas.of(t)
	escape := *w.escape
	escape.Tags |= markup.InTools
	if !bytes.HasSuffix(w.out, []byte("\n")) {
		w.write("\n")
	}
	w.write("<examples>\n")
	for _, input := range t.InputExamples {
		w.write(w.format.beforeCalls)
		w.out = w.format.appendCall(&escape, w.out, t.Name, 0, input, s)
		w.out = bytes.TrimSuffix(w.out, []byte(w.format.betweenCalls))
		if w.write(w.format.afterCalls); !bytes.HasSuffix(w.out, []byte("\n")) {
			w.write("\n")
		}
	}
	w.write("</examples>\n")
	w.escape.Used = escape.Used
}
