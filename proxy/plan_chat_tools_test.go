package proxy

import (
	"encoding/json"
	"net/http/httptest"
	"strings"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// osloCall is a call as the models of many families write it.
const osloCall = `<tool_call>{"name":"get_weather","arguments":{"city":"Oslo"}}</tool_call>`

// toolServer returns a server in front of a chat server that treats tools this way. The model answers with these texts
// in turn, and repeats the last one.
func toolServer(t *testing.T, tools upstreamtest.ChatTools, change func(*Options), texts ...string) (*Server, *upstreamtest.Chat, *logged) {
	t.Helper()
	asked := 0
	fake := upstreamtest.NewChat(func(string, *translate.Prompt) upstreamtest.Completion {
		text := texts[min(asked, len(texts)-1)]
		asked++
		c := upstreamtest.Completion{Text: strings.TrimSuffix(text, "…")}
		if c.Text != text {
			c.Stop = messages.StopMaxTokens
		}
		return c
	})
	fake.Tools = tools
	log := &logged{}
	return chatting(t, fake, change, log.option), fake, log
}

// given returns an option that sets how the model of a chat server gets tools. The server continues no prefill.
func given(tools string) func(*Options) {
	return func(o *Options) {
		m := &o.Routes[0].UpstreamModel
		m.Kind, m.Tools, m.Features.Without = upstream.KindOpenAI, tools, upstream.Prefill
	}
}

// TestUnaskedCalls: some servers extract calls even from answers to requests without tools. In every client API these
// arrive as calls.
func TestUnaskedCalls(t *testing.T) {
	asJSON := func(o *Options) { o.Routes[0].Format = translate.FormatJSON }
	for _, tools := range []upstreamtest.ChatTools{{Unasked: true}, {Unasked: true, AtOnce: true}, {Unasked: true, Function: true}} {
		s, fake, log := toolServer(t, tools, asJSON, "I look. "+osloCall)
		for _, body := range []string{ofQwen, streamed(ofQwen)} {
			got := post(s, body).Body.String()
			fields := log.exchange(t)
			if !strings.Contains(got, "get_weather") || !strings.Contains(got, "I look.") || fields["stop_reason"] != "tool_use" || fields["tool_call_source"] != "server" || fields["tool_calls"] != 1. {
				t.Errorf("%+v: %v\n%s", tools, fields, got)
			}
		}
		if got := read(t, postTo(s, conversePath, converseQuestion).Body); !strings.Contains(got, `"toolUse":`) || !strings.Contains(got, `"input":{"city":"Oslo"}`) || !strings.Contains(got, `"stopReason":"tool_use"`) {
			t.Errorf("converse: %s", got)
		}
		if strings.Contains(string(fake.Requests()[0].Body), `"tools":`) {
			t.Error("tools were sent")
		}
	}
	s, _, log := toolServer(t, upstreamtest.ChatTools{Unasked: true, Loses: true}, asJSON, osloCall)
	got := post(s, ofQwen).Body.String()
	if fields := log.exchange(t); !strings.Contains(got, `"content":[]`) || fields["tool_calls"] != 1. || fields["tool_call_reasons"].([]any)[0] != messages.ReasonLostByServer.String() {
		t.Errorf("a call that is lost: %v\n%s", fields, got)
	}
}

// TestNativeChat: a model gets tools through its server's tools API.
func TestNativeChat(t *testing.T) {
	const oslo = `"name":"get_weather","input":{"city":"Oslo"}`
	with := func(member string) string { return strings.Replace(ofQwen, `"messages"`, member+`,"messages"`, 1) }
	broken := `<tool_call>{"name":"get_weather","arguments":{"city": Oslo}}</tool_call>`
	repaired := func(o *Options) { given(ToolsNative)(o); o.Routes[0].Repair = 1 }
	bare := func(o *Options) { given(ToolsNative)(o); o.Routes[0].Rescue = new(false) }
	reads := upstreamtest.ChatTools{Reads: true}
	for _, tt := range []struct {
		name    string
		tools   upstreamtest.ChatTools
		change  func(*Options)
		body    string
		texts   []string
		want    []string // texts in the message, in this order
		stop    string
		source  any
		reasons string
		asked   int
	}{
		{"read by the server", reads, given(ToolsNative), ofQwen, []string{"So. " + osloCall}, []string{`"text":"So."`, oslo}, "tool_use", "server", "none", 1},
		{"text", reads, given(ToolsNative), ofQwen, []string{"Cold."}, []string{`"text":"Cold."`}, "end_turn", nil, "", 1},
		{"rescued", upstreamtest.ChatTools{}, given(ToolsNative), ofQwen, []string{"So. " + osloCall}, []string{`"text":"So."`, oslo}, "tool_use", "text", "none", 1},
		{"not rescued", upstreamtest.ChatTools{}, bare, ofQwen, []string{osloCall}, []string{`get_weather\"`}, "end_turn", nil, "", 1},
		{"both ways", upstreamtest.ChatTools{Reads: true, Leaves: true}, given(ToolsNative), ofQwen, []string{osloCall}, []string{oslo}, "tool_use", "text", "none", 1},
		{"one of two", reads, given(ToolsNative), with(`"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`), []string{osloCall + osloCall}, []string{oslo}, "tool_use", "server", "none", 1},
		{"cut", reads, given(ToolsNative), ofQwen, []string{strings.TrimSuffix(osloCall, `"}}</tool_call>`) + "…"}, []string{`"name":"get_weather","input":{}`}, "max_tokens", "server", "none", 1},
		{"a stop sequence of the client's", reads, given(ToolsNative), with(`"stop_sequences":["END"]`), []string{"So. END" + osloCall}, []string{`"text":"So. "`}, "stop_sequence", nil, "", 1},
		{"forced, and not done at first", reads, given(ToolsNative), with(`"tool_choice":{"type":"any"}`), []string{"I would.", osloCall}, []string{oslo}, "tool_use", "server", "none", 2},
		{"not JSON", reads, given(ToolsNative), ofQwen, []string{broken}, []string{`Oslo}`}, "end_turn", "server", "invalid_json", 1},
		{"not JSON, and repaired", reads, repaired, ofQwen, []string{broken, osloCall}, []string{oslo}, "tool_use", "both", "asked_again none", 2},
		{"other parameters, and repaired", reads, repaired, ofQwen, []string{strings.Replace(osloCall, "city", "town", 1), osloCall}, []string{oslo}, "tool_use", "server", "none", 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, fake, log := toolServer(t, tt.tools, tt.change, tt.texts...)
			for _, body := range []string{tt.body, streamed(tt.body)} {
				before := len(fake.Requests())
				got := post(s, body)
				if body == tt.body {
					ordered(t, got.Body.String(), tt.want)
					if n := strings.Count(got.Body.String(), `"tool_use"`); n > 2 {
						t.Errorf("more than one call: %s", got.Body)
					}
				}
				fields := log.exchange(t)
				var reasons []string
				list, _ := fields["tool_call_reasons"].([]any)
				for _, reason := range list {
					reasons = append(reasons, reason.(string))
				}
				if body == tt.body && (fields["stop_reason"] != tt.stop || fields["tool_call_source"] != tt.source || strings.Join(reasons, " ") != tt.reasons) {
					t.Errorf("%v, %v, %q\n%s", fields["stop_reason"], fields["tool_call_source"], reasons, got.Body)
				}
				if asked := len(fake.Requests()) - before; body == tt.body && asked != tt.asked {
					t.Errorf("asked %d times", asked)
				}
				if fields["format"] != nil {
					t.Errorf("in the format %v", fields["format"])
				}
			}
			for _, r := range fake.Requests() {
				if !strings.Contains(string(r.Body), `"tools":[{"type":"function"`) || strings.Contains(string(r.Body), "function_calls") {
					t.Errorf("sent %s", r.Body)
				}
			}
		})
	}
}

// TestAutoChat: Dragoman uses the tools API until a server says, in its own words, that it has none. From then on it
// asks in words.
func TestAutoChat(t *testing.T) {
	for _, refusal := range []string{
		"registry.ollama.ai/library/qwen:latest does not support tools", "tools param requires --jinja flag",
		`"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set`,
	} {
		tools := upstreamtest.ChatTools{Refuses: refusal}
		if strings.Contains(refusal, "jinja") {
			tools.Status = 500
		}
		s, fake, log := toolServer(t, tools, given(ToolsAuto), osloCall)
		for i, sent := range []int{2, 3} {
			w := post(s, ofQwen)
			if w.Code != 200 || !strings.Contains(w.Body.String(), `"input":{"city":"Oslo"}`) || len(fake.Requests()) != sent {
				t.Errorf("%s: request %d: %d requests, %s", refusal, i, len(fake.Requests()), w.Body)
			}
		}
		if fields := log.exchange(t); fields["format"] == nil || fields["tool_call_source"] != "text" {
			t.Errorf("%s: %v", refusal, fields)
		}
		if w := explainTo(s, "", ofQwen); !strings.Contains(w.Body.String(), `"tools":"xml"`) {
			t.Errorf("explained as %s", w.Body)
		}
	}
	s, fake, _ := toolServer(t, upstreamtest.ChatTools{Refuses: "no room"}, given(ToolsAuto), osloCall)
	if w := post(s, ofQwen); w.Code != 400 || len(fake.Requests()) != 1 {
		t.Errorf("another refusal: %d requests, %s", len(fake.Requests()), w.Body)
	}
	s, fake, _ = toolServer(t, upstreamtest.ChatTools{Refuses: "tools param requires --jinja flag"}, given(ToolsNative), osloCall)
	if w := post(s, ofQwen); w.Code != 400 || len(fake.Requests()) != 1 {
		t.Errorf("native: %d requests, %s", len(fake.Requests()), w.Body)
	}
}

// TestNativeChatShown shows and counts the prompt for the tools API.
func TestNativeChatShown(t *testing.T) {
	s, fake, _ := toolServer(t, upstreamtest.ChatTools{}, given(ToolsNative), "x")
	var explained struct {
		Tools  string
		Format string
		Body   struct{ Tools []any }
		Prompt struct {
			API struct{ Tools []any } `json:"tool_api"`
		}
		Tokens int `json:"input_tokens_estimate"`
	}
	if w := explainTo(s, "", ofQwen); json.Unmarshal(w.Body.Bytes(), &explained) != nil || explained.Tools != ToolsNative || explained.Format != "" ||
		len(explained.Body.Tools) != 1 || len(explained.Prompt.API.Tools) != 1 {
		t.Errorf("explained as %s", w.Body)
	}
	var counted struct {
		Tokens int `json:"input_tokens"`
	}
	w := httptest.NewRecorder()
	s.Handler().ServeHTTP(w, newRequest("POST", "/v1/messages/count_tokens", strings.Replace(ofQwen, `"max_tokens":100,`, "", 1)))
	if json.Unmarshal(w.Body.Bytes(), &counted) != nil || counted.Tokens != explained.Tokens || counted.Tokens < 20 || w.Header().Get("X-Dragoman-Token-Count") != "estimate" {
		t.Errorf("counted %s, explained %d", w.Body, explained.Tokens)
	}
	if w := post(s, ofQwen, "X-Dragoman-Dry-Run", "1"); !strings.Contains(w.Body.String(), `"tool_api":{"tools":[{"name":"get_weather"`) {
		t.Errorf("dry run: %s", w.Body)
	}
	if n := len(fake.Requests()); n != 0 {
		t.Errorf("the server was asked %d times", n)
	}
}
