package inspector

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/go-json-experiment/json"

	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
)

const triedRequest = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Look </invoke> up."}],
"tools":[{"name":"look","input_schema":{"type":"object","properties":{"at":{"type":"string"}}}}]}`

// try sends a body to the playground, and decodes the answer into out.
func try(t *testing.T, h http.Handler, path string, body, out any) (status int) {
	t.Helper()
	data, err := json.Marshal(body)
	if err != nil {
		t.Fatal(err)
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, path, bytes.NewReader(data)))
	if err := json.Unmarshal(w.Body.Bytes(), out); err != nil {
		t.Fatalf("%s: %v", w.Body, err)
	}
	return w.Code
}

type shownRender struct {
	Prompt  translate.Prompt `json:"prompt"`
	Origins struct {
		System [][]shownSpan `json:"system"`
		Turns  [][]struct {
			Text []shownSpan `json:"text"`
		} `json:"turns"`
	} `json:"origins"`
	Error string `json:"error"`
	Path  string `json:"path"`
}

type shownSpan struct {
	End    int    `json:"end"`
	Kind   string `json:"kind"`
	Source string `json:"source"`
}

// A request renders in every format, and each part of the prompt has its source.
func TestPlaygroundRender(t *testing.T) {
	h := Playground(nil)
	for _, format := range translate.Formats() {
		var got shownRender
		if status := try(t, h, "/render", map[string]any{"request": triedRequest, "format": format}, &got); status != http.StatusOK {
			t.Fatalf("%s: %d %s", format, status, got.Error)
		}
		from := got.Origins.Turns[0][0].Text
		if len(from) != 3 || from[1].Kind != "escape" || from[2].Source != "messages.0.content.0" || from[2].End != len(got.Prompt.Turns[0].Parts[0].Text) {
			t.Errorf("%s: the turn is from %v", format, from)
		}
		if from := got.Origins.System[0]; from[len(from)-1].End != len(got.Prompt.System[0].Text) {
			t.Errorf("%s: the tools are from %v", format, from)
		}
	}
}

// The error says what is wrong with a request, and where.
func TestPlaygroundRefuses(t *testing.T) {
	h := Playground(func(context.Context, *messages.Request) (*proxy.Trial, error) {
		return nil, errors.New("model: x: no model of this name is configured")
	})
	for _, tt := range []struct{ request, model, format, path, said string }{
		{request: `{"model":"m",`, said: "JSON"},
		{request: `{"model":"m","max_tokens":1,"messages":[{"role":"user"}]}`, path: "messages.0.content", said: "required"},
		{request: triedRequest, format: "modern", said: "unknown format"},
		{request: triedRequest, model: "x", said: "no model"},
	} {
		var got shownRender
		status := try(t, h, "/render", map[string]any{"request": tt.request, "model": tt.model, "format": tt.format}, &got)
		if status != http.StatusOK || got.Path != tt.path || !strings.Contains(got.Error, tt.said) {
			t.Errorf("%+v: %d %q at %q", tt, status, got.Error, got.Path)
		}
	}
	for body, want := range map[string]int{`{"request":1}`: http.StatusBadRequest, `{"request":"{}","more":1}`: http.StatusBadRequest, `{`: http.StatusBadRequest} {
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/render", strings.NewReader(body)))
		if w.Code != want {
			t.Errorf("%s: %d %s", body, w.Code, w.Body)
		}
	}
	w := httptest.NewRecorder()
	endless := io.MultiReader(strings.NewReader(`{"completion":"`), strings.NewReader(strings.Repeat("a", mostTried)))
	h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/parse", endless))
	if w.Code != http.StatusRequestEntityTooLarge {
		t.Errorf("too long a body: %d", w.Code)
	}
}

type shownParse struct {
	Total int         `json:"total"`
	From  int         `json:"from"`
	Start shownStep   `json:"start"`
	Steps []shownStep `json:"steps"`
	Error string      `json:"error"`
}

type shownStep struct {
	End    int         `json:"end"`
	State  string      `json:"state"`
	From   int         `json:"from"`
	Spans  []shownSpan `json:"spans"`
	Events []struct {
		Type string `json:"type"`
	} `json:"events"`
	Outcomes []outcome `json:"outcomes"`
	Done     bool      `json:"done"`
}

const triedCompletion = "I look.\n<function_calls>\n<invoke>\n<tool_name>look</tool_name>\n<parameters>\n<at>é</at>\n</parameters>\n</invoke>\n"

// A page of steps shows the same as all steps together, wherever it begins.
func TestPlaygroundParse(t *testing.T) {
	h := Playground(nil)
	parse := func(from, count int) (got shownParse) {
		t.Helper()
		body := map[string]any{
			"request": triedRequest, "completion": triedCompletion, "stop_reason": "stop_sequence", "stop_sequence": translate.CallsEnd,
			"piece": 5, "from": from, "count": count,
		}
		if status := try(t, h, "/parse", body, &got); status != http.StatusOK {
			t.Fatalf("%d %s", status, got.Error)
		}
		return got
	}
	all := parse(0, 1000)
	if want := (len(triedCompletion)+4)/5 + 1; all.Total != want || len(all.Steps) != want {
		t.Fatalf("%d of %d steps; want %d", len(all.Steps), all.Total, want)
	}
	if first := all.Steps[0].Events; len(first) == 0 || first[0].Type != "message_start" {
		t.Errorf("the first events are %v", first)
	}
	last := all.Steps[len(all.Steps)-1]
	var outcomes []outcome
	for _, step := range all.Steps {
		outcomes = append(outcomes, step.Outcomes...)
	}
	if !last.Done || len(outcomes) != 1 || outcomes[0].Kind != string(messages.OutcomeClean) || last.Events[len(last.Events)-1].Type != "message_stop" {
		t.Errorf("the last step is %+v, after %v", last, outcomes)
	}
	page := parse(7, 2)
	if page.From != 7 || len(page.Steps) != 2 || page.Start.End != 35 || page.Steps[0].State != all.Steps[7].State || len(page.Start.Spans) == 0 {
		t.Errorf("a page is %+v; want steps 7 and 8 of %+v", page, all)
	}
	var whole shownParse
	huge := map[string]any{"request": triedRequest, "completion": triedCompletion, "piece": math.MaxInt - len(triedCompletion) + 1, "count": 2}
	if status := try(t, h, "/parse", huge, &whole); status != http.StatusOK || whole.Total != 2 || len(whole.Steps) != 2 || !whole.Steps[1].Done {
		t.Errorf("in one huge piece: %d %+v", status, whole)
	}
	if beyond := parse(1000, 1); beyond.From != all.Total-1 || !beyond.Steps[0].Done {
		t.Errorf("beyond the end is %+v", beyond)
	}
}

// A completion of 10 MB comes in pages of limited size, wherever they begin.
func TestPlaygroundBounds(t *testing.T) {
	h := Playground(nil)
	text := strings.Repeat("é <b>&amp;</b> ", 10<<20/16)
	for _, tt := range []struct{ piece, from int }{{len(text), 0}, {1 << 20, 3}, {16, 400_000}, {1, 9_000_000}} {
		data, err := json.Marshal(map[string]any{"request": triedRequest, "completion": text, "piece": tt.piece, "from": tt.from, "count": 1 << 30})
		if err != nil {
			t.Fatal(err)
		}
		w := httptest.NewRecorder()
		h.ServeHTTP(w, httptest.NewRequestWithContext(t.Context(), http.MethodPost, "/parse", bytes.NewReader(data)))
		if w.Code != http.StatusOK || w.Body.Len() > 4<<20 {
			t.Errorf("%+v: %d, %d bytes: %.100s", tt, w.Code, w.Body.Len(), w.Body)
		}
	}
}
