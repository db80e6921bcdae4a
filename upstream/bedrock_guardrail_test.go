package upstream

import (
	"errors"
	"iter"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Any event can report that a guardrail intervened. Only the ending of the answer changes.
func TestWithIntervention(t *testing.T) {
	const (
		delta      = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Sorry"}}`
		said       = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"{\"amazon-bedrock-guardrailAction\":\"INTERVENED\",\"type\":\"message_delta\"}"}}`
		ending     = `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}}`
		intervened = `{"type":"message_delta","delta":{"stop_reason":"guardrail_intervened","stop_sequence":null},"usage":{"output_tokens":1}}`
		stop       = `{"type":"message_stop"}`
	)
	with := func(event, action string) string {
		return strings.TrimSuffix(event, "}") + `,"amazon-bedrock-guardrailAction":"` + action + `"}`
	}
	tests := []struct {
		name     string
		in, want []string
	}{
		{"nothing", []string{delta, ending, stop}, []string{delta, ending, stop}},
		{"none", []string{with(delta, "NONE"), ending, with(stop, "NONE")}, []string{with(delta, "NONE"), ending, with(stop, "NONE")}},
		{"beside the last event", []string{delta, ending, with(stop, "INTERVENED")}, []string{delta, intervened, with(stop, "INTERVENED")}},
		{"beside the text", []string{with(delta, "INTERVENED"), ending, stop}, []string{with(delta, "INTERVENED"), intervened, stop}},
		{"beside the ending", []string{delta, with(ending, "INTERVENED"), stop}, []string{delta, with(intervened, "INTERVENED"), stop}},
		{"in what the model says", []string{said, ending, stop}, []string{said, ending, stop}},
		{"cut after the ending", []string{delta, ending}, []string{delta, ending}},
		{"an ending that cannot be read", []string{`{"type":"message_delta","delta":1}`, with(stop, "INTERVENED")}, []string{`{"type":"message_delta","delta":1}`, with(stop, "INTERVENED")}},
	}
	broken := errors.New("broken")
	for _, tt := range tests {
		for _, fails := range []error{nil, broken} {
			var got []string
			var failed error
			for data, err := range withIntervention(listed(tt.in, fails)) {
				if failed = err; err == nil {
					got = append(got, string(data))
				}
			}
			if strings.Join(got, "\n") != strings.Join(tt.want, "\n") || !errors.Is(failed, fails) {
				t.Errorf("%s: %v\n%s", tt.name, failed, strings.Join(got, "\n"))
			}
		}
		for data := range withIntervention(listed(tt.in, nil)) {
			if string(data) != tt.want[0] {
				t.Errorf("%s: %s", tt.name, data)
			}
			break
		}
	}
}

// listed yields payloads, and then the error.
func listed(list []string, err error) iter.Seq2[[]byte, error] {
	return func(yield func([]byte, error) bool) {
		for _, payload := range list {
			if !yield([]byte(payload), nil) {
				return
			}
		}
		if err != nil {
			yield(nil, err)
		}
	}
}

// A completion can report the intervention in any chunk, or in its stop reason.
func TestTextIntervention(t *testing.T) {
	for name, chunks := range map[string][2]string{
		"with the text":  {`{"type":"completion","completion":" Sorry","stop_reason":null,"stop":null,"amazon-bedrock-guardrailAction":"INTERVENED"}`, `{"completion":"","stop_reason":"stop_sequence","stop":"\n\nHuman:"}`},
		"at the end":     {`{"type":"completion","completion":" Sorry","stop_reason":null,"stop":null}`, `{"completion":"","stop_reason":"max_tokens","amazon-bedrock-guardrailAction":"INTERVENED"}`},
		"for the reason": {`{"type":"completion","completion":" Sorry","stop_reason":null,"stop":null}`, `{"completion":"","stop_reason":"guardrail_intervened"}`},
	} {
		d := newTextDecoder(&translate.Prompt{})
		first, err := d.decode([]byte(chunks[0]))
		last, err2 := d.decode([]byte(chunks[1]))
		if err != nil || err2 != nil || first.Text != "Sorry" || first.Stop != "" || last.Stop != messages.StopGuardrail || last.StopSequence != "" {
			t.Errorf("%s: %+v, %+v, %v, %v", name, first, last, err, err2)
		}
	}
}
