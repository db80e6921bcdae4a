package prompt

import (
	"crypto/sha256"
	"strconv"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/messages"
)

// This file renders prompts for models that get the tools over the tools API of their server
// ([Target.ToolAPI]). The tools are not in the text of such a prompt. Past calls and their results
// are parts of its turns. Texts are escaped as in any prompt, because Dragoman may read calls in
// the text of the answer.

// ToolAPI is what a server's tools API gets in addition to the turns.
type ToolAPI struct {
	Tools  []OfferedTool `json:"tools"`
	Choice string        `json:"choice,omitzero"` // one of the types of [messages.ToolChoice]; "" means the default
	Name   string        `json:"name,omitzero"`   // the name of the chosen tool
	// Single: the answer may have at most one call.
	Single bool `json:"single,omitzero"`
}

// OfferedTool is a tool as the server's API gets it, with its [format.ServerName].
type OfferedTool struct {
	Name        string         `json:"name"`
	Description string         `json:"description,omitzero"`
	InputSchema jsontext.Value `json:"input_schema"`
	Strict      bool           `json:"strict,omitzero"`
}

// addTools adds the tools for the tools API.
func (r *renderer) addTools() {
	choice := r.req.ToolChoice
	api := &ToolAPI{Tools: make([]OfferedTool, len(r.req.Tools)), Choice: choice.Type, Name: format.ServerName(choice.Name), Single: choice.DisableParallelToolUse}
	for i := range r.req.Tools {
		t := &r.req.Tools[i]
		description := r.escape.AppendTool(nil, t.Description)
		for i, input := range t.InputExamples { // the API has no field for them
			if i == 0 {
				description = append(description, "\n\nExamples of its input:"...)
			}
			description = append(append(description, '\n'), escapedJSON(input, r.escape.AppendTool)...)
		}
		api.Tools[i] = OfferedTool{format.ServerName(t.Name), string(description), escapedJSON(t.InputSchema, r.escape.AppendTool), t.Strict}
	}
	r.prompt.ToolAPI = api
}

// escapedJSON returns JSON with its strings escaped. It first undoes JSON's own escapes, because
// the server undoes them too. If the result would not be JSON, it returns the value unchanged.
func escapedJSON(value jsontext.Value, escape func([]byte, string) []byte) jsontext.Value {
	plain, err := jsontext.AppendFormat(nil, value)
	if err != nil {
		return value
	}
	if out := jsontext.Value(escape(nil, string(plain))); out.IsValid() {
		return out
	}
	return value
}

// apiFormat returns the format of a model's family, for a model that is asked over a tools API. The
// model writes calls in it that its server does not read.
func apiFormat(model string) (*format.Format, error) {
	if f, _ := format.OfFamily(model); f != nil && !f.ReadOnly {
		return f, nil
	}
	return format.Named("")
}

// describesTools reports whether the prompt describes the tools in its text.
func (r *renderer) describesTools() bool { return r.req.ShowsTools() && !r.target.ToolAPI }

// addCallPart adds a past call as a part.
func (r *renderer) addCallPart(b *messages.BlockParam) {
	r.writer.addOther(Part{Type: PartToolUse, CallPart: &CallPart{
		ID: r.callID(b.ID, b.Name, r.calls), Name: format.ServerName(b.Name), Input: escapedJSON(b.Input, r.escape.AppendText),
	}})
}

// addThinkingPart adds past thinking as a part.
func (r *renderer) addThinkingPart(text string) {
	r.writer.addOther(Part{Type: PartThinking, Text: r.escape.Text(text)})
}

// addResultPart adds the result of a past call as a part, with notes after it. A result without a call
// becomes text.
func (r *renderer) addResultPart(found *callResult, notes []note) {
	own := r.newWriter()
	own.WriteContent(found.result.Content)
	for _, n := range notes {
		if len(own.Out) > 0 {
			own.Write("\n\n")
		}
		own.WriteText(n.text)
	}
	content, _ := own.takeParts()
	if found.result.ToolUseID == "" {
		for _, part := range content {
			r.writer.addOther(part)
		}
		return
	}
	r.writer.addOther(Part{Type: PartToolResult, CallPart: &CallPart{
		ID: r.callID(found.result.ToolUseID, found.call.name, found.call.number), Content: content, IsError: found.result.IsError,
	}})
}

// addOther adds a part other than the client's text.
func (w *turnWriter) addOther(part Part) {
	w.endPart()
	w.addPart(part, PartOrigins{Source: w.Source})
}

// callIDBytes is the length of a call's id. Mistral's templates require this length.
const callIDBytes = 9

// callID returns the id of a past call for the model: nine letters and digits, which every server
// takes, or the family's own count of calls. The client's own id may have other characters.
func (r *renderer) callID(id, tool string, n int) string {
	if r.format.Shape.Id != "" {
		return r.format.Shape.Label(tool, n)
	}
	return DerivedID(id, 0)[:callIDBytes]
}

// DerivedID returns 24 letters and digits that depend only on seed and n.
func DerivedID(seed string, n int) string {
	const digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
	sum := sha256.Sum256(strconv.AppendInt([]byte(seed+"/"), int64(n), 10))
	id := sum[:24]
	for i, b := range id {
		id[i] = digits[int(b)%len(digits)]
	}
	return string(id)
}
