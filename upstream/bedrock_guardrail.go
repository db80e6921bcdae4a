package upstream

import (
	"bytes"
	"iter"
	"strings"

	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// What Bedrock calls a guardrail in a body of InvokeModel, and in the answer to one.
const (
	GuardrailConfig = "amazon-bedrock-guardrailConfig"
	GuardrailAction = "amazon-bedrock-guardrailAction"
	Intervened      = "INTERVENED" // the action: the text is the guardrail's, or it has masked some
)

// invokeModes are what InvokeModel calls the modes.
var invokeModes = map[string]string{"sync": "SYNCHRONOUS", "async": "ASYNCHRONOUS"}

// guard asks InvokeModel for the guardrail, which may be nil.
func (g *Guardrail) guard(in *bedrockruntime.InvokeModelWithResponseStreamInput) {
	if g == nil {
		return
	}
	in.GuardrailIdentifier, in.GuardrailVersion = &g.ID, &g.Version
	in.Trace = types.Trace(strings.ToUpper(g.Trace))
	if g.Mode == "" && g.TagSuffix == "" {
		return
	}
	in.Body = translate.WithMembers(in.Body, map[string]jsontext.Value{GuardrailConfig: asJSON(struct {
		TagSuffix string `json:"tagSuffix,omitzero"`
		Mode      string `json:"streamProcessingMode,omitzero"`
	}{g.TagSuffix, invokeModes[g.Mode]})})
}

// withIntervention puts it into the ending of an answer in the form of the Messages
// API that a guardrail intervened: Bedrock says so beside any event, be it the last,
// and leaves the stop reason as it was.
func withIntervention(payloads iter.Seq2[[]byte, error]) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		var ending []byte // message_delta, until the event behind it is known
		intervened := false
		end := func() bool {
			data := ending
			if ending = nil; intervened && data != nil {
				data = withStop(data, translate.StopGuardrail)
			}
			return data == nil || yield(data, nil)
		}
		for data, err := range payloads {
			intervened = intervened || err == nil && intervenes(data)
			if !end() {
				return
			}
			if err == nil && bytes.Contains(data, []byte(`"message_delta"`)) {
				ending = bytes.Clone(data)
			} else if !yield(data, err) || err != nil {
				return
			}
		}
		end()
	}
}

// intervenes reports whether an event says that a guardrail intervened. Text of the
// model cannot: its quotes are escaped.
func intervenes(data []byte) bool {
	if !bytes.Contains(data, []byte(`"`+GuardrailAction+`"`)) {
		return false
	}
	var event struct {
		Action string `json:"amazon-bedrock-guardrailAction"`
	}
	return json.Unmarshal(data, &event, lenient) == nil && event.Action == Intervened
}
