package proxy

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"

	"dragoman/upstream"
)

// picky is a server of chat completions that refuses members of a request, one after another. It records the bodies.
type picky struct {
	refuses [][3]string // a text of the body, the status and the message that refuses it
	answer  string      // the message of the answer; "" for a text
	bodies  []string
}

func (p *picky) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	body, _ := io.ReadAll(r.Body)
	p.bodies = append(p.bodies, string(body))
	w.Header().Set("Content-Type", "application/json")
	for _, refusal := range p.refuses {
		if strings.Contains(string(body), refusal[0]) {
			status := http.StatusBadRequest
			if refusal[1] != "" {
				status = http.StatusUnprocessableEntity
			}
			w.WriteHeader(status)
			fmt.Fprintf(w, `{"error":{"message":%q,"type":"invalid_request_error"}}`, refusal[2])
			return
		}
	}
	answer := p.answer
	if answer == "" {
		answer = `{"content":"Cold."}`
	}
	fmt.Fprintf(w, `{"object":"chat.completion","choices":[{"message":%s,"finish_reason":"stop"}]}`, answer)
}

// pickyServer returns a server in front of p, over the tools API.
func pickyServer(t *testing.T, p *picky) (*Server, *logged) {
	mux := http.NewServeMux()
	mux.Handle("POST /v1/chat/completions", p)
	log := &logged{}
	return servingChat(t, mux, given(ToolsNative), log.option), log
}

// laterTurn is a conversation with thinking, tools, and at most one call.
const laterTurn = `{"model":"qwen","max_tokens":2048,"temperature":0.5,"thinking":{"type":"enabled","budget_tokens":1024},"stop_sequences":["END"],
	"tool_choice":{"type":"auto","disable_parallel_tool_use":true},
	"tools":[{"name":"get_weather","strict":true,"input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"],"additionalProperties":false}}],
	"messages":[{"role":"user","content":"Weather?"},
		{"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"tool_use","id":"toolu_1","name":"get_weather","input":{"city":"Oslo"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1","content":"3 degrees"}]}]}`

// A model refuses members of the request, each with a message of its own. Dragoman leaves each out once, remembers that,
// and names it in the log.
func TestMembersRefused(t *testing.T) {
	all := [][3]string{
		{`"max_tokens"`, "", "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."},
		{`"parallel_tool_calls"`, "", "Unrecognized request argument supplied: parallel_tool_calls"},
		{`"stream_options"`, "422", "body.stream_options: Extra inputs are not permitted"},
		{`"strict"`, "422", "unknown field: parameter 'strict' is not a valid field."},
		{`"reasoning_content"`, "", "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]"},
	}
	rows := map[string][][3]string{"all in turn": all}
	for _, one := range all {
		rows[one[0]] = [][3]string{one}
	}
	for name, refuses := range rows {
		t.Run(name, func(t *testing.T) {
			p := &picky{refuses: refuses}
			s, log := pickyServer(t, p)
			for range 2 {
				if w := post(s, streamed(laterTurn)); w.Code != 200 || !strings.Contains(w.Body.String(), "Cold.") {
					t.Fatalf("%d %s", w.Code, w.Body)
				}
			}
			if len(p.bodies) != len(refuses)+2 {
				t.Errorf("asked %d times", len(p.bodies))
			}
			last := p.bodies[len(p.bodies)-1]
			for _, one := range all {
				refused := slices.Contains(refuses, one)
				if strings.Contains(last, one[0]) == refused {
					t.Errorf("%s is refused: %t, and the body is %s", one[0], refused, last)
				}
				if named := strings.Contains(log.String(), `"refused":`+one[0]); named != refused {
					t.Errorf("%s: the log is %s", one[0], log)
				}
			}
			if refuses[0][0] == `"max_tokens"` && !strings.Contains(last, `"max_completion_tokens":2048`) {
				t.Errorf("the limit is not in %s", last)
			}
		})
	}
}

// A model that goes on to refuse a member that it does not get is not asked for ever.
func TestMemberRefusedAgain(t *testing.T) {
	p := &picky{refuses: [][3]string{{`"model"`, "", "Unknown parameter: 'stream_options'."}}}
	s, _ := pickyServer(t, p)
	if w := post(s, laterTurn); w.Code != 400 || len(p.bodies) != 2 {
		t.Errorf("asked %d times: %d %s", len(p.bodies), w.Code, w.Body)
	}
}

// A model may refuse a message of the user behind results. For the family of Mistral, Dragoman knows it at once.
func TestUserAfterToolRefused(t *testing.T) {
	later := strings.Replace(laterTurn, `"3 degrees"}`, `"3 degrees"},{"type":"text","text":"And Rome?"}`, 1)
	for model, asked := range map[string]int{"some-model": 2, "devstral-small": 1} {
		p := &picky{refuses: [][3]string{{`{"role":"user","content":"And Rome?"}`, "", "Unexpected role 'user' after role 'tool'"}}}
		s, _ := pickyServer(t, p)
		for i := range 2 {
			if w := post(s, strings.Replace(later, "qwen", model, 1)); w.Code != 200 || len(p.bodies) != asked+i {
				t.Errorf("%s: asked %d times: %d %s", model, len(p.bodies), w.Code, w.Body)
			}
		}
		if last := p.bodies[len(p.bodies)-1]; !strings.Contains(last, `3 degrees\n\n[The user writes, after the results:]\nAnd Rome?"}]`) {
			t.Errorf("%s: sent %s", model, last)
		}
	}
}

// Without parallel_tool_calls, the client still gets one call.
func TestOneCallWithoutTheMember(t *testing.T) {
	const call = `{"id":"ID","type":"function","function":{"name":"get_weather","arguments":"{\"city\":\"Oslo\"}"}}`
	p := &picky{
		refuses: [][3]string{{`"parallel_tool_calls"`, "", "parallel_tool_calls=False is not supported by this model."}},
		answer:  `{"tool_calls":[` + strings.Replace(call, "ID", "a", 1) + "," + strings.Replace(call, "ID", "b", 1) + `]}`,
	}
	s, _ := pickyServer(t, p)
	if w := post(s, laterTurn); w.Code != 200 || strings.Count(w.Body.String(), `"tool_use",`)+strings.Count(w.Body.String(), `"type":"tool_use"`) == 0 || strings.Count(w.Body.String(), `"name":"get_weather"`) != 1 {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// servingChat returns a server whose only upstream is this server of chat completions.
func servingChat(t *testing.T, handler http.Handler, change ...func(*Options)) *Server {
	return newServer(t, nil, append([]func(*Options){func(o *Options) {
		o.Routes = []Route{{Name: "*", UpstreamModel: UpstreamModel{Upstream: "east", Wire: WireChat}}}
		o.Upstreams["east"] = openChat(t, handler, upstream.ServerOptions{})
	}}, change...)...)
}
