package check

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// strictRequest returns a request with a schema for the answer and an example of a tool's input.
func strictRequest(i int) *messages.Request {
	return &messages.Request{
		OutputSchema: fmt.Appendf(nil, `{"type":"object","properties":{"n":{"type":"integer","maximum":%d,"multipleOf":0.5}},"required":["n"]}`, i),
		Tools: []messages.Tool{{Name: "f", Strict: true, InputSchema: fmt.Appendf(nil, `{"properties":{"p":{"enum":["a%d"]}}}`, i),
			InputExamples: []jsontext.Value{fmt.Appendf(nil, `{"p":"a%d"}`, i)}}},
	}
}

// A cached schema gives the same result as a new one, also for several requests at once.
func TestKeptChecks(t *testing.T) {
	shared := NewSchemas()
	problems := func(i int, known *Schemas) string {
		checks, err := New(strictRequest(i), false, known, func(field string) { t.Error(field) })
		if err != nil {
			t.Error(err)
			return ""
		}
		return fmt.Sprint(checks.JSON(fmt.Appendf(nil, `{"n":%d}`, i)), checks.JSON(fmt.Appendf(nil, `{"n":%d}`, i+1)),
			checks.Inputs["f"]([]byte(`{"p":"a"}`)), checks.Inputs["f"](fmt.Appendf(nil, `{"p":"a%d"}`, i)))
	}
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for i := range 20 {
				if warm, cold := problems(i%5, shared), problems(i%5, nil); warm != cold || cold == "" {
					t.Errorf("kept: %s\nmade: %s", warm, cold)
				}
			}
		})
	}
	all.Wait()
	if n := shared.Len(); n != 10 {
		t.Errorf("%d schemas are kept, and not 10", n)
	}
}

// A cached schema takes as much of a request's budget as a new one.
func TestKeptChecksCost(t *testing.T) {
	shared := NewSchemas()
	left := func() int {
		v := validator{budget, shared}
		v.compile(strictRequest(1).OutputSchema)
		return v.left
	}
	if first, second := left(), left(); first != second || first == budget {
		t.Errorf("%d is left of the budget, then %d", first, second)
	}
	poor := validator{1, shared}
	if poor.compile(strictRequest(1).OutputSchema) != nil {
		t.Error("a request without a budget has a schema")
	}
}

// The estimated memory of a cached schema is not far below its real memory.
func TestKeptChecksMemory(t *testing.T) {
	for name, part := range map[string]string{
		"objects": `{"type":"object","properties":{"x":{}}}`, "empty": `{}`, "enum": `{"enum":["a","b","c","d","e","f"]}`,
		"numbers": `{"maximum":1e300,"minimum":0.001}`, "patterns": `{"patternProperties":{"a":true,"b":false}}`,
	} {
		text := []byte(`{"anyOf":[` + strings.Repeat(part+",", 50) + `true]}`)
		var made [4]compiled
		var before, after runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&before)
		for i := range made {
			shared := NewSchemas()
			v := validator{1 << 30, shared}
			if v.compile(text); shared.Len() == 0 {
				t.Fatalf("%s is not kept", name)
			}
			made[i], _ = shared.Find(text)
		}
		runtime.GC()
		runtime.ReadMemStats(&after)
		took := int(after.HeapAlloc-before.HeapAlloc) / len(made)
		if says := made[0].memory(text); took > 2*says {
			t.Errorf("%s: %d bytes of schema take %d bytes, and not %d", name, len(text), took, says)
		}
		runtime.KeepAlive(&made)
	}
}

// BenchmarkChecks prepares the checks of an answer with two schemas, new and cached.
func BenchmarkChecks(b *testing.B) {
	for name, known := range map[string]*Schemas{"new": nil, "known": NewSchemas()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				if _, err := New(strictRequest(1), false, known, func(string) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
