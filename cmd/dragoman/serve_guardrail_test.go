package main

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime"
	"github.com/aws/aws-sdk-go-v2/service/bedrockruntime/types"
	"github.com/google/go-cmp/cmp"

	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// dialSDK returns a client of the AWS SDK for a server.
func dialSDK(url string) *bedrockruntime.Client {
	return bedrockruntime.New(bedrockruntime.Options{
		BaseEndpoint: &url, Region: "eu-west-1", HTTPClient: patient{client}, Retryer: aws.NopRetryer{},
		Credentials: aws.CredentialsProviderFunc(func(context.Context) (aws.Credentials, error) {
			return aws.Credentials{AccessKeyID: "AKID", SecretAccessKey: "secret"}, nil
		}),
	})
}

// patient lets a request be sent to its end, although the SDK closes its body as soon as an answer arrives.
type patient struct{ *http.Client }

func (c patient) Do(r *http.Request) (*http.Response, error) {
	own := *r
	own.Body = struct{ io.ReadCloser }{r.Body}
	return c.Client.Do(&own)
}

const guardedQuestion = `{"anthropic_version":"bedrock-2023-05-31","max_tokens":64,"messages":[{"role":"user","content":"Hi"}]%s}`

// guardedClients ask for a guardrail, each in its own way, and return what the answer says about it.
var guardedClients = map[string]func(t *testing.T, url string) (string, error){
	"InvokeModel": func(t *testing.T, url string) (string, error) {
		out, err := dialSDK(url).InvokeModel(t.Context(), &bedrockruntime.InvokeModelInput{
			ModelId: aws.String("m"), Body: fmt.Appendf(nil, guardedQuestion, ""), GuardrailIdentifier: aws.String("gr1"), GuardrailVersion: aws.String("DRAFT"),
		})
		if err != nil {
			return "", err
		}
		m := decode[map[string]any](t, string(out.Body))
		return fmt.Sprint(m["stop_reason"], " ", m[upstream.GuardrailAction]), nil
	},
	"InvokeModelWithResponseStream": func(t *testing.T, url string) (string, error) {
		out, err := dialSDK(url).InvokeModelWithResponseStream(t.Context(), &bedrockruntime.InvokeModelWithResponseStreamInput{
			ModelId: aws.String("m"), Body: fmt.Appendf(nil, guardedQuestion, ""), GuardrailIdentifier: aws.String("gr1"), GuardrailVersion: aws.String("DRAFT"),
		})
		if err != nil {
			return "", err
		}
		defer out.GetStream().Close()
		reason, action := any(nil), any(nil)
		for e := range out.GetStream().Events() {
			event := decode[map[string]any](t, string(e.(*types.ResponseStreamMemberChunk).Value.Bytes))
			if delta, ok := event["delta"].(map[string]any); ok && event["type"] == "message_delta" {
				reason = delta["stop_reason"]
			}
			if event["type"] == "message_stop" {
				action = event[upstream.GuardrailAction]
			}
		}
		return fmt.Sprint(reason, " ", action), out.GetStream().Err()
	},
	"Converse": func(t *testing.T, url string) (string, error) {
		out, err := dialSDK(url).Converse(t.Context(), &bedrockruntime.ConverseInput{
			ModelId: aws.String("m"), Messages: guardedMessages,
			GuardrailConfig: &types.GuardrailConfiguration{GuardrailIdentifier: aws.String("gr1"), GuardrailVersion: aws.String("DRAFT")},
		})
		if err != nil {
			return "", err
		}
		return string(out.StopReason), nil
	},
	"ConverseStream": func(t *testing.T, url string) (string, error) {
		out, err := dialSDK(url).ConverseStream(t.Context(), &bedrockruntime.ConverseStreamInput{
			ModelId: aws.String("m"), Messages: guardedMessages,
			GuardrailConfig: &types.GuardrailStreamConfiguration{
				GuardrailIdentifier: aws.String("gr1"), GuardrailVersion: aws.String("DRAFT"), StreamProcessingMode: types.GuardrailStreamProcessingModeAsync,
			},
		})
		if err != nil {
			return "", err
		}
		defer out.GetStream().Close()
		reason := ""
		for e := range out.GetStream().Events() {
			if stop, ok := e.(*types.ConverseStreamOutputMemberMessageStop); ok {
				reason = string(stop.Value.StopReason)
			}
		}
		return reason, out.GetStream().Err()
	},
	"Messages": func(t *testing.T, url string) (string, error) {
		request, _ := http.NewRequestWithContext(t.Context(), "POST", url+"/v1/messages", strings.NewReader(`{"model":"m","max_tokens":64,"messages":[{"role":"user","content":"Hi"}]}`))
		request.Header.Set("X-Amzn-Bedrock-GuardrailIdentifier", "gr1")
		request.Header.Set("X-Amzn-Bedrock-GuardrailVersion", "DRAFT")
		response, err := client.Do(request)
		if err != nil {
			return "", err
		}
		data := body(t, response)
		if response.StatusCode != 200 {
			return "", fmt.Errorf("%s: %s", response.Status, data)
		}
		return fmt.Sprint(decode[map[string]any](t, data)["stop_reason"]), nil
	},
}

var guardedMessages = []types.Message{{Role: types.ConversationRoleUser, Content: []types.ContentBlock{
	&types.ContentBlockMemberText{Value: "Hi"},
	&types.ContentBlockMemberGuardContent{Value: &types.GuardrailConverseContentBlockMemberText{Value: types.GuardrailConverseTextBlock{Text: aws.String("Look at this")}}},
}}}

// What clients get after a guardrail intervened.
var intervention = map[string]string{
	"InvokeModel": "refusal INTERVENED", "InvokeModelWithResponseStream": "refusal INTERVENED",
	"Converse": "guardrail_intervened", "ConverseStream": "guardrail_intervened", "Messages": "refusal",
}

// A guardrail reaches a model on Bedrock over every wire, and the client learns that it intervened.
func TestGuardrail(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	for entry, native := range map[string]bool{
		`model: "anthropic.claude-3-haiku-20240307-v1:0"`:                 false,
		`model: "anthropic.claude-v2:1", wire: text`:                      false,
		`model: "us.amazon.nova-pro-v1:0"`:                                false,
		`model: "us.amazon.nova-pro-v1:0", streaming: false`:              false,
		`model: "anthropic.claude-3-haiku-20240307-v1:0", wire: converse`: false,
		`model: "anthropic.claude-3-haiku-20240307-v1:0", tools: native`:  true,
		`model: "anthropic.claude-3-haiku-20240307-v1:0", tools: auto`:    true,
	} {
		fake := upstreamtest.NewBedrock(upstreamtest.Answer(upstreamtest.Completion{Text: "I cannot.", Stop: messages.StopGuardrail}))
		if native {
			fake.Native = func(string, []byte) []string {
				return []string{
					`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1}}}`,
					`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"I cannot."}}`, `{"type":"content_block_stop","index":0}`,
					`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":1}}`,
					`{"type":"message_stop","amazon-bedrock-guardrailAction":"INTERVENED"}`,
				}
			}
		}
		bedrock := httptest.NewServer(fake)
		defer bedrock.Close()
		server := start(t, nil, "--config", write(t, "dragoman.yaml", fmt.Sprintf(`
compat: strict
upstreams: {east: {kind: bedrock, region: us-east-1, endpoint: %q}}
models: [{name: "*", upstream: east, %s}]
`, bedrock.URL, entry)))
		for name, ask := range guardedClients {
			t.Run(entry+" "+name, func(t *testing.T) {
				got, err := ask(t, server.url)
				if err != nil || got != intervention[name] {
					t.Errorf("the client sees %q, %v; want %q", got, err, intervention[name])
				}
				requests := fake.Requests()
				want := &upstream.Guardrail{ID: "gr1", Version: "DRAFT"}
				if name == "ConverseStream" && !strings.Contains(entry, "streaming: false") {
					want.Mode = "async"
				}
				if diff := cmp.Diff(want, requests[len(requests)-1].Guardrail); diff != "" {
					t.Error(diff)
				}
			})
		}
	}
}

// If a guardrail cannot be applied, the request is rejected without any call, even in lenient mode and with fallbacks.
func TestGuardrailRefused(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	busy := upstreamtest.Answer(upstreamtest.Completion{Fault: upstreamtest.Refuse(503, "ServiceUnavailableException", "busy", "")})
	for _, compat := range []string{"lenient", "strict"} {
		for _, entry := range []string{"upstream: relay", "upstream: relay, tools: native", "upstream: local", "upstream: relay, fallbacks: [{upstream: east}]"} {
			fake := upstreamtest.NewMessages(nil)
			server := start(t, nil, "--config", write(t, "dragoman.yaml", "compat: "+compat+limitedConfig(t, upstreamtest.NewBedrock(nil), fake, fake, entry)))
			for name, ask := range guardedClients {
				want := "guardrailIdentifier: The guardrail cannot be applied"
				if strings.HasPrefix(name, "Converse") {
					want = "guardrailConfig: The guardrail cannot be applied"
				}
				if name != "Messages" {
					want = "ValidationException: " + want
				}
				if _, err := ask(t, server.url); err == nil || !strings.Contains(err.Error(), want) {
					t.Errorf("%s, %s, %s: %v", compat, entry, name, err)
				}
			}
			if n := len(fake.Requests()); n > 0 {
				t.Errorf("%s: asked %d times", entry, n)
			}
		}
	}
	relay := upstreamtest.NewMessages(nil)
	server := start(t, nil, "--config", write(t, "dragoman.yaml", limitedConfig(t, upstreamtest.NewBedrock(busy), relay, relay,
		`upstream: east, model: "us.amazon.nova-pro-v1:0", fallbacks: [{upstream: relay}]`)))
	for name, ask := range guardedClients {
		if _, err := ask(t, server.url); err == nil || !strings.Contains(err.Error(), "busy") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n := len(relay.Requests()); n > 0 {
		t.Errorf("a fallback that does not keep the guardrail was asked %d times", n)
	}
}

// Everything about a guardrail is either applied exactly or rejected.
func TestGuardrailWords(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	fake := upstreamtest.NewBedrock(nil)
	bedrock := httptest.NewServer(fake)
	defer bedrock.Close()
	server := start(t, nil, "--config", write(t, "dragoman.yaml", fmt.Sprintf(`
upstreams: {east: {kind: bedrock, region: us-east-1, endpoint: %q}}
models: [{name: "anthropic*", upstream: east}, {name: "*", upstream: east, model: "us.amazon.nova-pro-v1:0"}]
`, bedrock.URL)))
	id := []string{"X-Amzn-Bedrock-GuardrailIdentifier", "gr1", "X-Amzn-Bedrock-GuardrailVersion", "1"}
	const claude, nova = "/model/anthropic.claude-3-haiku-20240307-v1:0", "/model/nova"
	converse := func(config string) string {
		return `{"messages":[{"role":"user","content":[{"text":"Hi"}]}],"guardrailConfig":` + config + `}`
	}
	with := func(config string) string {
		return fmt.Sprintf(guardedQuestion, `,"amazon-bedrock-guardrailConfig":`+config)
	}
	tests := []struct {
		path, body string
		header     []string
		says       string // the error's text; "" for none
		want       upstream.Guardrail
		dropped    string
	}{
		{claude + "/invoke-with-response-stream", with(`{"tagSuffix":"x1","streamProcessingMode":"ASYNCHRONOUS"}`), id, "", upstream.Guardrail{ID: "gr1", Version: "1", TagSuffix: "x1", Mode: "async"}, ""},
		{claude + "/invoke", with(`{"streamProcessingMode":"ASYNCHRONOUS"}`), id, "", upstream.Guardrail{ID: "gr1", Version: "1"}, ""},
		{nova + "/invoke-with-response-stream", with(`{"streamProcessingMode":"SYNCHRONOUS"}`), id, "", upstream.Guardrail{ID: "gr1", Version: "1", Mode: "sync"}, ""},
		{claude + "/invoke", fmt.Sprintf(guardedQuestion, ""), slices.Concat(id, []string{"X-Amzn-Bedrock-Trace", "ENABLED_FULL"}), "", upstream.Guardrail{ID: "gr1", Version: "1", Trace: "enabled_full"}, "trace"},
		{nova + "/converse", converse(`{"guardrailIdentifier":"arn:aws:bedrock:us-east-1:123456789012:guardrail/gr1","guardrailVersion":"2","trace":"enabled"}`), nil, "",
			upstream.Guardrail{ID: "arn:aws:bedrock:us-east-1:123456789012:guardrail/gr1", Version: "2", Trace: "enabled"}, "guardrailConfig.trace"},
		{claude + "/converse", converse(`{"guardrailIdentifier":"gr1","guardrailVersion":"2","trace":"disabled"}`), nil, "", upstream.Guardrail{ID: "gr1", Version: "2", Trace: "disabled"}, ""},
		{nova + "/converse", converse(`null`), nil, "", upstream.Guardrail{}, ""},
		{nova + "/converse", strings.Replace(converse(`{"guardrailIdentifier":"gr1","guardrailVersion":"2"}`), `{"text":"Hi"}`, `{"guardContent":{"text":{"text":"Hi","qualifiers":["guard_content"]}}}`, 1), nil, "",
			upstream.Guardrail{ID: "gr1", Version: "2"}, ""},

		{claude + "/invoke", fmt.Sprintf(guardedQuestion, ""), id[:2], "guardrailVersion: A guardrail has", upstream.Guardrail{}, ""},
		{claude + "/invoke", fmt.Sprintf(guardedQuestion, ""), id[2:], "guardrailIdentifier: A guardrail has", upstream.Guardrail{}, ""},
		{claude + "/invoke", with(`{}`), nil, "guardrailIdentifier: A guardrail has", upstream.Guardrail{}, ""},
		{claude + "/invoke", with(`{"new":1}`), id, "amazon-bedrock-guardrailConfig.new: This field is not supported here", upstream.Guardrail{}, ""},
		{claude + "/invoke", with(`{"tagSuffix":1}`), id, "amazon-bedrock-guardrailConfig.tagSuffix: This should be", upstream.Guardrail{}, ""},
		{claude + "/invoke", with(`{"streamProcessingMode":"now"}`), id, "amazon-bedrock-guardrailConfig.streamProcessingMode: ", upstream.Guardrail{}, ""},
		{nova + "/invoke", with(`{"tagSuffix":"x"}`), id, "guardrailIdentifier: The guardrail cannot be applied", upstream.Guardrail{}, ""},
		{nova + "/converse", converse(`{}`), nil, "guardrailConfig.guardrailIdentifier: A guardrail has", upstream.Guardrail{}, ""},
		{nova + "/converse", converse(`{"guardrailIdentifier":"g\r\nx: y","guardrailVersion":"1"}`), nil, "guardrailConfig.guardrailIdentifier: A guardrail has", upstream.Guardrail{}, ""},
		{nova + "/converse", converse(`{"guardrailIdentifier":"g","guardrailVersion":"1","new":1}`), nil, "guardrailConfig.new: This field is not supported here", upstream.Guardrail{}, ""},
		{nova + "/converse", converse(`{"guardrailIdentifier":"g","guardrailVersion":"1","trace":"loud"}`), nil, "guardrailConfig.trace: ", upstream.Guardrail{}, ""},
		{nova + "/converse", strings.Replace(converse(`{"guardrailIdentifier":"gr1","guardrailVersion":"2"}`), `{"text":"Hi"}`, `{"guardContent":{"text":{"text":"Hi","qualifiers":["query"]}}}`, 1), nil,
			"messages.content.guardContent.text.qualifiers: ", upstream.Guardrail{}, ""},
	}
	for _, test := range tests {
		request, err := http.NewRequestWithContext(t.Context(), "POST", server.url+test.path, strings.NewReader(test.body))
		if err != nil {
			t.Fatal(err)
		}
		for i := 0; i < len(test.header); i += 2 {
			request.Header.Set(test.header[i], test.header[i+1])
		}
		before := len(fake.Requests())
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer, requests := body(t, response), fake.Requests()
		if test.says != "" {
			if response.StatusCode != 400 || !strings.HasPrefix(answer, `{"message":"`+test.says) || len(requests) != before {
				t.Errorf("%s %s: %s: %s, %d asked", test.path, test.body, response.Status, answer, len(requests)-before)
			}
			continue
		}
		if response.StatusCode != 200 || len(requests) != before+1 || response.Header.Get("X-Dragoman-Dropped") != test.dropped {
			t.Errorf("%s %s: %s, dropped %q: %s", test.path, test.body, response.Status, response.Header.Get("X-Dragoman-Dropped"), answer)
			continue
		}
		got := requests[before].Guardrail
		if got == nil {
			got = &upstream.Guardrail{}
		}
		if diff := cmp.Diff(test.want, *got); diff != "" {
			t.Errorf("%s %s: %s", test.path, test.body, diff)
		}
	}
}

// If the client gets a whole answer, the guardrail also judges it as a whole.
func TestGuardrailOfWholeAnswer(t *testing.T) {
	t.Setenv("AWS_ACCESS_KEY_ID", upstreamtest.AccessKeyID)
	t.Setenv("AWS_SECRET_ACCESS_KEY", upstreamtest.SecretAccessKey)
	fake := upstreamtest.NewBedrock(nil)
	fake.Lacks = upstream.Streaming // so that a stream would cost an attempt
	server := start(t, nil, "--config", write(t, "dragoman.yaml", limitedConfig(t, fake, fake, fake, `upstream: east, model: "us.amazon.nova-pro-v1:0"`)))
	for _, name := range []string{"Converse", "InvokeModel", "Messages"} {
		if _, err := guardedClients[name](t, server.url); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := fetch(t, server.admin+"/metrics"); !strings.Contains(got, `dragoman_upstream_attempts_total{error_type="none",upstream="east"} 3`) || strings.Contains(got, `dragoman_upstream_errors_total{`) {
		t.Error("a stream was asked for")
	}
}

// Unsupported headers of InvokeModel are named like fields of a body.
func TestUnheededHeaders(t *testing.T) {
	for compat, want := range map[string]string{"lenient": "200 performanceConfigLatency,requestMetadata,serviceTier,trace", "strict": "400 "} {
		server := start(t, nil, "--config", write(t, "dragoman.yaml", "compat: "+compat+simulatedFile))
		request, _ := http.NewRequestWithContext(t.Context(), "POST", server.url+"/model/claude-2.1/invoke", strings.NewReader(fmt.Sprintf(guardedQuestion, "")))
		for name, value := range map[string]string{"PerformanceConfig-Latency": "optimized", "Service-Tier": "flex", "Request-Metadata": `{"a":"b"}`, "Trace": "ENABLED"} {
			request.Header.Set("X-Amzn-Bedrock-"+name, value)
		}
		response, err := client.Do(request)
		if err != nil {
			t.Fatal(err)
		}
		answer := body(t, response)
		if got := fmt.Sprint(response.StatusCode, " ", response.Header.Get("X-Dragoman-Dropped")); got != want {
			t.Errorf("%s: %s: %s", compat, got, answer)
		}
		for name, value := range map[string]string{"PerformanceConfig-Latency": "standard", "Service-Tier": "default", "Trace": "DISABLED"} {
			request.Header.Set("X-Amzn-Bedrock-"+name, value)
		}
		request.Header.Del("X-Amzn-Bedrock-Request-Metadata")
		request.Body = io.NopCloser(strings.NewReader(fmt.Sprintf(guardedQuestion, "")))
		if response, err = client.Do(request); err != nil {
			t.Fatal(err)
		}
		if answer = body(t, response); response.StatusCode != 200 || response.Header.Get("X-Dragoman-Dropped") != "" {
			t.Errorf("%s, the defaults: %s, dropped %s: %s", compat, response.Status, response.Header.Get("X-Dragoman-Dropped"), answer)
		}
	}
}
