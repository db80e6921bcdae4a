package upstream

import (
	"bytes"
	"iter"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// The members of InvokeModel about guardrails, in the body of a request and in the events of an answer.
const (
	GuardrailConfig = "amazon-bedrock-guardrailConfig"
	GuardrailAction = "amazon-bedrock-guardrailAction"
	Intervened      = "INTERVENED" // the action if the guardrail replaced or masked text
)

// invokeModes are the modes of [Guardrail] in the words of InvokeModel.
var invokeModes = map[string]string{"sync": "SYNCHRONOUS", "async": "ASYNCHRONOUS"}

// inBody returns the body with those options of the guardrail that have no header.
func (g *Guardrail) inBody(body []byte) []byte {
	if g == nil || g.Mode == "" && g.TagSuffix == "" {
		return body
	}
	return rawjson.WithMembers(body, map[string]jsontext.Value{GuardrailConfig: asJSON(struct {
		TagSuffix string `json:"tagSuffix,omitzero"`
		Mode      string `json:"streamProcessingMode,omitzero"`
	}{g.TagSuffix, invokeModes[g.Mode]})})
}

// withIntervention yields the events of an answer in the form of the Messages API. If a guardrail intervened,
// the stop reason becomes [messages.StopGuardrail]. Bedrock can report the intervention in any event, even
// the last one, and does not change the stop reason. So message_delta, which has the stop reason, waits until
// the next event has come.
func withIntervention(payloads iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var ending []byte // message_delta, until the next event has come
		intervened := false
		end := func() bool {
			data := ending
			if ending = nil; intervened && data != nil {
				data = withStop(data, messages.StopGuardrail)
			}
			return data == nil || yield(data, nil)
		}
		for data, err := range payloads {
			intervened = intervened || err == nil && intervenes(data)
			if !end() {
				return
			}
			if err == nil && bytes.HasPrefix(data, []byte(`{"type":"message_delta"`)) {
				ending = data
			} else if !yield(data, err) || err != nil {
				return
			}
		}
		end()
	}
}

// intervenes reports whether an event says that a guardrail intervened. Text of the model cannot imitate it,
// because quotation marks in text are escaped.
func intervenes(data []byte) bool {
	if !bytes.Contains(data, []byte(`"`+GuardrailAction+`"`)) {
		return false
	}
	var event struct {
		Action string `json:"amazon-bedrock-guardrailAction"`
	}
	return json.Unmarshal(data, &event, lenient) == nil && event.Action == Intervened
}
