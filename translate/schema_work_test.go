package translate

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/schema/schematest"
	"dragoman/translate/testcost"
)

// mostWork is the most processor time for a request of less than 100 KB: 100 times the time to
// check 1 MB of JSON. This makes the limit independent of the machine's speed and of the race
// detector.
var mostWork = sync.OnceValue(func() time.Duration {
	text := jsontext.Value("[" + strings.Repeat(`{"type":"object","properties":{"a":{"$ref":"#/$defs/D1"}}},`, 1<<20/60) + "0]")
	return 100 * workOf(0, func() { text.IsValid() })
})

// workOf returns the least processor time that f takes in several tries, because other programs
// disturb it. A result below enough, or far above it, is final.
func workOf(enough time.Duration, f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	best := time.Hour
	for range 10 {
		began := testcost.CPUTime()
		f()
		took := testcost.CPUTime() - began
		if best = min(best, took); best <= enough || took > 10*enough && enough > 0 {
			break
		}
	}
	return best
}

// askUnder returns a request with a tool of this schema and a past call with this input.
func askUnder(schema, input string) (*messages.Request, error) {
	return messages.Decode(fmt.Appendf(nil, `{"model":"m","max_tokens":9,"tools":[{"name":"f","input_schema":%s}],"messages":[{"role":"user","content":"x"},`+
		`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":%s}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}`,
		schema, input), messages.DecodeOptions{})
}

// TestSchemaWork renders and reads calls under schemas that fold back on themselves. A brief run
// uses one format per schema, in turn.
func TestSchemaWork(t *testing.T) {
	for i, tt := range schematest.Requests() {
		req, err := askUnder(tt.Schema, tt.Input)
		if err != nil {
			t.Fatalf("%s: %v", tt.Name, err)
		}
		if n := len(tt.Schema) + len(tt.Input); n > 100_000 {
			t.Fatalf("%s: %d bytes", tt.Name, n)
		}
		formats := []string{FormatLegacy, FormatAttribute, FormatJSON, format.Harmony, format.Gemma, format.Llama, format.SeedOSS}
		if !testcost.Long() {
			formats = formats[i%len(formats):][:1]
		}
		for _, format := range formats {
			var prompt *Prompt
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			took := workOf(mostWork()/2, func() {
				if prompt, err = Render(req, Target{ModelOptions: ModelOptions{Format: format}}); err != nil {
					t.Fatalf("%s: %v", tt.Name, err)
				}
			})
			runtime.ReadMemStats(&after)
			if grown := after.Sys - before.Sys; took > mostWork() || grown > 32<<20 && !testcost.UnderRace {
				t.Fatalf("%s: %v, %d MB to render", tt.Name, took, grown>>20)
			}
			if format != FormatLegacy && format != FormatAttribute { // only the description differs
				continue
			}
			completed := completion{"<invoke>\n<tool_name>f</tool_name>\n<parameters>\n" + tt.Answer + "\n</parameters>\n</invoke>\n", messages.StopSequence, CallsEnd}
			if took := workOf(mostWork()/2, func() { drain(t, req, prompt, completed.chunks(16)) }); took > mostWork() {
				t.Fatalf("%s: %v to read", tt.Name, took)
			}
		}
	}
}

// FuzzSchema reads a value under a schema, within a limit of work.
func FuzzSchema(f *testing.F) {
	for i, tt := range schematest.Requests() {
		if len(tt.Schema) < 8<<10 || i%7 == 0 {
			f.Add(tt.Schema, tt.Input, tt.Answer)
		}
	}
	f.Add(`{"$defs":{"a":{"anyOf":[{"$ref":"#/$defs/b"},{"type":"integer"}]},"b":{"anyOf":[{"$ref":"#/$defs/a"},{"type":"array","items":{"$ref":"#"}}]}},"properties":{"v":{"$ref":"#/$defs/b"}}}`, `{"v":[1]}`, `<v>1</v><v>2</v>`)
	f.Add(`{"properties":{"v":{"nullable":true,"$ref":"#/$defs/a%20b"}},"$defs":{"a b":{"allOf":[{"type":"string"},{"$ref":"#/$defs/a%20b"}]}}}`, `{"v":"007"}`, `<v>null</v>`)
	f.Add("a text that stands for a schema, as every other does", "deep", "<a><a><b>1</b></a></a>")
	f.Fuzz(func(t *testing.T, schema, input, answer string) {
		if len(schema)+len(input)+len(answer) > 100_000 {
			t.Skip()
		}
		if !jsontext.Value(schema).IsValid() {
			schema = schematest.Grown(schema)
		}
		if !jsontext.Value(input).IsValid() {
			input = `{"a":"` + strings.Repeat("<b>", len(input)%40) + `","b":[{"a":1}]}`
		}
		req, err := askUnder(schema, input)
		if err != nil {
			t.Skip()
		}
		took := workOf(mostWork()/2, func() {
			prompt, err := Render(req, Target{})
			if err != nil {
				return
			}
			drain(t, req, prompt, completion{"<invoke>\n<tool_name>f</tool_name>\n<parameters>\n" + answer + "\n</parameters>\n</invoke>\n", messages.StopSequence, CallsEnd}.chunks(16))
		})
		if took > 2*mostWork() {
			t.Fatalf("%v", took)
		}
	})
}
