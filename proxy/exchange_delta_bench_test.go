package proxy

import (
	"context"
	"encoding/base64"
	"io"
	"net/http"
	"testing"

	"dragoman/upstream"
	"dragoman/upstream/eventstream"
)

// answeringWith returns an HTTP client that gets a body of this type for every request.
func answeringWith(contentType string, body func() io.Reader) *http.Client {
	return &http.Client{Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
		if r.Body != nil {
			r.Body.Close()
		}
		return &http.Response{
			StatusCode: http.StatusOK, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1, Request: r,
			Header: http.Header{"Content-Type": {contentType}}, Body: io.NopCloser(body()),
		}, nil
	})}
}

type roundTrip func(*http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

// deltas is a stream of start, n deltas, and end. One read returns at most atOnce deltas.
type deltas struct {
	start, delta, end string
	n, atOnce         int
	rest              []byte // left over from the last read
}

func (d *deltas) Read(p []byte) (int, error) {
	switch {
	case len(d.rest) > 0:
	case d.start != "":
		d.rest = append(d.rest[:0], d.start...)
		d.start = ""
	case d.n > 0:
		d.rest = d.rest[:0]
		for range min(d.n, d.atOnce) {
			d.rest = append(d.rest, d.delta...)
			d.n--
		}
	case d.end != "":
		d.rest = append(d.rest[:0], d.end...)
		d.end = ""
	default:
		return 0, io.EOF
	}
	n := copy(p, d.rest)
	d.rest = d.rest[:copy(d.rest, d.rest[n:])]
	return n, nil
}

// deltaWire is how an upstream writes the beginning of an answer, one text delta, and the end.
type deltaWire struct {
	contentType, start, delta, end string
	upstream                       func(*http.Client) (Upstream, error)
}

// inFrames returns events in Bedrock's frames.
func inFrames(events ...string) (frames string) {
	for _, e := range events {
		payload := []byte(`{"bytes":"` + base64.StdEncoding.EncodeToString([]byte(e)) + `","p":"abcdefghijklm"}`)
		frames += string(eventstream.Append(nil, eventstream.EventHeaders("chunk"), payload))
	}
	return frames
}

// inSSE returns events as server-sent events.
func inSSE(name bool, events ...string) (stream string) {
	for _, e := range events {
		if name {
			stream += "event: some_event_of_this_name\n"
		}
		stream += "data: " + e + "\n\n"
	}
	return stream
}

func deltaWires(b testing.TB) map[string]deltaWire {
	b.Setenv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE")
	b.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	start := []string{
		`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":100,"output_tokens":1}}}`,
		`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
	}
	const delta = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"sixteen letters "}}`
	end := []string{
		`{"type":"content_block_stop","index":0}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":12}}`,
		`{"type":"message_stop"}`,
	}
	const (
		chatHead = `{"id":"chatcmpl-1","object":"chat.completion.chunk","created":1700000000,"model":"m","choices":[{"index":0,"delta":{`
		chatTail = `},"finish_reason":null}]}`
	)
	return map[string]deltaWire{
		"messages": {
			"text/event-stream", inSSE(true, start...), inSSE(true, delta), inSSE(true, end...),
			func(c *http.Client) (Upstream, error) {
				return upstream.NewAnthropic(upstream.ServerOptions{BaseURL: "http://upstream", HTTPClient: c})
			},
		},
		"bedrock": {
			eventstream.MediaType, inFrames(start...), inFrames(delta), inFrames(end...),
			func(c *http.Client) (Upstream, error) {
				return upstream.NewBedrock(context.Background(), upstream.BedrockOptions{Region: "us-east-1", Endpoint: "http://upstream", HTTPClient: c})
			},
		},
		"chat": {
			"text/event-stream",
			inSSE(false, chatHead+`"role":"assistant","content":""`+chatTail),
			inSSE(false, chatHead+`"content":"sixteen letters "`+chatTail),
			inSSE(false, chatHead+`},"finish_reason":"stop"}]}`, "[DONE]"),
			func(c *http.Client) (Upstream, error) {
				return upstream.NewOpenAI(upstream.ServerOptions{BaseURL: "http://upstream", HTTPClient: c})
			},
		},
	}
}

// BenchmarkDeltaInEventOut measures one text delta on its way from the body of an upstream's answer to the client's
// bytes, without a network. Deltas that are read together are written together. A delta that is read alone is written,
// and flushed, alone.
func BenchmarkDeltaInEventOut(b *testing.B) {
	for name, wire := range deltaWires(b) {
		for _, client := range []struct{ name, path string }{{"sse", "/v1/messages"}, {"frames", "/model/claude-2.1/invoke-with-response-stream"}} {
			for _, reads := range []struct {
				name   string
				atOnce int
			}{{"together", 16}, {"alone", 1}} {
				b.Run("upstream="+name+"/client="+client.name+"/read="+reads.name, func(b *testing.B) {
					var body *deltas
					up, err := wire.upstream(answeringWith(wire.contentType, func() io.Reader { return body }))
					if err != nil {
						b.Fatal(err)
					}
					body = &deltas{start: wire.start, delta: wire.delta, end: wire.end, n: b.N, atOnce: reads.atOnce}
					h := newServer(b, up).Handler()
					r := newRequest("POST", client.path, streamed(question))
					w := &taker{discard: discard{}}
					b.SetBytes(int64(len(wire.delta)))
					b.ReportAllocs()
					b.ResetTimer()
					h.ServeHTTP(w, r)
					if w.bytes < 16*b.N {
						b.Fatalf("%d bytes of answer to %d deltas", w.bytes, b.N)
					}
				})
			}
		}
	}
}

// taker is a client that accepts everything, and counts it.
type taker struct {
	discard
	bytes int
}

func (c *taker) Write(p []byte) (int, error) {
	c.bytes += len(p)
	return len(p), nil
}
