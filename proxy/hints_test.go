package proxy

import "testing"

// compat: strict refuses what would make an answer another one, and no hint: each is left out and named,
// in the words of every client API.
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
		refused          string // a body with more than hints
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
