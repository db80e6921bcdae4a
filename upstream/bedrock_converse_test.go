package upstream_test

import (
	"errors"
	"iter"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/simulated"
	"dragoman/upstream/upstreamtest"
)

const (
	nova  = "us.amazon.nova-pro-v1:0"
	haiku = "us.anthropic.claude-3-5-haiku-20241022-v1:0"
)

// withTool is a request that offers a tool, with the additional stop sequence END.
func withTool(t *testing.T) (*messages.Request, *translate.Prompt) {
	t.Helper()
	req, err := messages.Decode([]byte(`{"model":"m","max_tokens":500,"stop_sequences":["END"],"system":"Be brief.",
		"tools":[{"name":"get_weather","description":"The weather in a city","input_schema":{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}}],
		"messages":[{"role":"user","content":"What is the weather in Oslo?"}]}`), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := translate.Render(req, translate.Target{})
	if err != nil {
		t.Fatal(err)
	}
	return req, p
}

// TestConverseCalls lets models with more and fewer features call a tool. The client gets the same answer
// from all.
func TestConverseCalls(t *testing.T) {
	req, p := withTool(t)
	message := func(t *testing.T, up invoker, m upstream.Model) *messages.Message {
		t.Helper()
		message, err := messages.Collect(translate.Events(req, p, func(p *translate.Prompt) iter.Seq2[translate.Chunk, error] {
			return invoke(up, t.Context(), m, p)
		}))
		if err != nil {
			t.Fatal(err)
		}
		message.Usage = messages.Usage{}
		return message
	}
	want := message(t, simulated.New(), upstream.Model{})
	if want.StopReason != messages.StopToolUse {
		t.Fatalf("the simulated model answers %+v", want)
	}
	tests := []struct {
		id    string
		can   upstream.Features
		stops []string // in the request
	}{
		{haiku, everything, []string{translate.CallsEnd, "END"}},
		{nova, everything, []string{translate.CallsEnd}},
		{nova, everything &^ upstream.StopSequences, nil},
		{nova, everything &^ upstream.Streaming, []string{translate.CallsEnd}},
		{nova, upstream.System, nil},
	}
	for _, test := range tests {
		t.Run(test.id+" "+test.can.String(), func(t *testing.T) {
			w := converseWire("", test.id, test.can)
			up, f := w.open(t, nil)
			if diff := cmp.Diff(want, message(t, up, w.model), cmp.FilterPath(
				func(p cmp.Path) bool { return strings.HasSuffix(p.String(), "ID") }, cmp.Ignore())); diff != "" {
				t.Error(diff)
			}
			asked := f.Requests()[0].Prompt
			if diff := cmp.Diff(test.stops, asked.StopSequences); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(p.System, asked.System) + cmp.Diff(p.Turns, asked.Turns); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestConverseFoldsSystem asks a model that rejects system messages.
func TestConverseFoldsSystem(t *testing.T) {
	_, p := withTool(t)
	w := converseWire("", "amazon.titan-text-express-v1", upstream.Streaming)
	up, f := w.open(t, upstreamtest.Answer(upstreamtest.Completion{Text: "ok"}))
	if _, err := collect(t, invoke(up, t.Context(), w.model, p)); err != nil {
		t.Fatal(err)
	}
	asked := f.Requests()[0].Prompt
	want := p.System[0].Text + "\n\nBe brief.\n\nWhat is the weather in Oslo?"
	if len(asked.System) != 0 || len(asked.Turns) != 1 || asked.Turns[0].Parts[0].Text != want {
		t.Errorf("asked %+v", asked)
	}
	if got := p.Turns[0].Parts[0].Text; got != "What is the weather in Oslo?" {
		t.Errorf("the prompt itself has become %q", got)
	}
}

// TestConverseTellsWhatIsRefused asks models for features that they lack.
func TestConverseTellsWhatIsRefused(t *testing.T) {
	image := translate.Part{Type: translate.PartImage, Source: []byte(`{"type":"base64","media_type":"image/png","data":"aGk="}`)}
	document := translate.Part{Type: translate.PartDocument, Source: []byte(`{"type":"base64","media_type":"application/pdf","data":"aGk="}`)}
	_, p := withTool(t)
	p.Turns[0].Parts = append(p.Turns[0].Parts, image, document)
	for _, feature := range []upstream.Features{upstream.System, upstream.StopSequences, upstream.Streaming, upstream.Images, upstream.Documents} {
		t.Run(feature.String(), func(t *testing.T) {
			f := upstreamtest.NewBedrock(nil)
			f.Lacks = feature
			server := httptest.NewServer(f)
			defer server.Close()
			_, err := collect(t, invoke(overWire{dialBedrock(t, server), upstream.WireConverse}, t.Context(), upstream.Model{ID: nova, Can: everything}, p))
			var e *upstream.Error
			// Images and documents of the client cannot be left out.
			want := feature &^ (upstream.Images | upstream.Documents)
			if !errors.As(err, &e) || e.Status != 400 || e.Refuses != want {
				t.Errorf("%+v", err)
			}
		})
	}
}

// TestCachePoints checks the cache point after the preamble, for models with prompt caching.
func TestCachePoints(t *testing.T) {
	_, p := withTool(t)
	eachWire(t, func(t *testing.T, w wire) {
		up, f := w.open(t, nil)
		m := w.model
		for i, can := range []upstream.Features{m.Can &^ upstream.Caching, m.Can | upstream.Caching} {
			m.Can = can
			if _, err := collect(t, invoke(up, t.Context(), m, p)); err != nil {
				t.Fatal(err)
			}
			body := string(f.Requests()[i].Body)
			marks := strings.Count(body, `,"cache_control":{"type":"ephemeral"}}`) + strings.Count(body, `,{"cachePoint":{"type":"default"}}`)
			want := i
			if w.unmarked {
				want = 0
			}
			if marks != want {
				t.Errorf("%d marks in %s", marks, body)
			}
		}
	})
}

// TestThinking asks models that think first.
func TestThinking(t *testing.T) {
	eachWire(t, func(t *testing.T, w wire) {
		up, _ := w.open(t, upstreamtest.Answer(upstreamtest.Completion{Thinking: "So, \"he\" asks.", Text: "Hello"}))
		got, err := collect(t, invoke(up, t.Context(), w.model, ask("Hi")))
		want := "So, \"he\" asks."
		if w.plain {
			want = ""
		}
		if err != nil || got.Thinking != want || got.Text != "Hello" {
			t.Errorf("%+v, %v", got, err)
		}
	})
}

func TestBedrockChoosesTheWire(t *testing.T) {
	const arn = "arn:aws:bedrock:us-east-1:123456789012:"
	const messages, converse = `"anthropic_version":`, `"inferenceConfig":`
	f := upstreamtest.NewBedrock(nil)
	server := httptest.NewServer(f)
	defer server.Close()
	up := dialBedrock(t, server)
	tests := []struct{ id, body string }{
		{"anthropic.claude-v2:1", messages},
		{"anthropic.some-model-v1:0", messages},
		{haiku, messages},
		{arn + "inference-profile/" + haiku, messages},
		{"arn:aws:bedrock:us-east-1::foundation-model/anthropic.claude-3-haiku-20240307-v1:0", messages},
		{arn + "application-inference-profile/a1b2c3d4e5f6", messages},
		{arn + "provisioned-model/a1b2c3d4e5f6", messages},
		{arn + "prompt-router/a1b2c3d4e5f6", messages},
		{arn + "default-prompt-router/anthropic.claude:1", messages},
		{arn + "default-prompt-router/meta.llama:1", converse},
		{arn + "inference-profile/" + nova, converse},
		{"arn:aws-us-gov:bedrock:us-gov-west-1::foundation-model/meta.llama3-8b-instruct-v1:0", converse},
		{nova, converse},
		{"openai.gpt-oss-120b-1:0", converse},
		{"m", converse},
	}
	for i, test := range tests {
		if _, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: test.id, Can: everything}, ask("Hi"))); err != nil {
			t.Fatalf("%s: %v", test.id, err)
		}
		r := f.Requests()[i]
		if r.Model != test.id || !strings.Contains(string(r.Body), test.body) {
			t.Errorf("%s: %s was asked %s", test.id, r.Model, r.Body)
		}
		if kind := r.Header.Get("content-type"); kind != "application/json" {
			t.Errorf("%s: content type %q", test.id, kind)
		}
	}
}

// TestBedrockModelIDs asks for models with ids that could change the path of a request.
func TestBedrockModelIDs(t *testing.T) {
	dialed := 0
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { dialed++ }))
	defer server.Close()
	b := dialBedrock(t, server)
	for _, up := range []invoker{b, overWire{b, upstream.WireMessages}, overWire{b, upstream.WireText}, overWire{b, upstream.WireConverse}} {
		for _, id := range []string{
			"", ".", "..", "/", "//evil.test", "a/../b", "a..b", "../admin", "/a", "a/", "a//b", "a/./b", "a b", "a?b", "a#b", "a%2fb", "a\\b", "a@evil.test",
			"a\r\nhost: evil.test", "modèle", "a\x00", strings.Repeat("a", 2049),
		} {
			_, err := collect(t, invoke(up, t.Context(), upstream.Model{ID: id}, ask("Hi")))
			var e *upstream.Error
			if !errors.As(err, &e) || e.Status != 400 || e.Type != "invalid_request_error" || !strings.HasPrefix(e.Message, "model: ") {
				t.Errorf("%T, %.40q: %v", up, id, err)
			}
		}
	}
	if dialed != 0 {
		t.Errorf("%d requests", dialed)
	}
	if _, err := collect(t, invoke(overWire{b, upstream.WireConverse}, t.Context(), upstream.Model{ID: strings.Repeat("a", 2048)}, ask("Hi"))); err == nil || dialed != 1 {
		t.Errorf("an id as long as can be: %v, %d requests", err, dialed)
	}
}
