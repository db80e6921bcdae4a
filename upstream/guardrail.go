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
	"dragoman/upstream/converse"
)

// Guardrail is one of Bedrock's, which a prompt and the answer to it have to pass
// (reference/bedrock.md §2, §5). Words are those of Converse; what is empty has not
// been asked for.
type Guardrail struct {
	ID, Version string
	Trace       string // enabled, enabled_full or disabled
	Mode        string // sync or async: whether text waits until it has been looked at
	// TagSuffix is that of the tags around the text that it looks at. InvokeModel alone
	// has it.
	TagSuffix string
}

// What Bedrock calls a guardrail in a body of InvokeModel, and in the answer to one.
const (
	GuardrailConfig = "amazon-bedrock-guardrailConfig"
	GuardrailAction = "amazon-bedrock-guardrailAction"
	Intervened      = "INTERVENED" // the action: the text is the guardrail's, or it has masked some
)

// Keeps reports whether the model is asked so that its answers pass the guardrail:
// what Converse cannot be told of one is for InvokeModel alone.
func (b *Bedrock) Keeps(m Model, g Guardrail) bool {
	return b.speaksMessages(m) || b.Converse().Keeps(m, g)
}

// Keeps reports whether answers pass the guardrail: they do, here.
func (b *BedrockMessages) Keeps(Model, Guardrail) bool { return true }

// Keeps reports whether answers pass the guardrail: they do, here.
func (b *BedrockText) Keeps(Model, Guardrail) bool { return true }

// Keeps reports whether answers pass the guardrail; see [Bedrock.Keeps].
func (b *BedrockConverse) Keeps(_ Model, g Guardrail) bool { return g.TagSuffix == "" }

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

// forConverse is the guardrail for Converse, nil for none.
func (g *Guardrail) forConverse(streaming bool) *converse.GuardrailConfig {
	if g == nil {
		return nil
	}
	c := &converse.GuardrailConfig{ID: g.ID, Version: g.Version, Trace: g.Trace}
	if streaming {
		c.Mode = g.Mode
	}
	return c
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

// intervenes tells whether an event says that a guardrail intervened. Text of the
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

// withStop returns a message_delta with another stop reason; what cannot be read is
// left to who reads it.
func withStop(event []byte, stop translate.Stop) []byte {
	var e struct {
		Delta jsontext.Value `json:"delta"`
	}
	if json.Unmarshal(event, &e) != nil || e.Delta.Kind() != '{' {
		return event
	}
	delta := translate.WithMembers(e.Delta, map[string]jsontext.Value{"stop_reason": asJSON(stop), "stop_sequence": jsontext.Value("null")})
	return translate.WithMembers(event, map[string]jsontext.Value{"delta": delta})
}
