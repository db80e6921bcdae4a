package upstream

import (
	"net"
	"net/http"
	"testing"
	"time"

	awshttp "github.com/aws/aws-sdk-go-v2/aws/transport/http"
	"github.com/aws/aws-sdk-go-v2/config"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// connection has the settings of a transport, except the time to connect.
type connection struct {
	Compression  bool
	HTTP2        http.HTTP2Config
	Idle         int
	IdleTimeout  time.Duration
	AttemptHTTP2 bool
}

func connectionOf(t *http.Transport) connection {
	return connection{!t.DisableCompression, *t.HTTP2, t.MaxIdleConnsPerHost, t.IdleConnTimeout, t.ForceAttemptHTTP2}
}

// All connections have the same settings, whatever the time to connect is.
func TestConnect(t *testing.T) {
	want := connection{HTTP2: http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingAfter}, Idle: idleConns, IdleTimeout: idleConnTimeout, AttemptHTTP2: true}
	for connect, timeout := range map[time.Duration]time.Duration{0: DefaultConnect, time.Minute: time.Minute} {
		var load config.LoadOptions
		for _, set := range (BedrockOptions{Connect: Connect(connect)}).load() {
			if err := set(&load); err != nil {
				t.Fatal(err)
			}
		}
		bedrock := load.HTTPClient.(*awshttp.BuildableClient)
		if got := bedrock.GetDialer().Timeout; got != timeout {
			t.Errorf("%v to connect to Bedrock, want %v", got, timeout)
		}
		var dialer net.Dialer
		if Connect(connect).dialer(&dialer); dialer.Timeout != timeout {
			t.Errorf("%v to connect, want %v", dialer.Timeout, timeout)
		}
		for name, transport := range map[string]*http.Transport{
			"bedrock": bedrock.GetTransport(),
			"others":  clientOf(nil, Connect(connect), nil).Transport.(*http.Transport),
		} {
			if transport.TLSHandshakeTimeout != timeout {
				t.Errorf("%s: %v for a handshake, want %v", name, transport.TLSHandshakeTimeout, timeout)
			}
			if diff := cmp.Diff(want, connectionOf(transport), cmpopts.IgnoreUnexported(http.HTTP2Config{})); diff != "" {
				t.Errorf("%s: %s", name, diff)
			}
		}
	}
}
