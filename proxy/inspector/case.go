package inspector

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// savedCase is one line for `dragoman parse --jsonl` and `dragoman eval`: a request, its completion, how to parse it,
// and the calls in it.
type savedCase struct {
	ID              string         `json:"id"`
	Request         jsontext.Value `json:"request"`
	Completion      string         `json:"completion"`
	StopReason      string         `json:"stop_reason"`
	StopSequence    string         `json:"stop_sequence,omitzero"`
	Format          string         `json:"format"`
	Accept          string         `json:"accept,omitzero"`
	QuotedCalls     string         `json:"quoted_calls,omitzero"`
	Thinking        string         `json:"thinking"`
	UnaskedThinking string         `json:"unasked_thinking"`
	Expected        []expectedCall `json:"expected"`
}

// expectedCall is a call that eval expects.
type expectedCall struct {
	Name  string         `json:"name"`
	Input jsontext.Value `json:"input"`
}

// saveCase answers with the case of a completion. It replaces texts that look like credentials or email addresses
// before it parses the completion, so that the expected calls match the text of the case.
func (in *Inspector) saveCase(w http.ResponseWriter, r *http.Request) error {
	x, err := in.opened(r)
	if err != nil {
		return err
	}
	n, err := number(r, "asked", 0)
	if err != nil {
		return err
	}
	a, err := x.answered(r.Context(), n, redact)
	if err != nil {
		return err
	}
	if a.opening != "" { // parse and eval know no prefill, so the text is the whole answer
		a.text, a.target.Prefill, a.target.TryPrefill = a.opening+a.text, false, false
	}
	read, err := a.parse(r.Context(), change{}, max(len(a.text), 1))
	if err != nil {
		return err
	}
	m, err := read.message()
	if err != nil {
		return err
	}
	s := savedCase{
		ID: x.line.ID, Request: a.body, Completion: a.text, StopReason: string(a.stop), StopSequence: a.sequence, Format: a.format,
		Accept: strings.Join(a.target.Accept, ","), Thinking: cmp.Or(a.target.Thinking, translate.ThinkingMarked),
		UnaskedThinking: cmp.Or(a.target.UnaskedThinking, translate.UnaskedText), Expected: []expectedCall{},
	}
	for _, block := range m.Content {
		if block.Type == messages.BlockToolUse {
			s.Expected = append(s.Expected, expectedCall{block.Name, block.Input})
		}
	}
	if a.stop == messages.StopToolUse { // servers report the end of a turn with calls as tool_use
		s.StopReason = string(messages.StopEndTurn)
	}
	if a.target.QuotedCalls == translate.QuotedRead {
		s.QuotedCalls = translate.QuotedRead
	}
	line, err := json.Marshal(s, jsontext.AllowInvalidUTF8(true))
	if err != nil {
		return &problem{http.StatusConflict, "the exchange cannot be saved: " + err.Error()}
	}
	respondText(w, append(line, '\n'))
	return nil
}
