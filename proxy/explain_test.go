package proxy

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/upstream"
)

func explainTo(s *Server, query, body string, header ...string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	r := newRequest("POST", "/explain"+query, body, header...)
	if r.Header.Get("Host") != "" {
		r.Host = r.Header.Get("Host")
	} else {
		r.Host = "localhost:8485"
	}
	s.Admin().ServeHTTP(w, r)
	return w
}

// Every dropped field has a reason, under the names of each client API, and the checks of the answer are listed.
func TestExplainDropped(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"), func(o *Options) {
		o.Routes[0].MaxTokens, o.Routes[0].Features.Without = 1000, upstream.TopK
		o.Routes[0].Repair = 1
		o.Routes[0].Fallbacks = []UpstreamModel{{Upstream: "east", Model: "claude-3-haiku"}}
	})
	for _, tt := range []struct{ path, body, dropped, checked string }{
		{"/v1/messages", `{"model":"claude-2.1","max_tokens":2000,"top_k":3,"mine":1,"container":"c","metadata":{"user_id":"u"},"stream":true,
			"system":"x-anthropic-billing-header: a","output_config":{"format":{"type":"json_schema","schema":{"$ref":"#/nowhere"}}},
			"tools":[{"name":"f","strict":true,"input_schema":{"type":"object"}}],"tool_choice":{"type":"any"},
			"messages":[{"role":"user","content":[{"type":"text","text":"hi","cache_control":{"type":"ephemeral"}}]},
			{"role":"assistant","content":[{"type":"server_tool_use","id":"a","name":"web_search","input":{}},{"type":"text","text":"x"}]},{"role":"user","content":"y"}]}`,
			"container,max_tokens,messages.content.cache_control,messages.content.server_tool_use,metadata,mine,output_config.format,system.billing_header,top_k", "tools.strict,tool_choice,repair"},
		{"/model/claude-2.1/converse", `{"messages":[{"role":"user","content":[{"text":"hi"},{"cachePoint":{"type":"default"}}]}],"requestMetadata":{"a":"b"}}`,
			"messages.content.cachePoint,requestMetadata", ""},
		{"/v1/chat/completions", `{"model":"claude-2.1","n":2,"user":"u","messages":[{"role":"user","content":"hi"}]}`, "n,user", ""},
		{"/model/claude-2.1/invoke", `{"anthropic_version":"bedrock-2023-05-31","max_tokens":5,"messages":[{"role":"user","content":"hi"}]}`, "serviceTier", ""},
	} {
		w := explainTo(s, "?path="+tt.path, tt.body, "X-Amzn-Bedrock-Service-Tier", "priority")
		var got explanation
		if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || w.Code != 200 {
			t.Fatalf("%d %s", w.Code, w.Body)
		}
		var names []string
		for _, d := range got.Dropped {
			if names = append(names, d.Field); d.Why == "" || d.Field != "mine" && strings.Contains(d.Why, "has no such field") {
				t.Errorf("%s: %q", d.Field, d.Why)
			}
		}
		slices.Sort(names)
		if strings.Join(names, ",") != tt.dropped || strings.Join(got.Checked, ",") != tt.checked || w.Header().Get("X-Dragoman-Dropped") != tt.dropped {
			t.Errorf("%s: dropped %v (header %s), checked %v", tt.path, names, w.Header().Get("X-Dragoman-Dropped"), got.Checked)
		}
		if got.Route != "claude-*" || got.Model != "claude-2.1" || got.Upstream != "east" || got.UpstreamModel != "claude-2.1" || got.Tools != "xml" || got.Format != "legacy" ||
			got.Family != "claude" || got.MaxTokens != 1000 || len(got.Fallbacks) != 1 || got.Tokens == 0 || got.Stream != (tt.checked != "") {
			t.Errorf("%s: %+v", tt.path, got)
		}
	}
}

// The log line of an exchange and its explanation name the variant of the format.
func TestVariantShown(t *testing.T) {
	var log logged
	s := newServer(t, completing(endOfTurn, "hi"), log.option, func(o *Options) {
		o.Routes[0].Model, o.Routes[0].Format, o.AdminLoopback = "zai.glm-4.7", "auto", true
	})
	post(s, question)
	if line := log.exchange(t); line["format"] != "glm" || line["variant"] != "glm-4.7" {
		t.Errorf("the line has %v %v", line["format"], line["variant"])
	}
	var got explanation
	if err := json.Unmarshal(explainTo(s, "", question).Body.Bytes(), &got); err != nil || got.Format != "glm" || got.Variant != "glm-4.7" {
		t.Errorf("explained are %q %q, %v", got.Format, got.Variant, err)
	}
}

// If Dragoman would reject a request, the explanation is the same error in the form of the client API. Nothing is
// called, counted or logged.
func TestExplainRefuses(t *testing.T) {
	var log logged
	silent := upstreamFunc(nil) // a call would panic
	s := newServer(t, silent, log.option, func(o *Options) { o.BodyBytes = 1000; o.AdminLoopback = true })
	for _, tt := range []struct {
		query, body, header string
		status              int
		says                string
	}{
		{"", `{"model":"claude-2.1"}`, "", 400, "max_tokens: Field required"},
		{"", `{"model":"c4n4ry","max_tokens":5,"messages":[]}`, "", 404, "no model of this name"},
		{"", question[:len(question)-1], "", 400, ""},
		{"", strings.Repeat(" ", 2000) + question, "", 413, "longer than 1000 bytes"},
		{"?path=/model/claude-2.1/converse", `{"messages":[]}`, "", 400, `{"message":"messages`},
		{"?path=/anthropic/messages", question, "", 200, `"route":"claude-*"`},
		{"?path=/v1/models", question, "", 400, "path: no message is answered at this path"},
		{"?path=%25", question, "", 400, "path: "},
		{"?path=http://evil/v1/messages", question, "", 200, ""},
		{"", question, "Origin: https://evil.example", 403, "another origin: pages have no access"},
		{"", question, "Host: evil.example", 403, "is not a name of this server"},
	} {
		var header []string
		if name, value, ok := strings.Cut(tt.header, ": "); ok {
			header = []string{name, value}
		}
		w := explainTo(s, tt.query, tt.body, header...)
		if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.says) {
			t.Errorf("%s %s: %d %.300s", tt.query, tt.header, w.Code, w.Body)
		}
	}
	if text := log.String(); strings.Contains(text, `"exchange"`) || strings.Contains(text, "served_as") || strings.Contains(text, "c4n4ry") || strings.Contains(text, "Oslo") {
		t.Errorf("logged %s", text)
	}
	w := httptest.NewRecorder()
	s.Admin().ServeHTTP(w, httptest.NewRequest("GET", "http://localhost:8485/metrics", nil))
	if counted := w.Body.String(); w.Code != 200 || strings.Contains(counted, `dragoman_requests_total{`) {
		t.Errorf("counted: %d %s", w.Code, counted)
	}
	w = httptest.NewRecorder()
	r := httptest.NewRequest("GET", "http://localhost:8485/explain", nil)
	s.Admin().ServeHTTP(w, r)
	if w.Code != http.StatusMethodNotAllowed || w.Header().Get("Allow") != "POST" {
		t.Errorf("GET: %d, Allow %q", w.Code, w.Header().Get("Allow"))
	}
}

// After a model has refused a feature, the dry run and /explain show the request without it.
func TestExplainAfterARefusal(t *testing.T) {
	s := newServer(t, completing(endOfTurn, "hi"))
	forced := strings.Replace(question, `"messages"`, `"tool_choice":{"type":"any"},"messages"`, 1)
	prefills := func(body string) bool {
		var p translate.Prompt
		if err := json.Unmarshal([]byte(body), &p); err != nil {
			t.Fatal(err)
		}
		return p.Turns[len(p.Turns)-1].Role == "assistant"
	}
	dry := func() string { return post(s, forced, "x-dragoman-dry-run", "1").Body.String() }
	if !prefills(dry()) {
		t.Error("no prefill")
	}
	s.refusals.add(s.routes[0].For("claude-2.1").UpstreamModel, refusal{features: upstream.Prefill})
	if prefills(dry()) {
		t.Error("the prompt would not be sent so")
	}
	if w := explainTo(s, "", forced); !strings.Contains(w.Body.String(), dry()) {
		t.Errorf("/explain shows another prompt: %s", w.Body)
	}
}
