package check

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/testcost"
)

// ladder returns a schema with a chain of types. Each type is step, where a # refers to the next type; the final type is
// last.
func ladder(levels int, last, step string) string {
	var defs strings.Builder
	for i := range levels {
		fmt.Fprintf(&defs, `"D%d":%s,`, i, strings.ReplaceAll(step, "#", fmt.Sprintf(`{"$ref":"#/$defs/D%d"}`, i+1)))
	}
	return fmt.Sprintf(`{"$defs":{%s"D%d":%s},"$ref":"#/$defs/D0"}`, defs.String(), levels, last)
}

// checkWork fails if f takes more than 100 ms of this process's CPU time or 32 MB. The best of several tries counts,
// because the machine is busy with other things too. A try of a second ends the test.
func checkWork(t *testing.T, f func()) {
	t.Helper()
	const most, mostBytes = 100 * time.Millisecond, 32 << 20
	slow := time.Duration(1)
	if testcost.UnderRace {
		slow = 20
	}
	var took time.Duration
	var bytes uint64
	for range 4 {
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		began := processTime(t)
		f()
		took = processTime(t) - began
		runtime.ReadMemStats(&after)
		bytes = after.Sys - min(before.Sys, after.Sys)
		if took <= most*slow && bytes <= mostBytes || took > time.Second*slow {
			break
		}
	}
	if took > most*slow || bytes > mostBytes && !testcost.UnderRace {
		t.Errorf("took %v and %d MB", took, bytes>>20)
	}
}

func processTime(t *testing.T) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		t.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// TestFitIsBounded: the library would check these answers and schemas without end. The answers pass, and are reported
// as not checked.
func TestFitIsBounded(t *testing.T) {
	list := func(n int, of string) string { return strings.TrimSuffix(strings.Repeat(of+",", n), ",") }
	numbered := func(n int, of string) string {
		var all []string
		for i := range n {
			all = append(all, strings.ReplaceAll(of, "%", fmt.Sprint(i)))
		}
		return strings.Join(all, ",")
	}
	tree := strings.Repeat(`{"a":`, 60) + "1" + strings.Repeat("}", 60)
	tests := []struct{ name, schema, answer string }{
		{"anyOf", ladder(10, `false`, `{"anyOf":[#,#,#,#]}`), `{}`},
		{"oneOf", ladder(26, `false`, `{"oneOf":[#,#]}`), `{}`},
		{"allOf", ladder(26, `true`, `{"allOf":[#,#]}`), `{}`},
		{"not", ladder(26, `true`, `{"not":{"anyOf":[#,#]}}`), `{}`},
		{"if", ladder(26, `true`, `{"if":#,"then":#,"else":#}`), `{}`},
		{"dependentSchemas", ladder(26, `true`, `{"dependentSchemas":{"a":#,"b":#}}`), `{"a":1,"b":2}`},
		{"properties in turn", ladder(26, `true`, `{"anyOf":[{"properties":{"a":#}},{"patternProperties":{"a":#}}],"unevaluatedProperties":false}`), tree},
		{"a tree of itself", `{"properties":{"a":{"$ref":"#"}},"patternProperties":{"a":{"$ref":"#"}}}`, tree},
		{"additionalProperties", `{"allOf":[{"additionalProperties":{"$ref":"#"}},{"additionalProperties":{"$ref":"#"}}]}`, tree},
		{"items", `{"allOf":[{"items":{"$ref":"#"}},{"contains":{"$ref":"#"}}]}`, strings.Repeat("[", 60) + strings.Repeat("]", 60)},
		{"in a circle", `{"anyOf":[{"$ref":"#"},{"type":"integer"}]}`, `5`},
		{"a dynamic circle", `{"$dynamicAnchor":"x","anyOf":[{"properties":{"a":{"$dynamicRef":"#x"}}},{"properties":{"a":{"$dynamicRef":"#x"}}}]}`, tree},
		{"a large exponent in the answer", `{"items":{"minimum":0}}`, `[` + list(3000, `1e1000000`) + `]`},
		{"a larger one", `{"items":{"minimum":0}}`, `[` + list(30, `1e100000000`) + `]`},
		{"a large exponent in the schema", `{"items":{"anyOf":[` + list(500, `{"multipleOf":1e-1000000}`) + `]}}`, `[` + list(100, `1`) + `]`},
		{"long numbers", `{"items":{"enum":[` + list(900, strings.Repeat("9", 399)) + `]}}`, `[` + list(900, strings.Repeat("9", 398)) + `]`},
		{"a wide enum", `{"items":{"enum":[` + numbered(10000, `%`) + `]}}`, `[` + numbered(10000, `-%`) + `]`},
		{"uniqueItems", `{"items":{"uniqueItems":true}}`, `[` + list(1500, `[`+numbered(20, `%`)+`]`) + `]`},
		{"references to everywhere", `{"default":{` + numbered(2500, `"d%":{}`) + `},"properties":{` + numbered(2500, `"p%":{"$ref":"#/default/d%"}`) + `}}`, `{}`},
		{"references to what an older draft does not know", `{"$schema":"http://json-schema.org/draft-07/schema#","$defs":{` + numbered(2500, `"d%":{}`) + `},"properties":{` + numbered(2500, `"p%":{"$ref":"#/$defs/d%"}`) + `}}`, `{}`},
		{"ids", `{"properties":{` + numbered(3000, `"p%":{"$id":"http://x/%"}`) + `}}`, `{}`},
		{"a schema of many", `{"properties":{` + numbered(8000, `"p%":{}`) + `}}`, `{}`},
		{"long pointers", `{"properties":{"` + strings.Repeat("p", 60_000) + `":{"properties":{` + numbered(2000, `"p%":{}`) + `}}}}`, `{}`},
		{"a long chain", ladder(2000, `true`, `#`), `[` + list(10000, `1`) + `]`},
		{"many required", `{"items":{"required":[` + numbered(9000, `"p%"`) + `]}}`, `[` + list(9000, `{}`) + `]`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for field, req := range map[string]*messages.Request{
				FieldFormat: {OutputSchema: []byte(tt.schema)},
				FieldStrict: {Tools: []messages.Tool{{Name: "f", Strict: true, InputSchema: []byte(tt.schema)}}},
			} {
				problem, unchecked := "", map[string]bool{}
				checkWork(t, func() {
					checks, err := New(req, false, nil, func(field string) { unchecked[field] = true })
					switch {
					case err != nil:
						t.Error(err)
					case checks == nil:
					case checks.JSON != nil:
						problem = checks.JSON([]byte(tt.answer))
					case checks.Inputs["f"] != nil:
						problem = checks.Inputs["f"]([]byte(tt.answer))
					}
				})
				if len(unchecked) != 1 || !unchecked[field] || problem != "" {
					t.Errorf("of %d bytes: %v were not checked, and %q", len(tt.schema)+len(tt.answer), unchecked, problem)
				}
				if t.Failed() {
					t.FailNow()
				}
			}
		})
		if t.Failed() {
			return // the next one may take an hour
		}
	}
}

// TestFitIsChecked: ordinary schemas, some of them large, stay within the budget.
func TestFitIsChecked(t *testing.T) {
	var properties, answer []string
	for i := range 1500 {
		properties = append(properties, fmt.Sprintf(`"name_%d":{"type":"string","description":"the name of one more thing","maxLength":20}`, i))
		answer = append(answer, fmt.Sprintf(`"name_%d":"a thing"`, i))
	}
	var models []string
	for i := range 120 {
		next := fmt.Sprintf(`{"anyOf":[{"$ref":"#/$defs/Model%d"},{"type":"null"}],"default":null}`, (i+1)%120)
		models = append(models, fmt.Sprintf(`"Model%d":{"type":"object","properties":{"id":{"type":"integer"},"a":{"type":"string"},"b":%s,"c":%s,"d":{"type":"array","items":{"$ref":"#/$defs/Model0"}}},"required":["id"],"additionalProperties":false}`, i, next, next))
	}
	values := `{"anyOf":[{"type":"string"},{"type":"number"},{"type":"array","items":{"$ref":"#"}},{"type":"object","additionalProperties":{"$ref":"#"}}]}`
	for name, tt := range map[string]struct{ schema, fits, not string }{
		"large":    {`{"properties":{` + strings.Join(properties, ",") + `}}`, `{` + strings.Join(answer, ",") + `}`, `{` + strings.Join(answer, ",") + `,"name_1a":1,"name_2":3}`},
		"models":   {`{"$defs":{` + strings.Join(models, ",") + `},"$ref":"#/$defs/Model0"}`, `{"id":1,"b":{"id":2,"d":[{"id":3}]}}`, `{"id":1,"b":{"id":2,"d":[{"id":"3"}]}}`},
		"any JSON": {values, `{"a":[` + strings.Repeat(`{"b":[1,"2",[3]]},`, 2000) + `1]}`, `{"a":[` + strings.Repeat(`{"b":[1,"2",[3]]},`, 2000) + `true]}`},
		"discriminated": {`{"items":{"oneOf":[{"properties":{"t":{"const":1},"a":{"type":"string"}},"required":["t","a"]},{"properties":{"t":{"const":2},"b":{"type":"number"}},"required":["t","b"]}]}}`,
			`[` + strings.Repeat(`{"t":1,"a":"x"},`, 1000) + `{"t":2,"b":1e-5}]`, `[` + strings.Repeat(`{"t":1,"a":"x"},`, 1000) + `{"t":2,"a":1}]`},
		"numbers": {`{"items":{"multipleOf":0.01,"maximum":1e300}}`, `[1e2,-0.5,3.07]`, `[1e301]`},
	} {
		var forgone []string
		fresh := func() *translate.Checks {
			checks, err := New(&messages.Request{OutputSchema: []byte(tt.schema)}, false, nil, func(field string) { forgone = append(forgone, field) })
			if err != nil {
				t.Fatal(err)
			}
			return checks
		}
		if err := fresh().JSON([]byte(tt.fits)); err != "" {
			t.Errorf("%s: %s", name, err)
		}
		if err := fresh().JSON([]byte(tt.not)); err == "" || len(err) > 2000 {
			t.Errorf("%s: %q", name, err)
		}
		if len(forgone) > 0 {
			t.Errorf("%s: %s", name, forgone)
		}
	}
}

// FuzzFit checks a value against a schema within the limits of time and memory.
func FuzzFit(f *testing.F) {
	for _, step := range []string{
		`{"anyOf":[#,#]}`, `{"oneOf":[#,#]}`, `{"allOf":[#,#]}`, `{"not":#}`, `{"if":#,"then":#,"else":#}`, `{"dependentSchemas":{"a":#,"b":#}}`,
		`{"dependencies":{"a":#,"b":["c"]}}`, `{"properties":{"a":#},"patternProperties":{"a":#},"additionalProperties":#}`, `{"propertyNames":#}`,
		`{"items":#,"contains":#,"prefixItems":[#,#]}`, `{"unevaluatedProperties":#,"anyOf":[#]}`, `{"unevaluatedItems":#}`, `#`,
	} {
		for _, last := range []string{`true`, `false`, `{"$ref":"#"}`, `{"enum":[1,"a"],"uniqueItems":true}`, `{"multipleOf":1e-300}`} {
			f.Add(ladder(24, last, step), `{"a":[1,"x",{"b":1e9}],"b":{"a":{"a":{}}},"c":[[[]]]}`)
		}
	}
	f.Add(`{"$dynamicAnchor":"a","$id":"http://x/","$schema":"https://json-schema.org/draft/2019-09/schema","$recursiveRef":"#"}`, `1e99999999`)
	f.Add(`{"$schema":"http://json-schema.org/draft-07/schema","items":[{"format":"uri"},{"format":"regex"}],"additionalItems":false}`, `["http://[","("]`)
	f.Fuzz(func(t *testing.T, schema, value string) {
		if len(schema)+len(value) > 100_000 || !json.Valid([]byte(schema)) || !json.Valid([]byte(value)) {
			t.Skip()
		}
		checkWork(t, func() {
			v := validator{left: budget}
			s := v.compile([]byte(schema))
			if s == nil {
				return
			}
			if problem, _ := v.check(s, []byte(value)); len(problem) > 2000 {
				t.Errorf("%d bytes", len(problem))
			}
		})
	})
}
