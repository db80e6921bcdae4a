package proxy

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/proxy/bedrock"
	"dragoman/translate"
	"dragoman/translate/rawjson"
	"dragoman/upstream"
)

// bedrockInvoke is InvokeModel of Bedrock, with and without a stream, with the body
// of the Messages API (reference/bedrock.md §2a).
var bedrockInvoke = dialect{
	name:          "bedrock_invoke",
	setID:         setBedrockID,
	credentials:   bedrockCredentials,
	read:          readInvoke,
	nativeRequest: nativeBedrock,
	ignored: []ignoredHeader{
		{"X-Amzn-Bedrock-Performanceconfig-Latency", "standard", "performanceConfigLatency"},
		{"X-Amzn-Bedrock-Service-Tier", "default", "serviceTier"},
		{"X-Amzn-Bedrock-Request-Metadata", "", "requestMetadata"},
		{bedrock.GuardrailTraceHeader, "disabled", "trace"}, // the answer has no place for it
	},
	appendMessage: invokeMessage,
	failureBody:   bedrockFailure,
	streamHeader: http.Header{
		"Content-Type":                {eventStream},
		"X-Amzn-Bedrock-Content-Type": {"application/json"},
		"Cache-Control":               {"no-cache"},
		"X-Accel-Buffering":           {"no"},
	},
	pingFrame: new(invokeFrames).appendEvent(nil, translate.Event{Type: translate.Ping}, 0),
	newFrames: func(h http.Header) frameWriter { return &invokeFrames{anthropic: isAnthropic(h)} },
}

// decodeInvoke reads a request, whatever its body says of model and stream.
func readInvoke(r *http.Request, data []byte, opt translate.DecodeOptions) (*translate.Body, error) {
	body, err := readBedrock(r, data, opt)
	if err != nil {
		return nil, err
	}
	return body, refuseFamilies(data)
}

// families are the members that tell the bodies of other model families, which are
// not read here, from that of the Messages API (reference/bedrock.md §2b, §10).
var families = []struct{ member, family string }{
	{"max_tokens_to_sample", "Claude text completions"},
	{"max_gen_len", "Llama"},
	{"inputText", "Titan"},
	{"textGenerationConfig", "Titan"},
	{"inferenceConfig", "Nova"},
	{"prompt", "text completions"},
}

// refuseFamilies says which family a body is of, if not of Claude's.
func refuseFamilies(data []byte) error {
	known := []string{"messages", "max_tokens"}
	for _, f := range families {
		known = append(known, f.member)
	}
	body := map[string]bool{} // which of them it has
	for name := range rawjson.Members(rawjson.Trim(data)) {
		if name := rawjson.Name(name, known); slices.Contains(known, name) {
			body[name] = true
		}
	}
	if body["messages"] && body["max_tokens"] {
		return nil // if it is wrong, its validation says so
	}
	for _, f := range families {
		if body[f.member] {
			return &translate.InvalidRequestError{
				Path:    f.member,
				Message: fmt.Sprintf("This is the %s body. Only the Anthropic Messages body is read here: send messages and max_tokens.", f.family),
			}
		}
	}
	return nil
}

// invokeMessage appends a message, and its metrics to the header.
func invokeMessage(h http.Header, dst []byte, m *translate.Message, took time.Duration) []byte {
	set := func(name string, n int64) { h.Set("X-Amzn-Bedrock-"+name, strconv.FormatInt(n, 10)) }
	set("Invocation-Latency", took.Milliseconds())
	set("Input-Token-Count", int64(m.Usage.InputTokens))
	set("Output-Token-Count", int64(m.Usage.OutputTokens))
	if n := m.Usage.CacheReadInputTokens; n > 0 {
		set("Cache-Read-Input-Token-Count", int64(n))
	}
	if n := m.Usage.CacheCreationInputTokens; n > 0 {
		set("Cache-Write-Input-Token-Count", int64(n))
	}
	if m.StopReason == translate.StopGuardrail {
		return append(dst, translate.WithMembers(m.AppendJSON(nil), intervened)...)
	}
	return m.AppendJSON(dst)
}

// intervened is what is said beside an answer in which a guardrail intervened.
var intervened = map[string]jsontext.Value{upstream.GuardrailAction: jsontext.Value(`"` + upstream.Intervened + `"`)}

// isAnthropic tells whether the client is a library of Anthropic's, or the Vercel AI
// SDK with its provider of Anthropic's models. They know an error event in a chunk, and
// some of them no exception; the AWS SDKs know the exception alone
// (reference/clients.md §3).
func isAnthropic(h http.Header) bool {
	product, _, _ := strings.Cut(h.Get("User-Agent"), "/")
	return strings.Contains(product, "Anthropic") || strings.HasPrefix(product, "ai-sdk") || h.Get("X-Stainless-Lang") != ""
}

// invokeFrames writes the events of the Messages API as chunks. The service pads its
// chunks, so that their lengths on an encrypted wire say less of the words; clients
// ignore that, and no other dialect hides them.
type invokeFrames struct {
	anthropic       bool // the client
	firstEventAfter time.Duration
	usage           translate.Usage
	stop            translate.Stop
	data            []byte // of the chunk
	payload         []byte // of the frame
}

var chunkHeaders = eventHeaders("chunk")

func (f *invokeFrames) appendEvent(dst []byte, e translate.Event, took time.Duration) []byte {
	f.data = e.AppendJSON(f.data[:0])
	switch e.Type {
	case translate.MessageStart:
		f.firstEventAfter, f.usage = took, e.Message.Usage
	case translate.MessageDelta:
		f.usage, f.stop = e.Message.Usage, e.Message.StopReason
	case translate.MessageStop:
		if f.stop == translate.StopGuardrail {
			f.data = translate.WithMembers(f.data, intervened)
		}
		f.data = translate.WithMembers(f.data, map[string]jsontext.Value{"amazon-bedrock-invocationMetrics": f.metricsJSON(took)})
	}
	return f.appendChunk(dst)
}

func (f *invokeFrames) appendFailure(dst []byte, failed *failure, requestID string) []byte {
	if !f.anthropic {
		return appendExceptionFrame(dst, failed)
	}
	f.data = appendError(f.data[:0], failed, requestID)
	return f.appendChunk(dst)
}

// chunk appends the frame of a chunk with the data.
func (f *invokeFrames) appendChunk(dst []byte) []byte {
	f.payload = append(f.payload[:0], `{"bytes":"`...)
	f.payload = base64.StdEncoding.AppendEncode(f.payload, f.data)
	f.payload = append(f.payload, `"}`...)
	return appendFrame(dst, chunkHeaders, f.payload)
}

// metrics is what the last chunk says of the answer, in milliseconds and tokens
// (reference/bedrock.md §3).
func (f *invokeFrames) metricsJSON(took time.Duration) jsontext.Value {
	metrics, err := json.Marshal(struct {
		Input      int   `json:"inputTokenCount"`
		Output     int   `json:"outputTokenCount"`
		Latency    int64 `json:"invocationLatency"`
		FirstByte  int64 `json:"firstByteLatency"`
		CacheRead  int   `json:"cacheReadInputTokenCount,omitzero"`
		CacheWrite int   `json:"cacheWriteInputTokenCount,omitzero"`
	}{
		f.usage.InputTokens, f.usage.OutputTokens, took.Milliseconds(), f.firstEventAfter.Milliseconds(),
		f.usage.CacheReadInputTokens, f.usage.CacheCreationInputTokens,
	})
	if err != nil {
		panic(err) // numbers can always be written
	}
	return metrics
}
