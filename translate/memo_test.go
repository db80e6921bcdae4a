package translate

import (
	"bytes"
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/testcost"
)

// tested is a memo that all tests with renderAlike share.
var tested = NewMemo()

// renderAlike renders a request without a memo, twice with a used memo, and with origins (see
// holdsOrigins). All results have to be the same.
func renderAlike(t testing.TB, req *messages.Request, target Target) (*Prompt, error) {
	t.Helper()
	cold, coldErr := Render(req, target)
	holdsOrigins(t, req, target, cold, coldErr)
	target.Memo = tested
	for range 2 {
		warm, err := Render(req, target)
		if fmt.Sprint(err) != fmt.Sprint(coldErr) {
			t.Fatalf("with a memo: %v, without: %v", err, coldErr)
		}
		if err != nil {
			continue
		}
		if diff := cmp.Diff(cold, warm, cmp.AllowUnexported(Prompt{}, asking{}), cmpopts.IgnoreFields(asking{}, "Declared", "Reads", "Schemas", "Tools", "Source", "Target.Memo"), cmpopts.IgnoreFields(Prompt{}, "chat"),
			cmp.Comparer(func(a, b *markup.Openers) bool { return a == b })); diff != "" {
			t.Fatalf("-without a memo +with one:\n%s", diff)
		}
	}
	return cold, coldErr
}

// A memo's entry is only used for the same tools and the same target.
func TestMemo(t *testing.T) {
	template := "You may\n<invoke>, <invoke name= or <tool_call>.\n{{tools}}\n</function_calls></tool_call>"
	var targets []Target
	for _, format := range Formats() {
		for _, language := range Languages() {
			targets = append(targets, Target{ModelOptions: ModelOptions{Format: format, Language: language}}, Target{ModelOptions: ModelOptions{Format: format, Language: language}, TextWire: true})
		}
		targets = append(targets, Target{ModelOptions: ModelOptions{Format: format, Template: template}}, Target{ModelOptions: ModelOptions{Format: format, Template: "no place"}},
			Target{ModelOptions: ModelOptions{Format: format, EscapeSpecialTokens: new(true)}}, Target{ModelOptions: ModelOptions{Format: format, Family: "mistral", EscapeSpecialTokens: new(true)}})
	}
	var requests []*messages.Request
	for _, text := range []string{"", "a", "</description>", "&lt;/function>", "\nHuman:", "[INST]</s>", "ab", "Quel temps fait-il demain à Paris ?"} {
		req := spoken(text)
		other, third := *req, *req
		other.Tools = req.Tools[:1]
		third.Tools = []messages.Tool{req.Tools[0], {Name: "g" + text, InputSchema: jsontext.Value(" { } ")}}
		third.Tools[0].InputExamples = nil
		requests = append(requests, req, &other, &third)
	}
	step := testcost.Cases(11, 1)
	for i, target := range targets {
		for j, req := range requests {
			if (i+j)%step > 0 {
				continue
			}
			if _, err := renderAlike(t, req, target); err != nil && !strings.Contains(err.Error(), "prefill") {
				t.Fatal(err)
			}
		}
	}
}

// A memo's entry does not refer to the request that it was made from.
func TestMemoOutlivesRequest(t *testing.T) {
	body := []byte(testcost.Loads()[0].Body)
	target := Target{Memo: NewMemo()}
	render := func() *Prompt {
		req, err := messages.Decode(bytes.Clone(body), messages.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		p := mustRender(t, req, target)
		for i := range req.Tools {
			clear(req.Tools[i].InputSchema)
		}
		return p
	}
	first, second := render().Text(), render().Text()
	if first != second {
		t.Error("a request that is gone has changed what was kept of it")
	}
}

func TestMemoAtOnce(t *testing.T) {
	var all sync.WaitGroup
	target := Target{Memo: NewMemo()}
	want := mustRender(t, spoken("<x>"), Target{}).Text()
	for range 4 {
		all.Go(func() {
			for range 20 {
				p, err := Render(spoken("<x>"), target)
				if err != nil || p.Text() != want {
					t.Errorf("another prompt, or %v", err)
				}
			}
		})
	}
	all.Wait()
}

// If the tools are known, a request takes memory for its text once, and a few parts per turn, but
// nothing per byte or per tool.
func TestRenderMemory(t *testing.T) {
	target := Target{Memo: NewMemo()}
	for _, load := range testcost.Loads() {
		req, err := messages.Decode([]byte(load.Body), messages.DecodeOptions{})
		if err != nil {
			t.Fatal(err)
		}
		allocations := testing.AllocsPerRun(20, func() { mustRender(t, req, target) })
		if most := float64(30 + 8*len(req.Messages)); allocations > most {
			t.Errorf("%s: %v allocations, and not %v", load.Name, allocations, most)
		}
	}
}
