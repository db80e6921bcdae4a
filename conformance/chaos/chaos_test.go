// Package chaos applies every fault to an answer of every upstream at every moment, and compares what the
// client gets with docs/reference/faults.md.
//
// A cell of the matrix is a proxy with its upstream and its client, with its own network and its own time.
// [testing/synctest] makes slow answers cost no real time, and fails the test if a goroutine stays. The
// upstream is a working server. The fault is in the bytes that it sends.
package chaos

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/rs/zerolog"
	"go.uber.org/goleak"

	"dragoman/conformance/answer"
	"dragoman/proxy"
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/upstream"
	"dragoman/upstream/upstreamtest"
)

// TestMain hides this machine's own configuration from the AWS SDK.
func TestMain(m *testing.M) {
	for name, value := range map[string]string{
		"AWS_ACCESS_KEY_ID":           "AKIDEXAMPLE",
		"AWS_SECRET_ACCESS_KEY":       "secret",
		"AWS_CONFIG_FILE":             os.DevNull,
		"AWS_SHARED_CREDENTIALS_FILE": os.DevNull,
		"AWS_EC2_METADATA_DISABLED":   "true",
	} {
		os.Setenv(name, value)
	}
	for _, name := range []string{"AWS_PROFILE", "AWS_SESSION_TOKEN", "AWS_BEARER_TOKEN_BEDROCK", "AWS_REGION", "AWS_DEFAULT_REGION", "AWS_CA_BUNDLE"} {
		os.Unsetenv(name)
	}
	goleak.VerifyTestMain(m)
}

// canary is in everything that must not be logged: every text of the client and of the model, and every key.
const canary = "canary"

// The model's answer: a text and a call.
const (
	saidText  = "Let me look that up for you, my canary, and tell you how it is."
	saidValue = "the canary is a bird of the Canaries"
	openCall  = "\n\n<function_calls>\n<invoke>\n<tool_name>note</tool_name>\n<parameters>\n<text>"
	closeCall = "</text>\n</parameters>\n</invoke>\n"
	completed = saidText + openCall + saidValue + closeCall
	pieces    = 15
)

const question = `{"model":"claude-2.1","max_tokens":100,"stream":%t,"system":"Mind the canary.","messages":[{"role":"user","content":"How is the canary?"}],` +
	`"tools":[{"name":"note","description":"Notes a canary","input_schema":{"type":"object","properties":{"text":{"type":"string"}},"required":["text"]}}]}`

// cell is one case of the matrix.
type cell struct {
	wire   wire
	fault  *fault
	stream bool
	http2  bool // between client and proxy
}

// limits are longer than the defaults, because a byte a second is a good answer here.
var limits = proxy.Timeouts{FirstByte: 20 * time.Minute, Idle: 20 * time.Minute, Total: 12 * time.Hour}

// run runs the cell, and returns what its client gets. It also returns the number of writes of the upstream,
// which the cells without a fault need.
func (c cell) run(t *testing.T) (outcome string, writes int) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t, c)
		ctx, cancel := context.WithCancel(t.Context())
		defer cancel()
		var left time.Time
		if c.fault != nil {
			c.fault.left = func() { left = time.Now(); cancel() }
		}
		a, attempts, err := n.ask(ctx, c)
		synctest.Wait()
		n.upstreams.CloseIdleConnections()
		synctest.Wait()
		if open := n.host.open.Load(); open != 0 {
			t.Errorf("%d connections to the upstream stay open", open)
		}
		switch {
		case !left.IsZero():
			if late := time.Since(left); late > 0 {
				t.Errorf("the upstream was left %v after the client had gone", late)
			}
			outcome = "left at once"
		case err != nil:
			t.Error(err)
		default:
			outcome = outcomeOf(t, a, c.fault != nil && c.fault.kind == duplicate)
			if attempts != "1" {
				outcome += ", asked " + attempts + " times"
			}
		}
		writes = n.host.writes
		if strings.Contains(n.log.String(), canary) {
			t.Errorf("the log has words of the request or the answer, or a key:\n%s", &n.log)
		}
	})
	return outcome, writes
}

// outcomeOf describes the client's answer. If the answer looks complete, it must be. Events have no numbers
// on any wire, so a client may read duplicated bytes twice.
func outcomeOf(t *testing.T, a *answer.Answer, twice bool) string {
	t.Helper()
	switch {
	case a.Status != http.StatusOK:
		return fmt.Sprintf("%d `%s`", a.Status, a.Failure)
	case a.Failure != "":
		return extent(a) + ", then `" + a.Failure + "`"
	case a.Text == saidText && a.Call == `{"text":"`+saidValue+`"}` && a.Stop == string(messages.StopToolUse):
		return "whole"
	case !twice:
		t.Errorf("an answer looks whole: %q %s %s", a.Text, a.Call, a.Stop)
	}
	return "whole, the piece twice"
}

// extent describes how much arrived.
func extent(a *answer.Answer) string {
	switch {
	case a.Closed:
		return "text, the call"
	case a.Called:
		return "text, a part of the call"
	case a.Text != "":
		return "text"
	}
	return "no text"
}

// network has the servers of a cell.
type network struct {
	host      *host // of the upstream
	upstreams *http.Client
	clients   *http.Client
	log       bytes.Buffer
}

// newNetwork starts the servers of a cell. They end with the test.
func newNetwork(t *testing.T, c cell) *network {
	t.Helper()
	n := &network{host: newHost(c.fault)}
	grants, front := newHost(nil), newHost(nil)
	n.upstreams = &http.Client{Transport: &http.Transport{
		DisableCompression: true,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			if strings.HasPrefix(address, "tokens.") {
				return grants.dial(ctx, network, address)
			}
			return n.host.dial(ctx, network, address)
		},
	}}
	said := upstreamtest.Completion{Text: completed + "</function_calls>", Pieces: pieces}
	fake := c.wire.serve(upstreamtest.Answer(said))
	serve(t, fake, n.host, grants)

	up, err := c.wire.dial(t, n.upstreams)
	if err != nil {
		t.Fatal(err)
	}
	model := proxy.UpstreamModel{Upstream: "east", Kind: c.wire.kind, ModelOptions: translate.ModelOptions{Family: "claude"}, Wire: c.wire.wire, Model: c.wire.model, Tools: c.wire.tools, Features: upstream.Override{With: upstream.Prefill}}
	server, err := proxy.New(proxy.Options{
		Routes:    []proxy.Route{{Name: "claude-*", UpstreamModel: model}},
		Upstreams: map[string]proxy.Upstream{"east": up},
		Keys:      []proxy.Key{proxy.NewKey("canary-key-of-the-client")},
		Timeouts:  limits,
		Log:       zerolog.New(&n.log),
	})
	if err != nil {
		t.Fatal(err)
	}
	serve(t, server.Handler(), front)
	n.clients = &http.Client{Transport: &http.Transport{DialContext: front.dial, Protocols: protocols(c.http2)}}
	t.Cleanup(n.clients.CloseIdleConnections)
	return n
}

// serve makes the handler answer at these hosts until the test ends.
func serve(t *testing.T, h http.Handler, hosts ...*host) {
	both := protocols(true)
	both.SetHTTP1(true)
	server := &http.Server{Handler: h, Protocols: both, ErrorLog: log.New(new(bytes.Buffer), "", 0)}
	for _, h := range hosts {
		go server.Serve(h)
	}
	t.Cleanup(func() { server.Close() })
}

// protocols returns HTTP/2 without TLS, or HTTP/1.1.
func protocols(http2 bool) *http.Protocols {
	p := new(http.Protocols)
	p.SetHTTP1(!http2)
	p.SetUnencryptedHTTP2(http2)
	return p
}

// ask sends the question and reads the answer. It returns an error if there is no answer, or if the answer
// breaks the rules. attempts is the number of calls of the upstream, from the response header.
func (n *network) ask(ctx context.Context, c cell) (a *answer.Answer, attempts string, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://proxy.test/v1/messages", strings.NewReader(fmt.Sprintf(question, c.stream)))
	if err != nil {
		return nil, "", err
	}
	r.Header.Set("x-api-key", "canary-key-of-the-client")
	res, err := n.clients.Do(r)
	if err != nil {
		return nil, "", err
	}
	defer res.Body.Close()
	if c.http2 != (res.ProtoMajor == 2) {
		return nil, "", errors.New("answered over " + res.Proto)
	}
	a, err = answer.Read(res, answer.Messages, c.stream)
	return a, res.Header.Get("x-dragoman-attempts"), err
}
