package upstreamtest

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws"
	v4 "github.com/aws/aws-sdk-go-v2/aws/signer/v4"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dragoman/translate"
	"dragoman/translate/messages"
)

const minimal = `"max_tokens":9,"messages":[{"role":"user","content":"Hi"}]`

// signed returns a request to a Bedrock, signed with these credentials.
func signed(t *testing.T, path, body, key, secret string) *http.Request {
	r := httptest.NewRequest(http.MethodPost, "http://bedrock.test"+path, strings.NewReader(body))
	r.Header.Set("content-type", "application/json")
	sum := sha256.Sum256([]byte(body))
	err := v4.NewSigner().SignHTTP(t.Context(), aws.Credentials{AccessKeyID: key, SecretAccessKey: secret}, r,
		hex.EncodeToString(sum[:]), "bedrock", "us-east-1", time.Now())
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func serve(h http.Handler, r *http.Request) (int, http.Header, string) {
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w.Code, w.Header(), w.Body.String()
}

func TestBedrockChecksRequests(t *testing.T) {
	const path = "/model/anthropic.claude-v2%3A1/invoke-with-response-stream"
	const version = `"anthropic_version":"bedrock-2023-05-31",`
	const good = "{" + version + minimal + "}"
	tests := []struct {
		name, path, body string
		status           int
		exception, says  string
	}{
		{"good", path, good, 200, "", ""},
		{"raw colon", "/model/anthropic.claude-v2:1/invoke-with-response-stream", good, 200, "", ""},
		{"an ARN in two segments", "/model/arn:aws:x/y/invoke-with-response-stream", good, 404, "UnknownOperationException", ""},
		{"another operation", "/model/m/invoke", good, 404, "UnknownOperationException", ""},
		{"unknown key", path, "{" + version + minimal + `,"model":"m"}`, 400, "ValidationException",
			"Malformed input request: #: extraneous key [model] is not permitted, please reformat your input and try again."},
		{"tools", path, "{" + version + minimal + `,"tools":[]}`, 400, "ValidationException", "extraneous key [tools]"},
		{"unknown key in a block", path, "{" + version + `"max_tokens":9,"messages":[{"role":"user","content":[{"type":"text","text":"a","x":1}]}]}`,
			400, "ValidationException", "#/messages/0/content/0: extraneous key [x]"},
		{"no messages", path, "{" + version + `"max_tokens":9}`, 400, "ValidationException", "#: required key [messages] not found"},
		{"no max_tokens", path, "{" + version + `"messages":[]}`, 400, "ValidationException", "#: required key [max_tokens] not found"},
		{"no version", path, "{" + minimal + "}", 400, "ValidationException", "anthropic_version"},
		{"blank stop sequence", path, "{" + version + minimal + `,"stop_sequences":["\n"]}`, 400, "ValidationException", "non-whitespace"},
		{"two turns of one role", path, "{" + version + `"max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"user","content":"b"}]}`,
			400, "ValidationException", "alternate"},
		{"prefill with a blank at its end", path, "{" + version + `"max_tokens":9,"messages":[{"role":"user","content":"a"},{"role":"assistant","content":"b "}]}`,
			400, "ValidationException", "trailing whitespace"},
		{"empty text", path, "{" + version + `"max_tokens":9,"messages":[{"role":"user","content":""}]}`, 400, "ValidationException", "non-empty"},
		{"no JSON", path, "hello", 400, "ValidationException", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := NewBedrock(nil)
			status, h, body := serve(b, signed(t, test.path, test.body, AccessKeyID, SecretAccessKey))
			exception, _, _ := strings.Cut(h.Get("x-amzn-ErrorType"), ":")
			if status != test.status || exception != test.exception || !strings.Contains(body, test.says) {
				t.Errorf("%d %s %s", status, exception, body)
			}
			if got := len(b.Requests()); got != 1 && status == 200 || got != 0 && status != 200 {
				t.Errorf("%d requests remembered", got)
			}
		})
	}
}

func TestBedrockChecksTextRequests(t *testing.T) {
	const good = `{"prompt":"\n\nHuman: Hi\n\nAssistant:","max_tokens_to_sample":9`
	prompt := func(text string) string { return `{"max_tokens_to_sample":9,"prompt":"` + text + `"}` }
	tests := []struct {
		name, body string
		says       string // the expected error; "" for a valid request
	}{
		{"good", good + "}", ""},
		{"all keys", good + `,"temperature":1,"top_p":0,"top_k":500,"stop_sequences":["END"],"anthropic_version":"bedrock-2023-05-31"}`, ""},
		{"system and prefill", prompt(`Be brief.\n\nHuman: Hi\n\nAssistant: I`), ""},
		{"unknown key", good + `,"max_tokens":9}`, "#: extraneous key [max_tokens] is not permitted"},
		{"no length", `{"prompt":"\n\nHuman: Hi\n\nAssistant:"}`, "#: required key [max_tokens_to_sample] not found"},
		{"too long", good + `7777}`, "#/max_tokens_to_sample: 97777 is not less or equal to 4096"},
		{"too hot", good + `,"temperature":1.5}`, "#/temperature: 1.5 is not less or equal to 1"},
		{"negative", good + `,"top_k":-1}`, "#/top_k: -1 is not greater or equal to 0"},
		{"version", good + `,"anthropic_version":"2023-06-01"}`, "anthropic_version"},
		{"not a string", `{"max_tokens_to_sample":9,"prompt":[]}`, "prompt"},
		{"no turn", prompt("Hi"), "must start with"},
		{"no newlines", prompt(`Human: Hi\n\nAssistant:`), "must start with"},
		{"the assistant first", prompt(`\n\nAssistant: Hi\n\nHuman: Hi\n\nAssistant:`), "must start with"},
		{"the human last", prompt(`\n\nHuman: Hi`), "must end with"},
		{"two turns of the human's", prompt(`\n\nHuman: Hi\n\nHuman: Ho\n\nAssistant:`), "must alternate"},
		{"a blank behind the colon", prompt(`\n\nHuman: Hi\n\nAssistant: `), "white space"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			b := NewBedrock(nil)
			status, h, body := serve(b, signed(t, "/model/m/invoke-with-response-stream", test.body, AccessKeyID, SecretAccessKey))
			exception, _, _ := strings.Cut(h.Get("x-amzn-ErrorType"), ":")
			if test.says == "" && (status != 200 || len(b.Requests()) != 1) ||
				test.says != "" && (status != 400 || exception != "ValidationException" || !strings.Contains(body, test.says)) {
				t.Errorf("%d %s %s", status, exception, body)
			}
		})
	}
}

func TestPromptOfAText(t *testing.T) {
	b := NewBedrock(Answer(Completion{Text: "ok"}))
	body := `{"prompt":"S\nT\n\nHuman: a \n\n\nAssistant:b\n\nHuman:\n\nAssistant:  c","max_tokens_to_sample":9,"temperature":0.5,"top_k":3,"stop_sequences":["END"]}`
	status, _, answer := serve(b, signed(t, "/model/m/invoke-with-response-stream", body, AccessKeyID, SecretAccessKey))
	if status != 200 {
		t.Fatal(answer)
	}
	temperature, topK := 0.5, 3
	turn := func(role, text string) translate.Turn {
		return translate.Turn{Role: role, Parts: []translate.Part{{Type: "text", Text: text}}}
	}
	want := &translate.Prompt{
		System:        []translate.Text{{Text: "S\nT"}},
		Turns:         []translate.Turn{turn("user", "a \n"), turn("assistant", "b"), turn("user", ""), turn("assistant", " c")},
		StopSequences: []string{"END", humanMarker}, MaxTokens: 9, Temperature: &temperature, TopK: &topK,
	}
	if diff := cmp.Diff(want, b.Requests()[0].Prompt, cmpopts.IgnoreUnexported(translate.Prompt{}), cmpopts.IgnoreFields(translate.Prompt{}, "Asking")); diff != "" {
		t.Error(diff)
	}
}

func TestBedrockVerifiesSignatures(t *testing.T) {
	const path = "/model/m%2Fn/invoke-with-response-stream"
	const body = `{"anthropic_version":"bedrock-2023-05-31",` + minimal + "}"
	tests := []struct {
		name        string
		key, secret string
		change      func(*http.Request)
		exception   string
	}{
		{"good", AccessKeyID, SecretAccessKey, func(*http.Request) {}, ""},
		{"another key", "AKIDOTHER", "whatever", func(*http.Request) {}, ""},
		{"another secret", AccessKeyID, "whatever", func(*http.Request) {}, "InvalidSignatureException"},
		{"another body", AccessKeyID, SecretAccessKey, func(r *http.Request) {
			r.Body = io.NopCloser(strings.NewReader(strings.Replace(body, "Hi", "Ho", 1)))
		}, "InvalidSignatureException"},
		{"another path", AccessKeyID, SecretAccessKey, func(r *http.Request) { r.URL.Path, r.URL.RawPath = strings.Replace(r.URL.Path, "m/n", "o", 1), "" }, "InvalidSignatureException"},
		{"another signed header", AccessKeyID, SecretAccessKey, func(r *http.Request) { r.Header.Set("content-type", "text/plain") }, "InvalidSignatureException"},
		{"a header that is not signed", AccessKeyID, SecretAccessKey, func(r *http.Request) { r.Header.Set("x-late", "1") }, ""},
		{"no signature", AccessKeyID, SecretAccessKey, func(r *http.Request) { r.Header.Del("authorization") }, "IncompleteSignatureException"},
		{"a bearer token", AccessKeyID, SecretAccessKey, func(r *http.Request) { r.Header.Set("authorization", "Bearer x") }, "IncompleteSignatureException"},
		{"no date", AccessKeyID, SecretAccessKey, func(r *http.Request) { r.Header.Del("x-amz-date") }, "IncompleteSignatureException"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			r := signed(t, path, body, test.key, test.secret)
			test.change(r)
			_, h, text := serve(NewBedrock(nil), r)
			if exception, _, _ := strings.Cut(h.Get("x-amzn-ErrorType"), ":"); exception != test.exception {
				t.Errorf("%s %s", exception, text)
			}
		})
	}
}

func TestMessagesChecksRequests(t *testing.T) {
	const head = `{"model":"m","stream":true,`
	tests := []struct {
		name, path, version, body string
		status                    int
		says                      string
	}{
		{"good", "/v1/messages", "2023-06-01", head + minimal + "}", 200, "event: message_stop"},
		{"path", "/messages", "2023-06-01", head + minimal + "}", 404, "not_found_error"},
		{"version", "/v1/messages", "", head + minimal + "}", 400, "anthropic-version: header is required"},
		{"model", "/v1/messages", "2023-06-01", `{"stream":true,` + minimal + "}", 400, "model: Field required"},
		{"stream", "/v1/messages", "2023-06-01", `{"model":"m",` + minimal + "}", 400, "can only stream"},
		{"unknown key", "/v1/messages", "2023-06-01", head + minimal + `,"anthropic_version":"x"}`, 400, "anthropic_version: Extra inputs are not permitted"},
		{"unknown key in a message", "/v1/messages", "2023-06-01", head + `"max_tokens":9,"messages":[{"role":"user","content":"a","x":1}]}`, 400,
			"messages.0.x: Extra inputs are not permitted"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			m := NewMessages(nil)
			r := httptest.NewRequest(http.MethodPost, test.path, strings.NewReader(test.body))
			if test.version != "" {
				r.Header.Set("anthropic-version", test.version)
			}
			status, h, body := serve(m, r)
			if status != test.status || !strings.Contains(body, test.says) || h.Get("request-id") == "" {
				t.Errorf("%d %s", status, body)
			}
		})
	}
	m := NewMessages(nil)
	m.Key = "secret"
	r := httptest.NewRequest(http.MethodPost, "/v1/messages", strings.NewReader(head+minimal+"}"))
	if status, _, body := serve(m, r); status != 401 || !strings.Contains(body, "authentication_error") {
		t.Errorf("without a key: %d %s", status, body)
	}
}

func TestPromptOfARequest(t *testing.T) {
	m := NewMessages(nil)
	body := `{"model":"m","stream":true,"max_tokens":9,"temperature":0.5,"top_k":3,"stop_sequences":["END"],"metadata":{"user_id":"u"},` +
		`"system":[{"type":"text","text":"S","cache_control":{"type":"ephemeral"}}],` +
		`"messages":[{"role":"user","content":[{"type":"text","text":"a"},{"type":"image","source":{"type":"url","url":"u"}}]},{"role":"assistant","content":"b"}]}`
	r := httptest.NewRequest(http.MethodPost, "/v1/messages", strings.NewReader(body))
	r.Header.Set("anthropic-version", "2023-06-01")
	if status, _, text := serve(m, r); status != 200 {
		t.Fatal(text)
	}
	temperature, topK := 0.5, 3
	want := translate.Prompt{
		System: []translate.Text{{Text: "S"}},
		Turns: []translate.Turn{
			{Role: "user", Parts: []translate.Part{{Type: "text", Text: "a"}, {Type: "image", Source: []byte(`{"type":"url","url":"u"}`)}}},
			{Role: "assistant", Parts: []translate.Part{{Type: "text", Text: "b"}}},
		},
		StopSequences: []string{"END"}, MaxTokens: 9, Temperature: &temperature, TopK: &topK,
	}
	got := *m.Requests()[0].Prompt
	if diff := cmp.Diff(want.System, got.System) + cmp.Diff(want.Turns, got.Turns) + cmp.Diff(want.StopSequences, got.StopSequences); diff != "" {
		t.Error(diff)
	}
	if got.MaxTokens != 9 || *got.Temperature != 0.5 || *got.TopK != 3 || got.TopP != nil {
		t.Errorf("%+v", got)
	}
	if !bytes.Equal(m.Requests()[0].Body, []byte(body)) {
		t.Error("the body is not kept as it came")
	}
}

func TestCompletionIsSettled(t *testing.T) {
	tests := []struct {
		text  string
		stops []string
		want  string
		stop  string
	}{
		{"one two", nil, "one two", ""},
		{"one two", []string{"three", "two"}, "one ", "two"},
		{"one two", []string{"two", "ne"}, "o", "ne"},
		{"abc", []string{"abcd", "bc", "b"}, "a", "b"},
		{"abc", []string{"abc"}, "", "abc"},
	}
	for _, test := range tests {
		c := Completion{Text: test.text}.settle(&translate.Prompt{StopSequences: test.stops})
		if c.Text != test.want || c.StopSequence != test.stop || (c.Stop == messages.StopSequence) != (test.stop != "") {
			t.Errorf("%q, %q: %+v", test.text, test.stops, c)
		}
	}
	for pieces := range 9 {
		c := Completion{Text: "ab😀čd", Pieces: pieces}
		got := c.pieces()
		if strings.Join(got, "") != c.Text || pieces > 0 && len(got) > pieces {
			t.Errorf("%d pieces: %q", pieces, got)
		}
	}
}
