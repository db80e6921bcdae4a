package upstreamtest

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
)

func TestConverseChecksRequests(t *testing.T) {
	say := func(content string) string { return `{"messages":[{"role":"user","content":[` + content + `]}]}` }
	hi := say(`{"text":"Hi"}`)
	with := func(members string) string { return strings.TrimSuffix(hi, "}") + "," + members + "}" }
	image := `{"image":{"format":"png","source":{"bytes":"aGk="}}}`
	document := func(name string) string {
		return `{"document":{"name":"` + name + `","format":"pdf","source":{"bytes":"aGk="}}}`
	}
	tests := []struct {
		name, body string
		lacks      upstream.Features
		says       string // the expected error; "" for a valid request
	}{
		{"the least", hi, 0, ""},
		{"all of it", with(`"system":[{"text":"S"},{"cachePoint":{"type":"default"}},{"text":"T"}],"inferenceConfig":{"maxTokens":1,"temperature":1,"topP":0,"stopSequences":["END"]},` +
			`"additionalModelRequestFields":{"top_k":1},"additionalModelResponseFieldPaths":["/stop_sequence"]`), 0, ""},
		{"what the model shows", say(`{"text":"Look"},` + image + `,` + document("a [1] (b) - c")), 0, ""},
		{"no JSON", "hello", 0, "invalid"},
		{"unknown key", with(`"stream":true`), 0, "extraneous key [stream]"},
		{"tools", with(`"toolConfig":{"tools":[]}`), 0, "extraneous key [toolConfig]"},
		{"unknown key in a block", say(`{"text":"Hi","type":"text"}`), 0, "extraneous key [type]"},
		{"two members", say(`{"text":"Hi",` + image[1:]), 0, "messages.0.content.0: one of text, image and document is wanted"},
		{"no members", say(`{}`), 0, "messages.0.content.0: one of"},
		{"no messages", `{}`, 0, "A conversation must start with a user message. Try again with a conversation that starts with a user message."},
		{"the assistant first", strings.Replace(hi, "user", "assistant", 1), 0, "A conversation must start with a user message."},
		{"two turns of one role", `{"messages":[{"role":"user","content":[{"text":"a"}]},{"role":"user","content":[{"text":"b"}]}]}`, 0, "must alternate"},
		{"a prefill with a blank at its end", `{"messages":[{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[{"text":"b "}]}]}`, 0, "trailing whitespace"},
		{"no content", say(""), 0, "messages.0 is empty"},
		{"blank text", say(`{"text":"a"},{"text":"\n"}`), 0,
			"The text field in the ContentBlock object at messages.0.content.1 is blank. Add text to the text field, and try again."},
		{"blank system", with(`"system":[{"text":" "}]`), 0, "system.0 is blank"},
		{"nothing to cache", with(`"system":[{"cachePoint":{"type":"default"}}]`), 0, "system.0: there is nothing to cache before it"},
		{"an image in the system", with(`"system":[` + image + `]`), 0, "system.0: a text or a cachePoint"},
		{"no tokens", with(`"inferenceConfig":{"maxTokens":0}`), 0, "inferenceConfig.maxTokens"},
		{"too hot", with(`"inferenceConfig":{"temperature":1.5}`), 0, "inferenceConfig.temperature"},
		{"negative", with(`"inferenceConfig":{"topP":-1}`), 0, "inferenceConfig.topP"},
		{"an empty stop sequence", with(`"inferenceConfig":{"stopSequences":[""]}`), 0, "inferenceConfig.stopSequences"},
		{"a document alone", say(document("a")), 0, "a document needs a text block beside it"},
		{"a document without a name", say(`{"text":"a"},` + document("")), 0, "The document file name can only contain"},
		{"a document with a dot in its name", say(`{"text":"a"},` + document("a.pdf")), 0, "The document file name can only contain"},
		{"two blanks in a name", say(`{"text":"a"},` + document("a  b")), 0, "more than one consecutive whitespace"},
		{"two documents of one name", say(`{"text":"a"},` + document("a") + `,` + document("a")), 0, "duplicate document names"},
		{"six documents", say(`{"text":"a"},` + document("1") + `,` + document("2") + `,` + document("3") + `,` + document("4") + `,` + document("5") + `,` + document("6")), 0, "too many"},
		{"an unknown format", say(`{"image":{"format":"jpg","source":{"bytes":"aGk="}}}`), 0, `"jpg" is no format`},
		{"bytes that are not base64", say(strings.Replace(image, "aGk=", "?", 1)), 0, "base64"},
		{"an image of the assistant's", `{"messages":[{"role":"user","content":[{"text":"a"}]},{"role":"assistant","content":[` + image + `]}]}`, 0, "only a user"},
		{"system messages", with(`"system":[{"text":"S"}]`), upstream.System,
			"This model doesn't support system messages. Try again without a system message or use a model that supports system messages."},
		{"stop sequences", with(`"inferenceConfig":{"stopSequences":["END"]}`), upstream.StopSequences,
			"This model doesn't support the stopSequences field. Remove stopSequences and try again."},
		{"lacking what is not asked", hi, upstream.System | upstream.StopSequences | upstream.Images | upstream.Documents, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			for _, operation := range []string{converseStream, converse} {
				b := NewBedrock(nil)
				b.Lacks = test.lacks
				status, h, body := serve(b, signed(t, "/model/m/"+operation, test.body, AccessKeyID, SecretAccessKey))
				exception, _, _ := strings.Cut(h.Get("x-amzn-ErrorType"), ":")
				if test.says == "" && (status != 200 || len(b.Requests()) != 1) ||
					test.says != "" && (status != 400 || exception != "ValidationException" || !strings.Contains(body, strings.Trim(string(quote(test.says)), `"`))) {
					t.Errorf("%s: %d %s %s", operation, status, exception, body)
				}
			}
		})
	}
}

func TestConverseCannotStream(t *testing.T) {
	b := NewBedrock(nil)
	b.Lacks = upstream.Streaming
	body := `{"messages":[{"role":"user","content":[{"text":"Hi"}]}]}`
	for operation, want := range map[string]int{converseStream: 400, converse: 200} {
		if status, _, answer := serve(b, signed(t, "/model/m/"+operation, body, AccessKeyID, SecretAccessKey)); status != want {
			t.Errorf("%s: %d %s", operation, status, answer)
		}
	}
}

func TestPromptOfConverse(t *testing.T) {
	b := NewBedrock(Answer(Completion{Text: "ok"}))
	body := `{"system":[{"text":"S"},{"cachePoint":{"type":"default"}},{"text":"T"}],` +
		`"messages":[{"role":"user","content":[{"text":"a"},{"image":{"format":"jpeg","source":{"bytes":"aGk="}}},{"document":{"name":"n","format":"txt","source":{"text":"1"}}}]},` +
		`{"role":"assistant","content":[{"text":"b"}]}],` +
		`"inferenceConfig":{"maxTokens":9,"temperature":0.5,"topP":0.25,"stopSequences":["END"]},"additionalModelRequestFields":{"inferenceConfig":{"topK":3}}}`
	status, _, answer := serve(b, signed(t, "/model/m/converse", body, AccessKeyID, SecretAccessKey))
	if status != 200 {
		t.Fatal(answer)
	}
	temperature, topP, topK := 0.5, 0.25, 3
	want := &translate.Prompt{
		System: []translate.Text{{Text: "S"}, {Text: "T"}},
		Turns: []translate.Turn{
			{Role: "user", Parts: []translate.Part{
				{Type: "text", Text: "a"},
				{Type: "image", Source: []byte(`{"type":"base64","media_type":"image/jpeg","data":"aGk="}`)},
				{Type: "document", Title: "n", Source: []byte(`{"type":"text","media_type":"text/plain","data":"1"}`)},
			}},
			{Role: "assistant", Parts: []translate.Part{{Type: "text", Text: "b"}}},
		},
		StopSequences: []string{"END"}, MaxTokens: 9, Temperature: &temperature, TopP: &topP, TopK: &topK,
	}
	if diff := cmp.Diff(want, b.Requests()[0].Prompt, cmpopts.IgnoreUnexported(translate.Prompt{}), cmpopts.IgnoreFields(translate.Prompt{}, "Asking")); diff != "" {
		t.Error(diff)
	}
}

// TestConverseStreams reads an answer with AWS's own decoder of frames.
func TestConverseStreams(t *testing.T) {
	b := NewBedrock(Answer(Completion{Thinking: "so", Text: "one END two", Pieces: 2, Usage: messages.Usage{InputTokens: 7, OutputTokens: 2}}))
	body := `{"messages":[{"role":"user","content":[{"text":"Hi"}]}],"inferenceConfig":{"stopSequences":["END"]},"additionalModelResponseFieldPaths":["/stop_sequence"]}`
	_, h, answer := serve(b, signed(t, "/model/us.anthropic.claude-3-haiku-20240307-v1%3A0/converse-stream", body, AccessKeyID, SecretAccessKey))
	if got := h.Get("content-type"); got != "application/vnd.amazon.eventstream" {
		t.Errorf("content type %q", got)
	}
	var events []string
	stream := strings.NewReader(answer)
	for {
		m, err := eventstream.NewDecoder().Decode(stream, nil)
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		payload, _, padded := bytes.Cut(m.Payload, []byte(`,"p":"`))
		if !padded || m.Headers.Get(eventstreamapi.MessageTypeHeader).String() != "event" {
			t.Errorf("event %s: %s", m.Headers, m.Payload)
		}
		events = append(events, m.Headers.Get(eventstreamapi.EventTypeHeader).String()+" "+string(payload))
	}
	want := []string{
		`messageStart {"role":"assistant"`,
		`contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"so"}}`,
		`contentBlockDelta {"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"ZmFrZQ=="}}`,
		`contentBlockStop {"contentBlockIndex":0`,
		`contentBlockDelta {"contentBlockIndex":1,"delta":{"text":"on"}`,
		`contentBlockDelta {"contentBlockIndex":1,"delta":{"text":"e "}`,
		`contentBlockStop {"contentBlockIndex":1`,
		`messageStop {"stopReason":"stop_sequence","additionalModelResponseFields":{"stop_sequence":"END"}`,
		`metadata {"usage":{"inputTokens":7,"outputTokens":2,"totalTokens":9,"cacheReadInputTokens":0,"cacheWriteInputTokens":0},"metrics":{"latencyMs":40}`,
	}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Error(diff)
	}
}
