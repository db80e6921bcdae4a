package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"

	"dragoman/cmd/dragoman/internal/serve"
)

// openAnswer is a streamed answer after its first bytes.
type openAnswer struct {
	name  string
	first []byte
	body  io.Reader
	check func(answer []byte) error // checks that it ends with an error about the shutdown
}

// clientAPIs are the ways to ask for a stream, with the form of a cut answer.
var clientAPIs = []struct {
	name, path, body string
	check            func(answer []byte) error
}{
	{"messages", "/v1/messages", streaming, cutMessages},
	{"vertex", "/v1/projects/p/locations/l/publishers/anthropic/models/m:streamRawPredict", weatherRequest, cutMessages},
	{"invoke", "/model/m/invoke-with-response-stream", weatherRequest, cutEventStream},
	{"converse", "/model/m/converse-stream", `{"messages":[{"role":"user","content":[{"text":"Weather in Oslo?"}]}]}`, cutEventStream},
}

// cutMessages checks a stream of server-sent events.
func cutMessages(answer []byte) error {
	events := bytes.Split(bytes.TrimSuffix(answer, []byte("\n\n")), []byte("\n\n"))
	last := events[len(events)-1]
	if !bytes.HasSuffix(answer, []byte("\n\n")) || !bytes.HasPrefix(last, []byte("event: error\n")) || !bytes.Contains(last, []byte("overloaded_error")) || bytes.Contains(answer, []byte("message_stop")) {
		return fmt.Errorf("the stream ended with %s", last)
	}
	return nil
}

// cutEventStream checks a stream of AWS frames.
func cutEventStream(answer []byte) error {
	var last eventstream.Message
	for r := bytes.NewReader(answer); ; {
		m, err := eventstream.NewDecoder().Decode(r, nil)
		if err == io.EOF {
			break
		}
		if err != nil {
			return err
		}
		var chunk struct{ Bytes string }
		_ = json.Unmarshal(m.Payload, &chunk)
		event, _ := base64.StdEncoding.DecodeString(chunk.Bytes)
		if kind := m.Headers.Get(":event-type"); kind != nil && kind.String() == "messageStop" || bytes.Contains(event, []byte("message_stop")) {
			return fmt.Errorf("the answer looks whole: %s", m.Payload)
		}
		last = m
	}
	if got := last.Headers.Get(":exception-type"); got == nil || got.String() != "serviceUnavailableException" {
		return fmt.Errorf("the last frame is %v: %s", last.Headers, last.Payload)
	}
	return nil
}

// speaking returns a client for one version of HTTP, without TLS.
func speaking(t *testing.T, version int) *http.Client {
	transport := &http.Transport{Protocols: new(http.Protocols)}
	transport.Protocols.SetHTTP1(version == 1)
	transport.Protocols.SetUnencryptedHTTP2(version == 2)
	t.Cleanup(transport.CloseIdleConnections)
	return &http.Client{Transport: transport}
}

// openAnswers opens this many streams of each client API over each version of HTTP.
func openAnswers(t *testing.T, url string, each int) (open []openAnswer) {
	t.Helper()
	for _, version := range []int{1, 2} {
		c := speaking(t, version)
		for _, api := range clientAPIs {
			for range each {
				response, err := c.Post(url+api.path, "application/json", strings.NewReader(api.body))
				if err != nil {
					t.Fatal(err)
				}
				t.Cleanup(func() { response.Body.Close() })
				first := make([]byte, 10)
				if _, err := io.ReadFull(response.Body, first); err != nil || response.StatusCode != http.StatusOK {
					t.Fatalf("%s: %s, %v", api.name, response.Status, err)
				}
				open = append(open, openAnswer{fmt.Sprintf("HTTP/%d %s", version, api.name), first, response.Body, api.check})
			}
		}
	}
	return open
}

// awaitCuts reads all answers to their ends, and checks that each says that it was cut. It returns how long that took.
func awaitCuts(t *testing.T, open []openAnswer) time.Duration {
	t.Helper()
	began := time.Now()
	for _, o := range open {
		rest, err := io.ReadAll(o.body)
		if err == nil {
			err = o.check(append(o.first, rest...))
		}
		if err != nil {
			t.Errorf("%s: %v", o.name, err)
		}
	}
	return time.Since(began)
}

// stalled asks for an endless stream, and reads only its beginning.
func stalled(t *testing.T, url string, version int) {
	t.Helper()
	response, err := speaking(t, version).Post(url+"/v1/messages", "application/json", strings.NewReader(strings.Replace(streaming, "Oslo", "flood", 1)))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { response.Body.Close() })
}

// newFlood returns a slowModel that writes without end if asked for a flood. full gets a value when nobody has read for
// a moment.
func newFlood(t *testing.T) (m *slowModel, full chan struct{}) {
	m, full = newSlowModel(t), make(chan struct{}, 10)
	calm := m.Config.Handler
	m.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		r.Body = io.NopCloser(bytes.NewReader(body))
		if !bytes.Contains(body, []byte("flood")) {
			calm.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		sse(w, "message_start", `{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","model":"m","content":[],"stop_reason":null,"stop_sequence":null,"usage":{"input_tokens":1,"output_tokens":1}}}`)
		sse(w, "content_block_start", `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`)
		word := fmt.Sprintf(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":%q}}`, strings.Repeat("rain ", 1000))
		for r.Context().Err() == nil {
			stuck := time.AfterFunc(300*time.Millisecond, func() { full <- struct{}{} })
			sse(w, "content_block_delta", word)
			stuck.Stop()
		}
	})
	return m, full
}

// At the end of a drain every open stream gets an error in its own API, before whoever waits for the drain would kill
// the process. Clients that do not read do not delay the others.
func TestDrainCutsEveryStream(t *testing.T) {
	const drain = 5 * time.Second
	model, full := newFlood(t)
	server := start(t, nil, "--config", model.config(t, "drain: "+drain.String()))
	for _, version := range []int{1, 2} {
		stalled(t, server.url, version)
		<-full
	}
	open := openAnswers(t, server.url, 7)
	began := time.Now()
	server.stop()
	awaitCuts(t, open)
	if took := time.Since(began); took < drain-serve.Farewell || took > drain {
		t.Errorf("the streams were cut %v after the signal", took)
	}
	server.await(t, "the time was up")
	if code := <-server.code; code != 1 {
		t.Errorf("exit code %d, want 1", code)
	}
	if took := time.Since(began); took > drain+time.Second {
		t.Errorf("the drain took %v", took)
	}
}

// A second signal cuts every open stream at once, and a third one ends the process.
func TestSignals(t *testing.T) {
	model, full := newFlood(t)
	server := startProgram(t, model.config(t, "drain: 10m"))
	stalled(t, server.url, 1)
	<-full
	open := openAnswers(t, server.url, 7)
	server.terminate(t)
	server.await(t, secondSignal)
	server.terminate(t)
	if took := awaitCuts(t, open); took > time.Second {
		t.Errorf("the streams ended %v after the second signal", took)
	}
	server.terminate(t)
	_ = server.command.Wait()
	if status := server.command.ProcessState.Sys().(syscall.WaitStatus); status.Signal() != syscall.SIGTERM {
		t.Errorf("the program ended with %v", server.command.ProcessState)
	}
}
