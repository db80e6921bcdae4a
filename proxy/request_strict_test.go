package proxy

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http/httptest"
	"regexp"
	"strings"
	"testing"
)

// strictBodies use every field that is read, in each client API. Inside a ‹…›, the members of {} are the client's own,
// with any names.
var strictBodies = []struct{ name, path, body string }{
	{"messages", "/v1/messages", `{"model":"claude-2.1",` + strictMembers},
	{"vertex", vertexStream, `{"anthropic_version":"vertex-2023-10-16",` + strictMembers},
	{"invoke", "/model/claude-2.1/invoke", `{"anthropic_version":"bedrock-2023-05-31","anthropic_beta":["a"],` + strictMembers},
	{"converse", conversePath, strictConverse},
	{"count converse", "/model/claude-2.1/count-tokens", `{"input":{"converse":` + strictConverse + `}}`},
}

const (
	strictMembers = `"max_tokens":64,"temperature":1,"top_p":0.9,"top_k":3,"stop_sequences":["x"],"metadata":{‹"user_id":"u"›},"service_tier":"auto",
"system":[{"type":"text","text":"Be kind.","cache_control":{"type":"ephemeral","ttl":"5m"}}],
"thinking":{"type":"enabled","budget_tokens":9},"output_config":{"effort":"low","format":{"type":"json_schema","schema":{‹"type":"object","properties":{"name":{"type":"string"}}›}}},
"tools":[{"type":"custom","name":"f","description":"d","strict":true,"eager_input_streaming":true,"cache_control":{"type":"ephemeral"},"input_schema":{‹"type":"object","properties":{"text":{"type":"string"}}›},"input_examples":[{‹"text":"a"›}]},
 {"type":"bash_20250124","name":"bash"},{"type":"computer_20250124","name":"computer","display_width_px":9,"display_height_px":9,"display_number":1}],
"tool_choice":{"type":"auto","disable_parallel_tool_use":true},
"messages":[{"role":"user","content":[{"type":"text","text":"hi","citations":[]},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}},
 {"type":"document","title":"t","context":"c","citations":{"enabled":true},"source":{"type":"content","content":[{"type":"text","text":"in"}]}},
 {"type":"search_result","source":"s","title":"t","content":[{"type":"text","text":"found"}]}]},
 {"role":"assistant","content":[{"type":"thinking","thinking":"hm","signature":"s"},{"type":"server_tool_use","id":"srv","name":"web_search","input":{‹"text":1›}},
 {"type":"tool_use","id":"a","name":"f","caller":{"type":"direct"},"input":{‹"text":1,"list":[{"type":2}]›}}]},
 {"role":"user","content":[{"type":"tool_result","tool_use_id":"a","is_error":true,"content":[{"type":"text","text":"no"},{"type":"image","source":{"type":"url","url":"https://x"}}]}]}]}`

	strictConverse = `{"inferenceConfig":{"maxTokens":64,"temperature":1,"topP":0.9,"stopSequences":["x"]},"system":[{"text":"Be kind."},{"cachePoint":{"type":"default"}}],
"requestMetadata":{‹"text":"m"›},"additionalModelRequestFields":{"top_k":3,"thinking":{"type":"enabled","budget_tokens":9}},
"outputConfig":{"textFormat":{"type":"json_schema","structure":{"jsonSchema":{"name":"n","schema":"{}"}}}},
"toolConfig":{"tools":[{"toolSpec":{"name":"f","description":"d","strict":true,"inputSchema":{"json":{‹"type":"object","properties":{"text":{"type":"string"}}›}}}}],"toolChoice":{"auto":{}}},
"messages":[{"role":"user","content":[{"text":"hi"},{"image":{"format":"png","source":{"bytes":"AAAA"}}},{"document":{"format":"txt","name":"t","source":{"text":"in"}}}]},
 {"role":"assistant","content":[{"toolUse":{"toolUseId":"a","name":"f","input":{‹"text":1,"list":[{"name":2}]›}}}]},
 {"role":"user","content":[{"toolResult":{"toolUseId":"a","status":"error","content":[{"text":"no"},{"json":{‹"text":1›}}]}}]}]}`
)

var (
	quotedName = regexp.MustCompile(`"([a-zA-Z_]+)":`)
	clientsOwn = regexp.MustCompile(`‹[^›]*›`)
	brackets   = strings.NewReplacer("‹", "", "›", "")
)

// inAnotherCase returns a name with the case of some letters changed.
func inAnotherCase(random *rand.Rand, name string) string {
	for {
		other := []byte(name)
		for i, b := range other {
			if b != '_' && random.IntN(3) == 0 {
				other[i] = b ^ 0x20
			}
		}
		if string(other) != name {
			return string(other)
		}
	}
}

// Whether Dragoman or a model with a tools API reads the body: names in another case, duplicate names, bytes after the
// body and a byte order mark are rejected, at every depth. In the client's own data, any name is allowed.
func TestStrictBodies(t *testing.T) {
	random := rand.New(rand.NewPCG(29, 29))
	cases := 0
	for _, tools := range []string{ToolsXML, ToolsNative} {
		s := newServer(t, &nativeModel{text: "hi"}, withTools(tools))
		ask := func(path, body string) *httptest.ResponseRecorder {
			w := httptest.NewRecorder()
			answerTo(s, w, newRequest("POST", path, body))
			return w
		}
		for _, b := range strictBodies {
			t.Run(tools+" "+b.name, func(t *testing.T) {
				refused := func(what, body string) {
					t.Helper()
					cases++
					if w := ask(b.path, brackets.Replace(body)); w.Code != 400 {
						t.Errorf("%s: %d %.300s", what, w.Code, w.Body)
					}
				}
				if w := ask(b.path, brackets.Replace(b.body)); w.Code != 200 {
					t.Fatalf("as it is: %d %s", w.Code, w.Body)
				}
				own := clientsOwn.FindAllStringIndex(b.body, -1)
				for _, at := range quotedName.FindAllStringSubmatchIndex(b.body, -1) {
					name := b.body[at[2]:at[3]]
					refused(name+" twice", b.body[:at[0]]+fmt.Sprintf(`"%s":null,`, name)+b.body[at[0]:])
					other := inAnotherCase(random, name)
					changed := b.body[:at[2]] + other + b.body[at[3]:]
					if within(own, at[2]) {
						if w := ask(b.path, brackets.Replace(changed)); w.Code != 200 && !strings.Contains(w.Body.String(), "input_schema") && !strings.Contains(w.Body.String(), "inputSchema") {
							t.Errorf("the client's own %s: %d %.300s", other, w.Code, w.Body)
						}
						continue
					}
					refused(other, changed)
					refused(other+" beside it", b.body[:at[0]]+fmt.Sprintf(`"%s":null,`, other)+b.body[at[0]:])
				}
				for _, more := range []string{"x", "{}", "]", "\x00", "\ufeff", ",", `""`} {
					refused("with more behind it", b.body+more)
				}
				refused("with a byte order mark", "\ufeff"+b.body)
				if b.path == "/v1/messages" {
					packed := base64.StdEncoding.EncodeToString([]byte(brackets.Replace(strings.Replace(b.body[strings.Index(b.body, `"max_tokens"`):], `"role"`, `"Role"`, 1))))
					if w := ask("/model/claude-2.1/count-tokens", `{"input":{"invokeModel":{"body":"`+packed+`"}}}`); w.Code != 400 {
						t.Errorf("count: %d %s", w.Code, w.Body)
					}
				}
			})
		}
	}
	if cases < 500 {
		t.Errorf("%d cases", cases)
	}
	t.Logf("%d cases", cases)
}

// within reports whether index i is in one of the ranges.
func within(ranges [][]int, i int) bool {
	for _, r := range ranges {
		if r[0] <= i && i < r[1] {
			return true
		}
	}
	return false
}

// compat: strict rejects options that would change an answer, but no hints. Hints are dropped and named, in the terms
// of every client API.
func TestStrictLetsHintsBe(t *testing.T) {
	const mark = `"cache_control":{"type":"ephemeral"}`
	members := `"max_tokens":64,"metadata":{"user_id":"u"},"service_tier":"auto","speed":"fast","output_config":{"effort":"low"},
		"system":[{"type":"text","text":"x-anthropic-billing-header: cc_version=2;"},{"type":"text","text":"Be kind.",` + mark + `}],
		"messages":[{"role":"user","content":[{"type":"text","text":"hi",` + mark + `}]}]}`
	named := "messages.content.cache_control,metadata,output_config.effort,service_tier,speed,system.billing_header,system.cache_control"
	converse := `{"inferenceConfig":{"maxTokens":64},"system":[{"text":"x-anthropic-billing-header: cc_version=2;"},{"cachePoint":{"type":"default"}}],
		"requestMetadata":{"team":"a"},"performanceConfig":{"latency":"optimized"},"serviceTier":{"type":"priority"},"outputConfig":{"effort":"low"},
		"messages":[{"role":"user","content":[{"text":"hi"},{"cachePoint":{"type":"default"}}]}]`
	converseNamed := "messages.content.cachePoint,outputConfig.effort,performanceConfig,requestMetadata,serviceTier,system.billing_header,system.cachePoint"
	for _, tt := range []struct {
		name, path, body string
		header           []string
		dropped          string
		refused          string // the error for a body with more than hints
	}{
		{"messages", "/v1/messages", `{"model":"claude-2.1",` + members, nil, named, `{"model":"claude-2.1","container":"c",` + members},
		{"vertex", vertexStream, `{"anthropic_version":"vertex-2023-10-16",` + members, nil, named, `{"container":"c",` + members},
		{"invoke", "/model/claude-2.1/invoke", `{"anthropic_version":"bedrock-2023-05-31",` + members,
			[]string{"X-Amzn-Bedrock-Service-Tier", "priority", "X-Amzn-Bedrock-PerformanceConfig-Latency", "optimized"},
			"messages.content.cache_control,metadata,output_config.effort,performanceConfigLatency,serviceTier,service_tier,speed,system.billing_header,system.cache_control",
			`{"container":"c",` + members},
		{"converse", conversePath, converse + `}`, nil, converseNamed, converse + `,"promptVariables":{"a":{"text":"b"}}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newServer(t, completing(endOfTurn, "hi"), func(o *Options) { o.Strict = true })
			w := postTo(s, tt.path, tt.body, tt.header...)
			if got := w.Header.Get("X-Dragoman-Dropped"); w.StatusCode != 200 || got != tt.dropped {
				t.Errorf("%d, dropped %s", w.StatusCode, got)
			}
			if w := postTo(s, tt.path, tt.refused, tt.header...); w.StatusCode != 400 {
				t.Errorf("more than hints: %d", w.StatusCode)
			}
		})
	}
}
