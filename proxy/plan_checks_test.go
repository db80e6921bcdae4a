package proxy

import (
	"context"
	"encoding/json"
	"fmt"
	"iter"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/upstream"
)

// answering is an upstream that gives these answers in turn, and records the prompts.
type answering struct {
	answers []string
	prompts []*translate.Prompt
}

func (a *answering) Invoke(ctx context.Context, m upstream.Model, p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
	a.prompts = append(a.prompts, p)
	if len(a.prompts) > len(a.answers) {
		return func(yield func(translate.Chunk, error) bool) { yield(translate.Chunk{}, busy) }
	}
	text, end := a.answers[len(a.prompts)-1], endOfTurn
	if strings.Contains(text, "<invoke>") {
		end = endOfCall
	}
	return completing(end, text[:len(text)/2], text[len(text)/2:]).Invoke(ctx, m, p)
}

func weatherCall(parameters string) string {
	return "Let me look.\n\n<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n" + parameters + "\n</parameters>\n</invoke>\n"
}

// TestFit: answers and inputs must fit a schema.
func TestFit(t *testing.T) {
	const schema = `{"type":"object","properties":{"n":{"type":"integer","minimum":5},"s":{"type":"string","pattern":"((((a{9}){9}){9}){9}"}},"required":["n"]}`
	formatted := strings.Replace(question, `"messages"`, `"output_config":{"format":{"type":"json_schema","schema":`+schema+`}},"messages"`, 1)
	strict := strings.Replace(question, `{"name":"get_weather"`, `{"strict":true,"name":"get_weather"`, 1)
	oslo := `"name":"get_weather","input":{"city":"Oslo"}`
	tests := []struct {
		name, body string
		answers    []string
		want       []string // in the message
		asked      int
		told       string // texts in the second prompt, about the first answer
	}{
		{"an answer that fits", formatted, []string{`{"n": 5}`}, []string{`"text":"{\"n\": 5}"`}, 1, ""},
		{"in a code fence", formatted, []string{"Here:\n```json\n{\"n\": 7}\n```"}, []string{`"content":[{"type":"text","text":"{\"n\": 7}"`}, 1, ""},
		{"one that does not", formatted, []string{`{"n": 4}`, `{"n": 6}`}, []string{`"text":"{\"n\": 6}"`, `"input_tokens":22,"output_tokens":14`}, 2, "minimum"},
		{"no JSON", formatted, []string{`It is five.`, `{"n": 6}`}, []string{`"text":"{\"n\": 6}"`}, 2, "not one JSON value"},
		{"twice", formatted, []string{`{"n": 4}`, `{"n": 3}`}, []string{`"text":"{\"n\": 3}"`}, 2, "minimum"},
		{"and the upstream fails", formatted, []string{`It is five.`}, []string{`"text":"It is five."`}, 2, ""},
		{"a call instead", formatted, []string{weatherCall("<city>Oslo</city>")}, []string{oslo}, 1, ""},
		{"an input that fits", strict, []string{weatherCall("<city>Oslo</city>")}, []string{`"text":"Let me look."`, oslo}, 1, ""},
		{"one that does not fit", strict, []string{weatherCall("<town>Oslo</town>"), weatherCall("<city>Oslo</city>")}, []string{`"text":"Let me look."`, oslo}, 2, "missing property 'city'"},
		{"no strict tools", question, []string{weatherCall("<town>Oslo</town>")}, []string{`"input":{"town":"Oslo"}`}, 1, ""},
		{"a schema without sense", strings.Replace(formatted, schema, `{"$ref":"http://127.0.0.1:1/x"}`, 1), []string{`{"n": 4}`}, []string{`"text":"{\"n\": 4}"`}, 1, ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			up := &answering{answers: tt.answers}
			whole := post(newServer(t, up), tt.body)
			for _, want := range tt.want {
				if !strings.Contains(whole.Body.String(), want) {
					t.Errorf("no %s in %s", want, whole.Body)
				}
			}
			if len(up.prompts) != tt.asked {
				t.Errorf("asked %d times", len(up.prompts))
			}
			if tt.told != "" {
				if text := up.prompts[1].Text(); !strings.Contains(text, tt.told) || !strings.HasPrefix(text, up.prompts[0].System[0].Text) {
					t.Errorf("told:\n%s", text)
				}
			}
			if strings.Contains(tt.body, "output_config") && !strings.Contains(up.prompts[0].Text(), "JSON Schema") {
				t.Error("the model is not told the schema")
			}

			stream := post(newServer(t, &answering{answers: tt.answers}), streamed(tt.body))
			var want message
			if err := json.Unmarshal(whole.Body.Bytes(), &want); err != nil {
				t.Fatal(err)
			}
			got := accumulate(t, readFrames(t, stream.Body))
			for _, m := range []*message{&got, &want} {
				m.ID = ""
				for i := range m.Content {
					m.Content[i].ID = ""
				}
			}
			if diff := cmp.Diff(want.Content, got.Content); diff != "" || got.StopReason != want.StopReason {
				t.Errorf("streamed: %s, %s", got.StopReason, diff)
			}
		})
	}
}

// TestExamples: an example of a tool's input that cannot be checked is shown to the model, and the client is told. An
// example that fits is not mentioned.
func TestExamples(t *testing.T) {
	for _, tt := range []struct{ name, schema, dropped string }{
		{"that fits", `{"type":"object","properties":{"city":{"type":"string"}}}`, ""},
		{"under a schema without sense", `{"type":"object","properties":{"city":{"$ref":"http://127.0.0.1:1/x"}}}`, "tools.input_examples"},
	} {
		up := &answering{answers: []string{"Sunny."}}
		body := `{"model":"claude-2.1","max_tokens":100,"messages":[{"role":"user","content":"hi"}],"tools":[
			{"name":"get_weather","input_schema":` + tt.schema + `,"input_examples":[{"city":"Oslo"},{"city":"Bodø"}]}]}`
		response := post(newServer(t, up), body).Result()
		if dropped := response.Header.Get("X-Dragoman-Dropped"); response.StatusCode != 200 || dropped != tt.dropped {
			t.Fatalf("%s: status %d, dropped %q", tt.name, response.StatusCode, dropped)
		}
		if system := up.prompts[0].System[0].Text; strings.Count(system, "<city>") != 2 {
			t.Errorf("%s: the model is shown\n%s", tt.name, system)
		}
	}
}

// TestUnchecked: a schema takes too much work to check. The answer passes unchecked, and the client is told so. Under
// compat: strict the request is rejected.
func TestUnchecked(t *testing.T) {
	format := func(schema string) string {
		return strings.Replace(question, `"messages"`, `"output_config":{"format":{"type":"json_schema","schema":`+schema+`}},"messages"`, 1)
	}
	s := newServer(t, completing(endOfTurn, `5`), func(o *Options) { o.Strict = true })
	if w := post(s, format(`{"type":"integer"}`)); w.Code != http.StatusOK {
		t.Errorf("%d %s", w.Code, w.Body)
	}
	endless := format(`{"anyOf":[{"minimum":1e1000000}]}`)
	var log logged
	w := post(newServer(t, completing(endOfTurn, `5`), log.option), endless)
	if got := log.exchange(t); w.Code != http.StatusOK || w.Header().Get("X-Dragoman-Dropped") != "output_config.format" || fmt.Sprint(got["dropped"]) != "[output_config.format]" || got["attempts"] != 1.0 {
		t.Errorf("%d %s, header %v, logged %v", w.Code, w.Body, w.Header(), got)
	}
	w = post(s, endless)
	if message := checkError(t, w.Result(), http.StatusBadRequest, "invalid_request_error"); !strings.Contains(message, "output_config.format: the schema") {
		t.Error(message)
	}
}
