package prompt

import (
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// Completion returns the text of the chunk as the parser reads it: the server's calls as JSON, then
// Text.
func (c *Chunk) Completion() string {
	if len(c.Calls) == 0 {
		return c.Text
	}
	var all []byte
	for i := range c.Calls {
		all = c.Calls[i].AppendJSON(all, c.Cuts(i))
	}
	return string(append(all, c.Text...))
}

// Cuts reports whether the upstream may have cut the ith call: it stopped directly after the call,
// and not because the model was done. Of several calls that were open at once, any may be cut.
func (c *Chunk) Cuts(i int) bool {
	return (i == len(c.Calls)-1 || len(c.Calls[i].Input) > 0) && c.Text == "" && c.Stop != "" && c.Stop != messages.StopEndTurn && c.Stop != messages.StopToolUse
}

// AppendJSON appends the call in the form of JSON calls in text. cut: the input may be cut. If it
// is, the object stays open too.
func (c *ToolUse) AppendJSON(dst []byte, cut bool) []byte {
	dst = rawjson.AppendString(append(dst, `{"name":`...), c.Name)
	dst = append(dst, `,"arguments":`...)
	if len(c.Input) == 0 && !cut {
		return append(dst, "{}}"...)
	}
	input := jsontext.Value(rawjson.ReplaceLoneSurrogates(c.Input))
	if dst = append(dst, input...); cut && !input.IsValid() {
		return dst
	}
	return append(dst, '}')
}
