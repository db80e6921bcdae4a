package main

import (
	"bufio"
	"context"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"dragoman/conformance"
)

// The tests in this file measure the program from outside, and should run alone on the machine. Their bounds
// still leave room. The log has the measurements.
var bounds = flag.Bool("bounds", false, "measure the program, which takes a minute and a half")

// begin runs the program in front of this upstream of the Messages API.
func begin(t *testing.T, up http.Handler) *program {
	t.Helper()
	if !*bounds {
		t.Skip("-bounds is not set")
	}
	folder := t.TempDir()
	binary, err := conformance.Build(folder)
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(up)
	t.Cleanup(server.Close)
	p, err := start(binary, folder, &upstreams{anthropic: server.URL, bedrock: server.URL, vertex: server.URL, openai: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		server.CloseClientConnections()
		if err := p.stop(); err != nil {
			t.Error(err)
		}
	})
	return p
}

// streaming is an upstream that streams the results of next, piece by piece, until next returns "".
func streaming(next func(n int) string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("content-type", "text/event-stream")
		event := func(name, rest string) {
			fmt.Fprintf(w, "event: %s\ndata: {\"type\":\"%s\"%s}\n\n", name, name, rest)
			w.(http.Flusher).Flush()
		}
		event("message_start", `,"message":{"id":"m","type":"message","role":"assistant","model":"m","content":[],"usage":{"input_tokens":1,"output_tokens":1}}`)
		event("content_block_start", `,"index":0,"content_block":{"type":"text","text":""}`)
		for n := 0; r.Context().Err() == nil; n++ {
			text := next(n)
			if text == "" {
				break
			}
			event("content_block_delta", fmt.Sprintf(`,"index":0,"delta":{"type":"text_delta","text":%q}`, text))
		}
		event("content_block_stop", `,"index":0`)
		event("message_delta", `,"delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":1}`)
		event("message_stop", "")
	})
}

// ask sends a request for a stream.
func ask(ctx context.Context, p *program) (*http.Response, error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, p.url+"/v1/messages", strings.NewReader(`{"model":"on-anthropic","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"Hi"}]}`))
	if err != nil {
		return nil, err
	}
	r.Header.Set("x-api-key", clientKey)
	return http.DefaultClient.Do(r)
}

// percentile99 returns the duration that 99 of 100 durations do not exceed.
func percentile99(all []time.Duration) time.Duration {
	slices.Sort(all)
	return all[len(all)*99/100]
}

// With 100 open streams, text reaches the client at once (R7 requires 5 ms for 99 of 100 pieces).
func TestPromptnessOfManyStreams(t *testing.T) {
	p := begin(t, streaming(func(n int) string {
		if n == 60 {
			return ""
		}
		time.Sleep(50 * time.Millisecond) // the pace of the model
		return strconv.FormatInt(time.Now().UnixNano(), 10)
	}))
	var mu sync.Mutex
	var delays []time.Duration
	var asking sync.WaitGroup
	for range 100 {
		asking.Go(func() {
			res, err := ask(t.Context(), p)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			for lines := bufio.NewScanner(res.Body); lines.Scan(); {
				_, text, found := strings.Cut(lines.Text(), `"text_delta","text":"`)
				if !found {
					continue
				}
				sent, err := strconv.ParseInt(strings.TrimRight(text, `"}`), 10, 64)
				if err != nil {
					t.Error(err)
					return
				}
				mu.Lock()
				delays = append(delays, time.Since(time.Unix(0, sent)))
				mu.Unlock()
			}
		})
	}
	asking.Wait()
	if len(delays) != 100*60 {
		t.Fatalf("%d pieces", len(delays))
	}
	late := percentile99(delays)
	t.Logf("of %d pieces the median took %v, and 99 of 100 at most %v", len(delays), delays[len(delays)/2], late)
	if late > 100*time.Millisecond {
		t.Errorf("99 of 100 pieces took at most %v", late)
	}
}

// Clients that read answers of 16 MB at 1 KB a second take little memory, and are given up after write_stall,
// here 20 s (R14 requires 256 KB for each).
func TestSlowReaders(t *testing.T) {
	piece := strings.Repeat("x", 16<<10)
	p := begin(t, streaming(func(n int) string {
		if n == 1<<10 {
			return ""
		}
		return piece
	}))
	const readers = 20
	before, err := p.measure()
	if err != nil {
		t.Fatal(err)
	}
	var reading sync.WaitGroup
	for range readers {
		reading.Go(func() {
			res, err := ask(t.Context(), p)
			if err != nil {
				t.Error(err)
				return
			}
			defer res.Body.Close()
			tick := time.NewTicker(time.Second)
			defer tick.Stop()
			for range 15 {
				<-tick.C
				_, _ = io.CopyN(io.Discard, res.Body, 1<<10)
			}
		})
	}
	var most float64
	for range 12 {
		time.Sleep(time.Second) // the clients' pace
		s, err := p.measure()
		if err != nil {
			t.Fatal(err)
		}
		most = max(most, s.heap-before.heap)
	}
	reading.Wait()
	t.Logf("the heap grew by %.0f KB for each of %d", most/1e3/readers, readers)
	if most > readers*1e6 {
		t.Errorf("the heap grew by %.0f KB for each of %d", most/1e3/readers, readers)
	}
}

// dripping sends the head and then a byte a second. It returns how long it took until the server closed the
// connection.
func dripping(address, head string, limit time.Duration) (time.Duration, error) {
	conn, err := net.Dial("tcp", address)
	if err != nil {
		return 0, err
	}
	defer conn.Close()
	began := time.Now()
	closed := make(chan struct{})
	go func() {
		defer close(closed)
		_, _ = io.Copy(io.Discard, conn)
	}()
	if _, err := io.WriteString(conn, head); err != nil {
		return 0, err
	}
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	for time.Since(began) < limit {
		select {
		case <-closed:
			return time.Since(began), nil
		case <-tick.C:
			_, _ = conn.Write([]byte("a")) // closed tells when the connection ends
		}
	}
	conn.Close()
	<-closed
	return limit, fmt.Errorf("open after %v", limit)
}

// 5,000 connections drip heads and bodies. The server closes the ones with heads after 10 s and the ones with
// bodies after 60 s, and answers other clients in the meantime (R28).
func TestDrippingConnections(t *testing.T) {
	p := begin(t, streaming(func(n int) string { return []string{"Hi", ""}[n] }))
	answered := func(n int) time.Duration {
		var took []time.Duration
		for range n {
			began := time.Now()
			res, err := ask(t.Context(), p)
			if err != nil {
				t.Fatal(err)
			}
			if data, err := io.ReadAll(res.Body); err != nil || !strings.Contains(string(data), "message_stop") {
				t.Fatalf("%v: %s", err, data)
			}
			res.Body.Close()
			took = append(took, time.Since(began))
		}
		return percentile99(took)
	}
	before := answered(2000)

	address := strings.TrimPrefix(p.url, "http://")
	var mu sync.Mutex
	longest := map[string]time.Duration{}
	var open sync.WaitGroup
	for n := range 5000 {
		name, head, limit := "head", "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nX-A: ", 15*time.Second
		if n%2 == 0 {
			name, head, limit = "body", "POST /v1/messages HTTP/1.1\r\nHost: localhost\r\nX-Api-Key: "+clientKey+"\r\nContent-Length: 1000\r\n\r\n{", 70*time.Second
		}
		open.Go(func() {
			took, err := dripping(address, head, limit)
			if err != nil {
				t.Error(name, err)
			}
			mu.Lock()
			defer mu.Unlock()
			longest[name] = max(longest[name], took)
		})
	}
	meanwhile := answered(2000)
	open.Wait()
	t.Logf("99 of 100 are answered in %v, and in %v meanwhile; the last are closed after: %v", before, meanwhile, longest)
}
