package proxy

import (
	"context"
	"io"
	"math"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"dragoman/upstream"
	"dragoman/upstream/eventstream"
)

// While an answer streams, Dragoman keeps only as much of its request as it needs to ask the model again: not the body,
// the decoded request, the prompt, or the body that it sent.
func TestOpenStreamForgetsRequest(t *testing.T) {
	const long = 4 << 20 // bytes of text in the request
	text := strings.Repeat("What is the weather ", long/20)
	asked := strings.Replace(streamed(question), "What is the weather", text, 1)
	with := func(members string) string { return `{` + members + `,` + asked[1:] }
	without := func(features upstream.Features) func(*Options) {
		return func(o *Options) { o.Routes[0].Features = upstream.Override{Without: features} }
	}
	plain := without(upstream.Prefill)
	wires := deltaWires(t)
	converse := wires["bedrock"]
	converse.start = string(eventstream.Append(nil, eventstream.EventHeaders("messageStart"), []byte(`{"role":"assistant"}`)))
	converse.delta = string(eventstream.Append(nil, eventstream.EventHeaders("contentBlockDelta"), []byte(`{"contentBlockIndex":0,"delta":{"text":"sixteen letters "}}`)))
	wires["converse"] = converse
	for name, tt := range map[string]struct {
		wire, path, body string
		change           func(*Options)
		most             int // limit of the bytes in memory
	}{
		"messages": {"messages", "/v1/messages", asked, plain, long / 2},
		"bedrock":  {"bedrock", "/v1/messages", asked, plain, long / 2},
		"converse": {"converse", "/v1/messages", asked, func(o *Options) { plain(o); o.Routes[0].Model = "us.amazon.nova-pro-v1:0" }, long / 2},
		"chat":     {"chat", "/v1/messages", asked, plain, long / 2},
		"of a client of Bedrock": {
			"messages", "/model/claude-2.1/converse-stream", `{"messages":[{"role":"user","content":[{"text":"` + text + `"}]}]}`, plain, long / 2,
		},
		"tool API": {"messages", "/v1/messages", asked, withTools(ToolsNative), long / 2},
		"no call may come, and text has": {
			"messages", "/v1/messages", with(`"tool_choice":{"type":"none"}`), plain, long / 2,
		},
		"answers results": {
			"messages", "/v1/messages", strings.Replace(withResult(streamed(question)), "What is the weather", text, 1), plain, long / 2,
		},
		"goes on from a prefill": { // with the prompt
			"messages", "/v1/messages", asked, func(*Options) {}, long * 3 / 2,
		},
	} {
		t.Run(name, func(t *testing.T) {
			wire := wires[tt.wire]
			release := make(chan struct{})
			fake := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", wire.contentType)
				_, _ = io.WriteString(w, wire.start+wire.delta)
				_ = http.NewResponseController(w).Flush()
				<-release
			}))
			defer fake.Close()
			defer close(release)
			transport := &http.Transport{DialContext: func(ctx context.Context, network, _ string) (net.Conn, error) {
				return new(net.Dialer).DialContext(ctx, network, fake.Listener.Addr().String())
			}}
			defer transport.CloseIdleConnections()
			up, err := wire.upstream(&http.Client{Transport: transport})
			if err != nil {
				t.Fatal(err)
			}
			front := listen(t, newServer(t, up, tt.change))
			address := front.Listener.Addr().String()
			// Afterwards, everything that requests share is in memory.
			defer openStream(t, address, tt.path, strings.Replace(tt.body, text, "hi", 1))()
			before, _ := inUse()
			defer openStream(t, address, tt.path, tt.body)()
			kept := math.Inf(1)
			// The transport may not have noticed yet that it has sent the body.
			for end := time.Now().Add(10 * time.Second); kept > float64(tt.most) && time.Now().Before(end); {
				after, _ := inUse()
				kept = after - before
			}
			if kept > float64(tt.most) {
				t.Errorf("%.1f MiB are kept of a request of %.1f MiB", kept/(1<<20), float64(len(tt.body))/(1<<20))
			}
		})
	}
}
