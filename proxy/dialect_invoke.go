package proxy

import (
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/proxy/convert"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/upstream"
	"dragoman/upstream/eventstream"
)

// bedrockInvoke is Bedrock's InvokeModel with the body of the Messages API, with and without a stream
// (docs/reference/bedrock.md §2a).
var bedrockInvoke = dialect{
	name:          "bedrock_invoke",
	setID:         setBedrockID,
	credentials:   bedrockCredentials,
	read:          readInvoke,
	nativeRequest: nativeBedrock,
	ignored: []ignoredHeader{
		{"X-Amzn-Bedrock-Performanceconfig-Latency", "standard", "performanceConfigLatency", true},
		{"X-Amzn-Bedrock-Service-Tier", "default", "serviceTier", true},
		{"X-Amzn-Bedrock-Request-Metadata", "", "requestMetadata", true},
		{convert.GuardrailTraceHeader, "disabled", "trace", false}, // no answer of this API can carry the trace
	},
	appendMessage: invokeMessage,
	failureBody:   bedrockFailure,
	streamHeader: http.Header{
		"Content-Type":                {eventstream.MediaType},
		"X-Amzn-Bedrock-Content-Type": {"application/json"},
		"Cache-Control":               {"no-cache"},
		"X-Accel-Buffering":           {"no"},
	},
	pingFrame: new(invokeFrames).appendEvent(nil, messages.Event{Type: messages.Ping}, 0),
	newFrames: func(h http.Header, _ *convert.Conversion) frameWriter {
		return &invokeFrames{anthropic: isAnthropic(h)}
	},
}

// readInvoke reads a body, and rejects the bodies of other model families.
func readInvoke(r *http.Request, data []byte, opt messages.DecodeOptions) (*messages.Body, error) {
	body, err := readBedrock(r, data, opt)
	if err != nil {
		return nil, err
	}
	return body, refuseFamilies(body)
}

// families lists fields that only the bodies of other model families have (docs/reference/bedrock.md §2b, §10). Those
// bodies are not supported.
var families = []struct{ member, family string }{
	{"max_tokens_to_sample", "Claude text completions"},
	{"max_gen_len", "Llama"},
	{"inputText", "Titan"},
	{"textGenerationConfig", "Titan"},
	{"inferenceConfig", "Nova"},
	{"prompt", "text completions"},
}

// refuseFamilies returns an error that names the model family, if the body belongs to another family.
func refuseFamilies(body *messages.Body) error {
	if body.Has("messages") && body.Has("max_tokens") {
		return nil // validation handles other unknown fields
	}
	for _, f := range families {
		if body.Has(f.member) {
			return &messages.InvalidRequestError{
				Fault:   messages.FaultUnknownField,
				Path:    f.member,
				Message: fmt.Sprintf("This is the %s body. Only the Anthropic Messages body is read here: send messages and max_tokens.", f.family),
			}
		}
	}
	return nil
}

// invokeMessage appends a message, and sets the headers with its usage and time
// (docs/reference/bedrock.md §2).
func invokeMessage(h http.Header, dst []byte, _ *convert.Conversion, m *messages.Message, took time.Duration) []byte {
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
	if m.StopReason == messages.StopGuardrail {
		return append(dst, rawjson.WithMembers(m.AppendJSON(nil), intervened)...)
	}
	return m.AppendJSON(dst)
}

// intervened has the fields that an answer gets after a guardrail has intervened.
var intervened = map[string]jsontext.Value{upstream.GuardrailAction: jsontext.Value(`"` + upstream.Intervened + `"`)}

// isAnthropic reports whether the client is one of Anthropic's SDKs, or the Vercel AI SDK with its Anthropic provider.
// These clients expect a stream's failure as an error event in a chunk, and some do not know exceptions. The AWS SDKs
// know only exceptions (docs/reference/clients.md §3).
func isAnthropic(h http.Header) bool {
	product, _, _ := strings.Cut(h.Get("User-Agent"), "/")
	return strings.Contains(product, "Anthropic") || strings.HasPrefix(product, "ai-sdk") || h.Get("X-Stainless-Lang") != ""
}

// invokeFrames writes each event of the Messages API as a chunk: its JSON, in base64, in a frame
// (docs/reference/bedrock.md §3). Bedrock pads its chunks to hide the lengths of words on an encrypted wire. Clients
// ignore the padding, so Dragoman omits it.
type invokeFrames struct {
	anthropic       bool          // the client is one of Anthropic's SDKs: see isAnthropic
	firstEventAfter time.Duration // since the request
	usage           messages.Usage
	stop            messages.Stop

	// All deltas of a block begin with the same long text, which is encoded only once.
	opening        []byte // the beginning of their JSON; its length is a multiple of 3, so its base64 can be reused
	encodedOpening []byte // the encoded beginning of their payload

	// Buffers that every frame reuses.
	data    []byte // the JSON of an event
	payload []byte // of a frame
}

var chunkHeaders = eventstream.EventHeaders("chunk")

func (f *invokeFrames) appendEvent(dst []byte, e messages.Event, took time.Duration) []byte {
	f.data = e.AppendJSON(f.data[:0])
	switch e.Type {
	case messages.MessageStart:
		f.firstEventAfter, f.usage = took, e.Message.Usage
	case messages.ContentBlockStart:
		f.openBlock(&e)
	case messages.MessageDelta:
		f.usage, f.stop = e.Message.Usage, e.Message.StopReason
	case messages.MessageStop:
		if f.stop == messages.StopGuardrail {
			f.data = rawjson.WithMembers(f.data, intervened)
		}
		f.data = rawjson.WithMembers(f.data, map[string]jsontext.Value{"amazon-bedrock-invocationMetrics": f.metricsJSON(took)})
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

// payloadOpening comes before the JSON of an event.
const payloadOpening = `{"bytes":"`

// openBlock encodes the common beginning of all deltas of the block that e starts. Deltas that begin differently, as
// another API's may, are encoded in full.
func (f *invokeFrames) openBlock(e *messages.Event) {
	delta := messages.Event{Type: messages.ContentBlockDelta, Delta: messages.TextDelta, Index: e.Index}
	switch e.Block.Type {
	case messages.BlockToolUse:
		delta.Delta = messages.InputJSONDelta
	case messages.BlockThinking:
		delta.Delta = messages.ThinkingDelta
	}
	opening := bytes.TrimSuffix(delta.AppendJSON(f.opening[:0]), []byte(`"}}`))
	f.opening = opening[:len(opening)/3*3]
	f.encodedOpening = append(f.encodedOpening[:0], payloadOpening...)
	f.encodedOpening = base64.StdEncoding.AppendEncode(f.encodedOpening, f.opening)
}

// appendChunk appends a chunk with f.data.
func (f *invokeFrames) appendChunk(dst []byte) []byte {
	data := f.data
	if rest, ok := bytes.CutPrefix(data, f.opening); ok && len(f.opening) > 0 {
		f.payload = append(f.payload[:0], f.encodedOpening...)
		data = rest
	} else {
		f.payload = append(f.payload[:0], payloadOpening...)
	}
	f.payload = base64.StdEncoding.AppendEncode(f.payload, data)
	f.payload = append(f.payload, `"}`...)
	return eventstream.Append(dst, chunkHeaders, f.payload)
}

// metricsJSON returns the metrics of the last chunk: tokens and milliseconds (docs/reference/bedrock.md §3).
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
		panic(err) // numbers always marshal
	}
	return metrics
}
