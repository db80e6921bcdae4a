package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
)

const weatherRequest = `{"model":"claude-2.1","max_tokens":64,
	"tools":[{"name":"get_weather","description":"Weather of a city.","input_schema":{"type":"object",
		"properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"]}}],
	"messages":[{"role":"user","content":"Weather in Oslo?"}]}`

const weatherCall = "Let me look.\n\n<function_calls>\n<invoke>\n<tool_name>get_weather</tool_name>\n<parameters>\n<city>Ålesund</city>\n<days>3</days>\n</parameters>\n</invoke>\n"

type prompt struct {
	System []struct{ Text string }
	Turns  []struct {
		Role  string
		Parts []struct{ Type, Text string }
	}
	StopSequences []string `json:"stop_sequences"`
	MaxTokens     int      `json:"max_tokens"`
}

func TestRender(t *testing.T) {
	path := write(t, "request.json", weatherRequest)
	got := invocation{}.run(t, "render", path)
	if got.code != 0 || strings.Count(got.stdout, "\n") != 1 {
		t.Fatalf("render: %+v", got)
	}
	p := decode[prompt](t, got.stdout)
	if len(p.System) == 0 || !strings.Contains(p.System[0].Text, "<tool_name>get_weather</tool_name>") {
		t.Errorf("the prompt's system has no tool: %+v", p.System)
	}
	if len(p.Turns) != 1 || p.Turns[0].Role != "user" || p.Turns[0].Parts[0].Text != "Weather in Oslo?" {
		t.Errorf("turns = %+v", p.Turns)
	}
	if !slices.Contains(p.StopSequences, translate.CallsEnd) || p.MaxTokens != 64 {
		t.Errorf("stop_sequences = %q, max_tokens = %d", p.StopSequences, p.MaxTokens)
	}
	for _, args := range [][]string{{"render"}, {"render", "-"}} {
		if piped := (invocation{stdin: weatherRequest}).run(t, args...); piped != got {
			t.Errorf("%v from standard input differs: %+v", args, piped)
		}
	}
}

func TestRenderText(t *testing.T) {
	got := invocation{stdin: weatherRequest}.run(t, "render", "--text")
	if got.code != 0 || !strings.HasSuffix(got.stdout, "\n\nHuman: Weather in Oslo?\n\nAssistant:\n") {
		t.Errorf("render --text: %+v", got)
	}
}

// The model's features decide whether the prompt can open a call.
func TestRenderTarget(t *testing.T) {
	forced := strings.Replace(weatherRequest, `"messages"`, `"tool_choice":{"type":"any"},"messages"`, 1)
	config := write(t, "dragoman.yaml", simulatedFile)
	tests := []struct {
		name string
		args []string
		want string // role of the last turn
	}{
		{"family", nil, "assistant"},
		{"another family", []string{"--model", "claude-opus-4-6"}, "user"},
		{"configured", []string{"--config", config}, "assistant"},
		{"configured by wildcard", []string{"--config", config, "--model", "claude-3-opus"}, "user"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := invocation{stdin: forced}.run(t, append([]string{"render"}, tt.args...)...)
			turns := decode[prompt](t, got.stdout).Turns
			if last := turns[len(turns)-1].Role; last != tt.want {
				t.Errorf("last turn of %s, want %s:\n%s", last, tt.want, got.stdout)
			}
		})
	}
}

// lineOut is a line of output with --jsonl: a prompt, a message or an error.
type lineOut struct {
	Error *struct{ Type, Message string }
	prompt
	message
}

func TestRenderLines(t *testing.T) {
	line := strings.ReplaceAll(weatherRequest, "\n", " ")
	config := write(t, "dragoman.yaml", simulatedFile)
	stdin := strings.Join([]string{
		line,
		"",
		`{"model":"claude-2.1"}`,
		strings.Replace(line, "claude-2.1", "gpt", 1),
		"{\r",
		strings.Replace(line, "64", "65", 1),
	}, "\n")
	got := invocation{stdin: stdin}.run(t, "render", "--jsonl", "--config", config)
	lines := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
	if got.code != 0 || len(lines) != 6 {
		t.Fatalf("exit code %d, %d lines:\n%s%s", got.code, len(lines), got.stdout, got.stderr)
	}
	wantErrors := []string{"", "invalid_request_error", "invalid_request_error", "not_found_error", "invalid_request_error", ""}
	wantTokens := []int{64, 0, 0, 0, 0, 65}
	for i, line := range lines {
		out := decode[lineOut](t, line)
		kind := ""
		if out.Error != nil {
			kind = out.Error.Type
			if out.Error.Message == "" {
				t.Errorf("line %d: an error without a message", i+1)
			}
		}
		if kind != wantErrors[i] || out.MaxTokens != wantTokens[i] {
			t.Errorf("line %d: %s", i+1, line)
		}
	}
}

type message struct {
	ID           string
	Type, Role   string
	Content      []block
	StopReason   string  `json:"stop_reason"`
	StopSequence *string `json:"stop_sequence"`
}

type block struct {
	Type, Text, Name string
	Input            map[string]any
}

// event is an event of a streamed answer.
type event struct {
	Type         string
	ContentBlock block `json:"content_block"`
	Delta        struct {
		Text        string
		PartialJSON string `json:"partial_json"`
	}
}

var wantCall = []block{
	{Type: "text", Text: "Let me look."},
	{Type: "tool_use", Name: "get_weather", Input: map[string]any{"city": "Ålesund", "days": 3.0}},
}

func TestParse(t *testing.T) {
	request := write(t, "request.json", weatherRequest)
	stopping := write(t, "stopping.json", strings.Replace(weatherRequest, `"messages"`, `"stop_sequences":["a=b"],"messages"`, 1))
	completion := write(t, "completion.txt", weatherCall)
	tests := []struct {
		name     string
		args     []string
		stdin    string
		want     []block
		stop     string
		sequence string
	}{
		{"stop sequence", []string{"--request", request, "--stop", "stop_sequence", completion}, "", wantCall, "tool_use", ""},
		{"flags last", []string{completion, "--stop", "stop_sequence", "--request", request}, "", wantCall, "tool_use", ""},
		{"named sequence", []string{"--request", request, "--stop", "stop_sequence=</function_calls>"}, weatherCall, wantCall, "tool_use", ""},
		{"to its end", []string{"--request", request, "-"}, weatherCall + "</function_calls>", wantCall, "tool_use", ""},
		{"cut within characters", []string{"--request", request, "--chunk", "1", "--stop", "stop_sequence"}, weatherCall, wantCall, "tool_use", ""},
		{"text", []string{"--request", request}, "It rains.", []block{{Type: "text", Text: "It rains."}}, "end_turn", ""},
		{"too long", []string{"--request", request, "--stop", "max_tokens"}, "It rai", []block{{Type: "text", Text: "It rai"}}, "max_tokens", ""},
		{"the client's sequence", []string{"--request", stopping, "--stop", "stop_sequence=a=b"}, "It rains.", []block{{Type: "text", Text: "It rains."}}, "stop_sequence", "a=b"},
		{"nothing", []string{"--request", request}, "", nil, "end_turn", ""},
		{"the end of calls in JSON", []string{"--request", request, "--format", "json", "--stop", "stop_sequence=<tool_response>"}, "It rains.", []block{{Type: "text", Text: "It rains."}}, "end_turn", ""},
		{"that is none in another format", []string{"--request", request, "--stop", "stop_sequence=<tool_response>"}, "It rains.", []block{{Type: "text", Text: "It rains."}}, "stop_sequence", "<tool_response>"},
		{"the end of calls in any format", []string{"--request", request, "--format", "any", "--stop", "stop_sequence"}, weatherCall, wantCall, "tool_use", ""},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got := invocation{stdin: tt.stdin}.run(t, append([]string{"parse"}, tt.args...)...)
			if got.code != 0 {
				t.Fatalf("%+v", got)
			}
			m := decode[message](t, got.stdout)
			if diff := cmp.Diff(tt.want, m.Content, equalEmpty); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
			var sequence string
			if m.StopSequence != nil {
				sequence = *m.StopSequence
			}
			if m.Type != "message" || m.Role != "assistant" || m.StopReason != tt.stop || sequence != tt.sequence {
				t.Errorf("message: %s", got.stdout)
			}
		})
	}
}

// equalEmpty treats no blocks and an empty list of blocks as equal.
var equalEmpty = cmp.FilterValues(func(a, b []block) bool { return len(a)+len(b) == 0 }, cmp.Ignore())

func TestParseEvents(t *testing.T) {
	request := write(t, "request.json", weatherRequest)
	got := invocation{stdin: weatherCall}.run(t, "parse", "--request", request, "--events", "--chunk", "3", "--stop", "stop_sequence")
	var types []string
	var text, input string
	for line := range strings.Lines(got.stdout) {
		e := decode[event](t, line)
		text += e.Delta.Text
		input += e.Delta.PartialJSON
		if len(types) == 0 || types[len(types)-1] != e.Type {
			types = append(types, e.Type)
		}
	}
	want := []string{
		"message_start", "ping", "content_block_start", "content_block_delta", "content_block_stop",
		"content_block_start", "content_block_delta", "content_block_stop", "message_delta", "message_stop",
	}
	if diff := cmp.Diff(want, types); got.code != 0 || diff != "" {
		t.Errorf("exit code %d, events (-want +got):\n%s", got.code, diff)
	}
	if text != "Let me look." || !json.Valid([]byte(input)) {
		t.Errorf("text %q, input %q", text, input)
	}
}

// line returns a line for parse --jsonl with the weather request and these fields.
func line(completion, members string) string {
	quoted, _ := json.Marshal(completion)
	return fmt.Sprintf(`{"request":%s,"completion":%s%s}`, strings.ReplaceAll(weatherRequest, "\n", " "), quoted, members)
}

func TestParseLines(t *testing.T) {
	text := []block{{Type: "text", Text: "It rains."}}
	loose := strings.ReplaceAll(line(strings.ReplaceAll(weatherCall, "get_weather", "Weather::get"), `,"stop_reason":"stop_sequence"`), "get_weather", "Weather::get")
	looseCall := []block{wantCall[0], {Type: "tool_use", Name: "Weather::get", Input: wantCall[1].Input}}
	const jsonCall = "Let me look.\n<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Ålesund\", \"days\": 3}}\n</tool_call>\n"
	const kimiCall = "Let me look.\n<|tool_calls_section_begin|><|tool_call_begin|>functions.get_weather:0<|tool_call_argument_begin|>{\"city\": \"Ålesund\", \"days\": 3}<|tool_call_end|><|tool_calls_section_end|>"
	tests := []struct {
		name string
		line string
		want []block
		stop string
		err  string // part of the error's message
	}{
		{"bare", line("It rains.", ""), text, "end_turn", ""},
		{"nulls", line("It rains.", `,"stop_reason":null,"stop_sequence":null,"chunk":null`), text, "end_turn", ""},
		{"sequence", line(weatherCall, `,"stop_reason":"stop_sequence","stop_sequence":"</function_calls>","chunk":2`), wantCall, "tool_use", ""},
		{"sequence of its own", line(weatherCall, `,"stop_reason":"stop_sequence","stop_sequence":null`), wantCall, "tool_use", ""},
		{"sequence without a reason", line(weatherCall, `,"stop_sequence":"</function_calls>"`), wantCall, "tool_use", ""},
		{"max_tokens", line("It rains.", `,"stop_reason":"max_tokens"`), text, "max_tokens", ""},
		{"a name outside the API's pattern", loose, looseCall, "tool_use", ""},
		{"a member of the user's own", line("It rains.", `,"note":7`), nil, "", "note: unknown name; the names here are request, completion, stop_reason, stop_sequence, chunk, format, accept, quoted_calls, thinking, unasked_thinking, id, expected"},
		{"what eval needs", line("It rains.", `,"id":"a","expected":[]`), text, "end_turn", ""},
		{"a quoted call that is read", line("Let me look.\n\n```xml\n"+strings.TrimPrefix(weatherCall, "Let me look.\n\n")+"</function_calls>\n```", `,"quoted_calls":"read"`), wantCall, "tool_use", ""},
		{"accepted formats", line(kimiCall, `,"accept":"kimi"`), wantCall, "tool_use", ""},
		{"a format that is not accepted", line(kimiCall, ""), []block{{Type: "text", Text: strings.TrimSpace(kimiCall)}}, "end_turn", ""},
		{"how thinking goes on", line("Hm.</think>It rains.", `,"thinking":"open","unasked_thinking":"hide"`), text, "end_turn", ""},
		{"quoted calls that are no word", line("It rains.", `,"quoted_calls":"yes"`), nil, "", `quoted_calls: unknown value "yes"; use one of: text, read`},
		{"a format", line(jsonCall, `,"format":"json","stop_reason":"stop_sequence"`), wantCall, "tool_use", ""},
		{"another than it is written in", line(jsonCall, `,"format":"attribute"`), wantCall, "tool_use", ""},
		{"any format", line(weatherCall, `,"format":"any","stop_reason":"stop_sequence"`), wantCall, "tool_use", ""},
		{"no format", line(weatherCall, `,"format":null,"stop_reason":"stop_sequence"`), wantCall, "tool_use", ""},
		{"a format that is none", line(weatherCall, `,"format":"yaml"`), nil, "", `format: unknown value "yaml"; use one of: ` + strings.Join(parseFormats(), ", ")},
		{"a format with a slip", line(weatherCall, `,"format":"JSON"`), nil, "", `format: unknown value "JSON"; did you mean "json"?`},
		{"thinking that nothing opened", line("I could</think>It rains.", `,"format":"json","thinking":"marked"`), []block{{Type: "text", Text: "I could</think>It rains."}}, "end_turn", ""},
		{"thinking that is no word", line("It rains.", `,"thinking":"never"`), nil, "", `thinking: unknown value "never"; use one of: marked, maybe, open`},
		{"all in capitals", line("It rains.", `,"STOP_SEQUENCE":"x"`), nil, "", `STOP_SEQUENCE: unknown name; did you mean "stop_sequence"?`},
		{"the request in capitals", strings.Replace(line("It rains.", ""), `"request"`, `"Request"`, 1), nil, "", `Request: unknown name; did you mean "request"?`},
		{"a slip", line("It rains.", `,"stop_reson":"max_tokens"`), nil, "", `stop_reson: unknown name; did you mean "stop_reason"?`},
		{"a name in capitals", line("It rains.", `,"Chunk":1`), nil, "", `did you mean "chunk"?`},
		{"twice", line("It rains.", `,"completion":"x"`), nil, "", "the line cannot be read"},
		{"not JSON", "{", nil, "", "the line cannot be read"},
		{"not an object", "[]", nil, "", "the line cannot be read: this should not be of the kind ["},
		{"a number as the completion", `{"request":{},"completion":5}`, nil, "", "completion: this should not be of the kind number"},
		{"empty", "", nil, "", "the line is empty"},
		{"no request", `{"completion":""}`, nil, "", "request: missing"},
		{"null request", `{"request":null,"completion":""}`, nil, "", "request: missing"},
		{"no completion", `{"request":{}}`, nil, "", "completion: missing"},
		{"request invalid", `{"request":{"model":"m","messages":[{"role":"user","content":"x"}]},"completion":""}`, nil, "", "max_tokens"},
		{"bad reason", line("", `,"stop_reason":"tool_use"`), nil, "", "stop_reason: "},
		{"contradiction", line("", `,"stop_reason":"end_turn","stop_sequence":"x"`), nil, "", "stop_reason: end_turn has no stop sequence"},
		{"bad chunk", line("", `,"chunk":-1`), nil, "", "chunk: -1 is less than 0"},
		{"last", line("It rains.", ""), text, "end_turn", ""},
	}
	var stdin strings.Builder
	for _, tt := range tests {
		stdin.WriteString(tt.line + "\n")
	}
	got := invocation{stdin: stdin.String()}.run(t, "parse", "--jsonl")
	lines := strings.Split(strings.TrimSuffix(got.stdout, "\n"), "\n")
	if got.code != 0 || len(lines) != len(tests) {
		t.Fatalf("exit code %d, %d lines out for %d in: %s", got.code, len(lines), len(tests), got.stderr)
	}
	ids := map[string]bool{}
	for i, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			out := decode[lineOut](t, lines[i])
			if tt.err != "" {
				if out.Error == nil || out.Error.Type != "invalid_request_error" || !strings.Contains(out.Error.Message, tt.err) {
					t.Errorf("want an error with %q: %s", tt.err, lines[i])
				}
				return
			}
			if diff := cmp.Diff(tt.want, out.Content); diff != "" || out.StopReason != tt.stop {
				t.Errorf("stop_reason %q, content (-want +got):\n%s", out.StopReason, diff)
			}
			if ids[out.ID] {
				t.Errorf("the id %s is given twice", out.ID)
			}
			ids[out.ID] = true
		})
	}
}

// Each line is answered before the next one arrives, so that the command works in a pipe.
func TestParseLinesPromptly(t *testing.T) {
	stdin, in := io.Pipe()
	out, stdout := io.Pipe()
	done := make(chan int)
	go func() {
		code := run(t.Context(), []string{"parse", "--jsonl"}, stdin, stdout, io.Discard, func(string) string { return "" })
		stdout.Close()
		done <- code
	}()
	answers := bufio.NewScanner(out)
	for i := range 3 {
		text := fmt.Sprint("number ", i)
		fmt.Fprintln(in, line(text, ""))
		if !answers.Scan() {
			t.Fatal("no answer")
		}
		if m := decode[message](t, answers.Text()); m.Content[0].Text != text {
			t.Errorf("answer %d: %s", i, answers.Text())
		}
	}
	in.Close()
	if answers.Scan() {
		t.Errorf("one line too many: %s", answers.Text())
	}
	if code := <-done; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

func TestReadLine(t *testing.T) {
	const limit = 100
	full := strings.Repeat("x", limit)
	in := bufio.NewReaderSize(strings.NewReader(full+"\r\n"+full+"y\n\nlast"), 16)
	var got []string
	var buf []byte
	for {
		line, err := readLine(in, buf[:0], limit)
		if errors.Is(err, io.EOF) {
			break
		}
		buf = line
		var bad *lineError
		switch {
		case errors.As(err, &bad):
			got = append(got, "too long")
		case err != nil:
			t.Fatal(err)
		default:
			got = append(got, fmt.Sprint(len(line), string(line[:min(4, len(line))])))
		}
	}
	want := []string{"100xxxx", "too long", "0", "4last"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("lines (-want +got):\n%s", diff)
	}
}

func TestReadLineFailure(t *testing.T) {
	broken := io.MultiReader(strings.NewReader("whole\nhalf"), iotestErr{})
	var out bytes.Buffer
	err := eachLine(broken, &out, func(_ int, line, dst []byte) ([]byte, error) { return append(dst, line...), nil })
	if !errors.Is(err, io.ErrUnexpectedEOF) || out.String() != "whole\n" {
		t.Errorf("eachLine = %v, wrote %q", err, out.String())
	}
}

type iotestErr struct{}

func (iotestErr) Read([]byte) (int, error) { return 0, io.ErrUnexpectedEOF }

// TestParseOutcomes checks where parse prints how calls were read.
func TestParseOutcomes(t *testing.T) {
	request := write(t, "request.json", weatherRequest)
	odd := strings.Replace(weatherCall, "<tool_name>get_weather</tool_name>", "<tool_name>get_weather</tool_name>\n<!-- so -->", 1) +
		"<invoke>\n<tool_name>no_such_tool</tool_name>\n</invoke>\n"
	got := invocation{stdin: odd}.run(t, "parse", "--request", request, "--verbose")
	if want := "get_weather: repaired (stray_text)\nno_such_tool: unknown_tool (none)\n"; got.code != 0 || got.stderr != want {
		t.Errorf("exit code %d, %q, want %q", got.code, got.stderr, want)
	}
	lines := invocation{stdin: line(odd, "") + "\n" + line("It rains.", "") + "\n"}.run(t, "parse", "--jsonl")
	want := []string{
		`"outcomes":[{"kind":"repaired","tool":"get_weather","reason":"stray_text"},{"kind":"unknown_tool","tool":"no_such_tool","reason":"none"}]}`,
		`"outcomes":[]}`,
	}
	for i, line := range strings.Split(strings.TrimSpace(lines.stdout), "\n") {
		if !strings.HasSuffix(line, want[i]) {
			t.Errorf("line %d ends with no %s: %s", i, want[i], line)
		}
	}
}
