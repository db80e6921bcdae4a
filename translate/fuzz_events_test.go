package translate

import (
	"cmp"
	"iter"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"golang.org/x/tools/txtar"

	"dragoman/translate/answer"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/prompt"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// fuzzRequest offers tools with a parameter of every type.
func fuzzRequest() *messages.Request {
	return &messages.Request{ID: "msg_fuzz", Tools: []messages.Tool{
		{Name: "t", InputSchema: jsontext.Value(`{"type":"object","properties":{
			"s":{"type":"string"},"o":{"type":["string","null"]},"n":{"type":"number"},"i":{"type":"integer"},
			"b":{"type":"boolean"},"a":{"type":"array","items":{"type":"integer"}},
			"m":{"type":"object","properties":{"k":{"type":"string"}}},"e":{"enum":["x","y",1]},"any":{}}}`)},
		{Name: "none", InputSchema: jsontext.Value(`{"type":"object"}`)},
		{Name: "Case", InputSchema: jsontext.Value(`{"type":"object","properties":{"p":{"type":"string"}}}`)},
	}}
}

var fuzzStops = []completion{
	{stop: messages.StopEndTurn}, {stop: messages.StopMaxTokens}, {stop: messages.StopSequence, sequence: CallsEnd},
	{stop: messages.StopSequence, sequence: "END"}, {stop: messages.StopSequence}, {stop: messages.StopSequence, sequence: "</invoke>"},
	{stop: messages.StopSequence, sequence: format.ToolCallEnd},
}

// fuzzChoices are values of tool_choice; most of them are empty.
var fuzzChoices = [8]messages.ToolChoice{
	5: {Type: messages.ChoiceTool, Name: "t"}, 6: {Type: messages.ChoiceNone}, 7: {DisableParallelToolUse: true},
}

// FuzzEvents checks G2, G4 and G6: every split of any text gives the same message, and the events
// form the grammar.
func FuzzEvents(f *testing.F) {
	for _, seed := range parseSeeds(f) {
		f.Add(seed, uint8(0), uint8(0), false)
		f.Add(seed, uint8(2), uint8(3), true)
		f.Add(seed, uint8(0), uint8(6), false)
		f.Add(strings.ReplaceAll(seed, "get_weather", "t"), uint8(1), uint8(6), false)
		f.Add(strings.ReplaceAll(seed, "get_weather", "t"), uint8(2), uint8(5), false)
	}
	for seed := range uint8(4) {
		f.Add("x&lt;|im_end|> &amp;lt;|im_start|>user &#91;INST] &#93;~b] &lt;<SYS>> &lt;|im_", uint8(0), seed, true)
	}
	f.Fuzz(func(t *testing.T, text string, stop, seed uint8, escaped bool) {
		req := fuzzRequest()
		req.ToolChoice = fuzzChoices[seed%8]
		prompt := &Prompt{Asking: asking{Declared: format.List[int(seed)%len(format.List)], Target: Target{ModelOptions: ModelOptions{QuotedCalls: when(seed%5 > 2, QuotedRead), StreamValues: ValuesFlow}}}}
		if seed%7 > 3 {
			prompt.Target.Thinking = [...]string{ThinkingMaybe, ThinkingOpen}[seed%2]
			req.Thinking = []messages.Thinking{messages.ThinkingOff, messages.ThinkingShown}[seed%3/2]
		}
		prompt.Target.UnaskedThinking = [...]string{UnaskedText, UnaskedBlock, UnaskedHide}[seed%3]
		if seed%4 > 1 {
			prompt.Reads = format.ReadsOf(prompt.Declared, format.All(), format.TokensOf(""))
		}
		if escaped {
			prompt.Reads = cmp.Or(prompt.Reads, format.NewReads(prompt.Declared, nil, format.TokensOf("")))
			prompt.Escaped = markup.Escapes{Tags: markup.InValues | markup.TagTurn | markup.TagOpener | prompt.Declared.Protects, Openers: prompt.Reads.Openers}
		}
		c := fuzzStops[int(stop)%len(fuzzStops)]
		c.text = text
		read := func(n int) string {
			m, err := messages.Collect(checked(t, Events(req, prompt, c.chunks(n))))
			if err != nil {
				t.Fatalf("pieces of %d: %v", n, err)
			}
			return show(m)
		}
		whole := read(0)
		if req.ToolChoice.Type == messages.ChoiceNone && strings.Contains("\n"+whole, "\n"+string(messages.StopToolUse)) {
			t.Fatalf("none may be called, and\n%s", whole)
		}
		for _, n := range []int{1, 2, 3, 5, 1 + int(seed)} {
			if got := read(n); got != whole {
				t.Fatalf("pieces of %d give\n%s\nat once\n%s", n, got, whole)
			}
		}
		if strings.Contains(whole, "# refused") { // such a call may have been opened, for its values
			return
		}
		held := *prompt
		held.Target.StreamValues = ""
		holdsNothingHalf(t, Events(req, &held, c.chunks(int(seed))), whole)
	})
}

// holdsNothingHalf checks that without StreamValues only complete parameters are sent, and that the
// message is the same as with it.
func holdsNothingHalf(t *testing.T, events iter.Seq2[messages.Event, error], message string) {
	sent := map[int]string{}
	m, err := messages.Collect(func(yield func(messages.Event, error) bool) {
		for e, err := range checked(t, events) {
			if e.Delta == messages.InputJSONDelta {
				sent[e.Index] += string(e.Text)
			}
			if !yield(e, err) {
				return
			}
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := show(m); got != message {
		t.Fatalf("holding values gives\n%s\nwithout\n%s", got, message)
	}
	for i, b := range m.Content {
		if b.Type != messages.BlockToolUse {
			continue
		}
		want := string(b.Input)
		if b.Cut != nil {
			want = strings.TrimSuffix(want, "}")
		}
		if sent[i] != want {
			t.Fatalf("sent %q of %s", sent[i], b.Input)
		}
	}
}

// parseSeeds returns the completions of the golden files.
func parseSeeds(t testing.TB) (list []string) {
	files, err := filepath.Glob("testdata/parse/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no golden files", err)
	}
	for _, name := range files {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range txtar.Parse(data).Files {
			if strings.HasSuffix(file.Name, "/completion") || strings.HasSuffix(file.Name, "/model") {
				list = append(list, string(file.Data))
			}
		}
	}
	return list
}

// FuzzNoTools checks that text stays text if no tool is offered.
func FuzzNoTools(f *testing.F) {
	f.Add("<function_calls>\n<invoke>\n<tool_name>t</tool_name>\n", uint8(1))
	f.Add(" a ` b \xe2\x82", uint8(2))
	f.Fuzz(func(t *testing.T, text string, n uint8) {
		m := parse(t, &messages.Request{}, completion{text, messages.StopEndTurn, ""}, int(n))
		got := ""
		for _, b := range m.Content {
			got += b.Text
		}
		want := strings.ToValidUTF8(validEach(text), "\uFFFD")
		if strings.Trim(want, " \t\r\n") == "" && len(want) <= answer.MaxBlank {
			want = ""
		}
		if got != want {
			t.Fatalf("got %q, want %q", got, want)
		}
	})
}

// validEach replaces each byte that is not UTF-8 with U+FFFD.
func validEach(s string) string { return string([]rune(s)) }

// FuzzRoundTrip checks G5: a rendered call is parsed back to the same call, for any property names
// and for values of every type, declared or not, in pieces of any size.
func FuzzRoundTrip(f *testing.F) {
	for _, v := range []string{`"x"`, `"5"`, `5`, `12345678901234567890.50`, `null`, `"null"`, `true`, `"true"`, `[1,"a",{}]`, `{"k":"</m>"}`,
		`"\n"`, `"\r\n a \r"`, `"</s>\n</parameters>\n</invoke>"`, `"<![CDATA[x]]>"`, `"&lt;invoke>"`, `"<function_calls>"`, `""`, `"<|\"|>"`, `"a<"`, `"\"|>}"`, `"&lt;|\"|>"`, `"<\n|"`, `"it's )] <escape>"`, `{"a b":"<|\"|>","c":["'"]}`, `"\u0000"`, `"` + "`" + `"`} {
		f.Add("s", v, "x", v, uint8(1))
		f.Add("n", v, "parameters", v, uint8(3))
		f.Add("o", v, "a b", v, uint8(0))
		f.Add("e", v, "any", v, uint8(2))
		f.Add("q\"", v, "x&amp;", v, uint8(1))
	}
	f.Fuzz(func(t *testing.T, name1, value1, name2, value2 string, n uint8) {
		if name1 == name2 {
			t.Skip()
		}
		input := append(rawjson.AppendString([]byte("{"), name1), ':')
		input = append(append(input, value1...), ',')
		input = append(append(rawjson.AppendString(input, name2), ':'), value2...)
		input = append(input, '}')
		if !jsontext.Value(input).IsValid() {
			t.Skip()
		}
		req := fuzzRequest()
		for i := range req.Tools {
			for _, format := range asked() {
				roundTrip(t, req, &req.Tools[i], format, input, int(n))
			}
		}
	})
}

// TestRoundTripBranches has past calls with values that are typed by a branch of the schema.
// Earlier values choose the branch.
func TestRoundTripBranches(t *testing.T) {
	req := fuzzRequest()
	req.Tools = []messages.Tool{{Name: "f", InputSchema: jsontext.Value(`{"type":"object","properties":{"how":{"type":"string"}},"oneOf":[
		{"properties":{"action":{"const":"crawl"},"how":{"const":"fast"},"depth":{"type":"integer"}}},
		{"properties":{"action":{"const":"find"},"depth":{"type":"string"}}},
		{"properties":{"id":{"type":"integer"},"depth":{"type":["string","null"]}},"additionalProperties":false}]}`)}}
	for _, input := range []string{
		`{"action":"crawl","depth":12}`, `{"action":"find","depth":"12"}`, `{"action":"find","depth":12}`, `{"depth":12,"action":"crawl"}`, `{"depth":"12"}`,
		`{"id":1,"depth":null}`, `{"id":1,"depth":"null"}`, `{"how":"fast","depth":12}`, `{"how":"slow","depth":"12"}`, `{"how":"slow","depth":12,"id":"7"}`,
	} {
		for _, format := range asked() {
			roundTrip(t, req, &req.Tools[0], format, jsontext.Value(input), 3)
		}
	}
}

// asked returns the formats and variants that models are asked in.
func asked() []*format.Format {
	return append(format.List[:len(format.List):len(format.List)], format.Variants()...)
}

// roundTrip writes a past call, and reads it in pieces of n bytes.
func roundTrip(t *testing.T, req *messages.Request, tool *messages.Tool, f *format.Format, input jsontext.Value, n int) {
	reads := format.NewReads(f, nil, 0)
	e := prompt.NewEscaper(f, reads, req, "", false)
	text := f.BeforeCalls + writtenCall(f, &e, tool.Name, 0, input, schema.Compile(tool.InputSchema))
	if f.ImpliedEnd != f.AfterCalls { // the upstream has not stopped at the end of the calls
		text += f.AfterCalls
	}
	c := completion{text, messages.StopSequence, f.StopSequence}
	m, err := messages.Collect(checked(t, Events(req, &Prompt{Asking: asking{Declared: f, Reads: reads, Escaped: e.Escapes()}}, c.chunks(n))))
	if err != nil {
		t.Fatal(err)
	}
	if len(m.Content) != 1 || m.Content[0].Name != tool.Name || !sameInput(m.Content[0].Input, input) || m.StopReason != messages.StopToolUse {
		t.Fatalf("input %s\nis rendered as %s %s\n%s\nand parsed as\n%s", input, f.Name, f.Variant, text, show(m))
	}
}

// sameInput compares two inputs member by member.
func sameInput(a, b jsontext.Value) bool {
	got := map[string]jsontext.Value{}
	for name, value := range rawjson.NamedMembers(a) {
		got[name] = value
	}
	n := 0
	for name, value := range rawjson.NamedMembers(b) {
		if n++; !format.SameJSON(got[name], value) {
			return false
		}
	}
	return n == len(got)
}
