package translate

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/go-json-experiment/json/jsontext"
)

// mostWork is what a request of less than 100 KB may take.
const mostWork = 100 * time.Millisecond

// workOf is the processor's time that f takes at the best of some tries, because the
// machine is busy with other things too. What takes a second is not tried again.
func workOf(f func()) time.Duration {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	slow := time.Duration(1)
	if underRace {
		slow = 20
	}
	best := time.Hour
	for range 4 {
		began := cpuTime()
		f()
		took := (cpuTime() - began) / slow
		if best = min(best, took); best <= mostWork/2 || took > time.Second {
			break
		}
	}
	return best
}

// askUnder returns a request with a tool of this schema and a past call with this input.
func askUnder(schema, input string) (*Request, error) {
	return Decode(fmt.Appendf(nil, `{"model":"m","max_tokens":9,"tools":[{"name":"f","input_schema":%s}],"messages":[{"role":"user","content":"x"},`+
		`{"role":"assistant","content":[{"type":"tool_use","id":"a","name":"f","input":%s}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"a"}]}]}`,
		schema, input), DecodeOptions{})
}

// TestSchemaWork renders and reads calls under schemas that fold back on themselves.
func TestSchemaWork(t *testing.T) {
	for _, tt := range foldingBacks() {
		req, err := askUnder(tt.schema, tt.input)
		if err != nil {
			t.Fatalf("%s: %v", tt.name, err)
		}
		if n := len(tt.schema) + len(tt.input); n > 100_000 {
			t.Fatalf("%s: %d bytes", tt.name, n)
		}
		for _, format := range []string{FormatLegacy, FormatAttribute, FormatJSON} {
			var prompt *Prompt
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			took := workOf(func() {
				if prompt, err = Render(req, Target{Format: format}); err != nil {
					t.Fatalf("%s: %v", tt.name, err)
				}
			})
			runtime.ReadMemStats(&after)
			if grown := after.Sys - before.Sys; took > mostWork || grown > 32<<20 && !underRace {
				t.Fatalf("%s: %v, %d MB to render", tt.name, took, grown>>20)
			}
			if format == FormatJSON {
				continue
			}
			completed := completion{"<invoke>\n<tool_name>f</tool_name>\n<parameters>\n" + tt.answer + "\n</parameters>\n</invoke>\n", StopSequence, CallsEnd}
			if took := workOf(func() { drain(t, req, prompt, completed.chunks(16)) }); took > mostWork {
				t.Fatalf("%s: %v to read", tt.name, took)
			}
		}
	}
}

// FuzzSchema reads a value under a schema. It takes no more than so much work, and what is
// known of a schema is what a walk through its alternatives finds.
func FuzzSchema(f *testing.F) {
	for i, tt := range foldingBacks() {
		if len(tt.schema) < 8<<10 || i%7 == 0 {
			f.Add(tt.schema, tt.input, tt.answer)
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
			schema = grown(schema)
		}
		if !jsontext.Value(input).IsValid() {
			input = `{"a":"` + repeat("<b>", len(input)%40) + `","b":[{"a":1}]}`
		}
		req, err := askUnder(schema, input)
		if err != nil {
			t.Skip()
		}
		took := workOf(func() {
			prompt, err := Render(req, Target{})
			if err != nil {
				return
			}
			drain(t, req, prompt, completion{"<invoke>\n<tool_name>f</tool_name>\n<parameters>\n" + answer + "\n</parameters>\n</invoke>\n", StopSequence, CallsEnd}.chunks(16))
		})
		if took > 2*mostWork {
			t.Fatalf("%v", took)
		}
		root := compileSchema(jsontext.Value(schema))
		checkFacts(t, root)
		checkFacts(t, root.more)
		checkFacts(t, root.items)
		for _, p := range root.props {
			checkFacts(t, p.schema)
		}
	})
}

// checkFacts compares what is known of s with what is found by going through all that its
// alternatives lead to.
func checkFacts(t *testing.T, s *schema) {
	if s == nil {
		return
	}
	var takes kinds
	arrays := false
	seen := map[*schema]bool{}
	for queue := []*schema{s}; len(queue) > 0; queue = queue[1:] {
		if at := queue[0]; !seen[at] {
			seen[at] = true
			takes |= at.own()
			arrays = arrays || at.kinds&kindArray != 0
			queue = append(queue, at.alts...)
		}
	}
	if s.takes() != takes || (s.array() != nil) != arrays || s.array() != nil && (!seen[s.array()] || s.array().kinds&kindArray == 0) {
		t.Errorf("takes %b, want %b; an array: %v, want %v", s.takes(), takes, s.array() != nil, arrays)
	}
}

// grown is a schema that any text stands for: eight definitions and properties, made of
// each other.
func grown(text string) string {
	const fanOut = 4
	next := func() int {
		if text == "" {
			return 0
		}
		c := text[0]
		text = text[1:]
		return int(c)
	}
	var grow func(depth int) string
	grow = func(depth int) string {
		c := next()
		if depth == 0 || c < 32 {
			return []string{`{}`, `true`, `{"type":"string"}`, `{"type":"integer"}`, `{"enum":["a",1]}`, `{"const":"x"}`, `{"type":["null","array"]}`, `{"type":"object"}`}[c%8]
		}
		var parts []string
		for range c % fanOut {
			parts = append(parts, grow(depth-1))
		}
		list := strings.Join(parts, ",")
		switch c / fanOut % 8 {
		case 0:
			return `{"anyOf":[` + list + `],"type":"object","properties":{"a":` + grow(depth-1) + `}}`
		case 1:
			return `{"allOf":[` + list + `],"nullable":true}`
		case 2:
			return `{"oneOf":[` + list + `],"enum":["b"]}`
		case 3:
			return `{"items":` + grow(depth-1) + `,"type":["array","string"]}`
		case 4:
			return `{"properties":{"a":` + grow(depth-1) + `,"b":` + grow(depth-1) + `},"additionalProperties":` + grow(depth-1) + `}`
		case 5:
			return fmt.Sprintf(`{"type":"object","$ref":"#/$defs/%d"}`, c%8)
		}
		return fmt.Sprintf(`{"$ref":"#/$defs/%d"}`, c%8)
	}
	var defs []string
	for i := range 8 {
		defs = append(defs, fmt.Sprintf(`"%d":%s`, i, grow(4)))
	}
	return `{"type":"object","$defs":{` + strings.Join(defs, ",") + `},"properties":{"v":{"$ref":"#/$defs/0"},"a":` + grow(4) + `,"b":` + grow(4) + `}}`
}
