package main

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"
)

var statusLine = regexp.MustCompile(`HTTP/1\.[01] (\d{3})`)

// exchangeRaw writes bytes to an address, and reads until the server closes the connection or is silent for a while. It
// returns the statuses of the answers, and whether the connection was closed.
func exchangeRaw(t *testing.T, address string, sent ...string) (statuses string, closed bool) {
	t.Helper()
	conn, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	for _, piece := range sent {
		if _, err := io.WriteString(conn, piece); err != nil {
			break // the server has already rejected it
		}
	}
	var answer bytes.Buffer
	for buffer := make([]byte, 64<<10); ; {
		_ = conn.SetReadDeadline(time.Now().Add(2 * time.Second))
		n, err := conn.Read(buffer)
		answer.Write(buffer[:n])
		if err != nil {
			closed = !os.IsTimeout(err)
			break
		}
	}
	var list []string
	for _, m := range statusLine.FindAllStringSubmatch(answer.String(), -1) {
		list = append(list, m[1])
	}
	return strings.Join(list, " "), closed
}

// What net/http makes of requests whose end another server may see elsewhere (SECURITY.md, "Request smuggling"):
// it refuses them, and never answers what is behind them, or it reads them to one end.
func TestSmuggling(t *testing.T) {
	server := start(t, nil, "--config", keyed(t, "attempts: 1"))
	go func() {
		for range server.log { // keep the channel from filling up
		}
	}()
	address := strings.TrimPrefix(server.url, "http://")
	const (
		body     = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`
		head     = "POST /v1/messages HTTP/1.1\r\nHost: x\r\nX-Api-Key: a-key-of-the-tests\r\n"
		smuggled = "GET /v1/models HTTP/1.1\r\nHost: x\r\nX-Api-Key: a-key-of-the-tests\r\n\r\n"
		te       = "Transfer-Encoding: chunked\r\n"
	)
	length := fmt.Sprintf("Content-Length: %d\r\n", len(body))
	chunks := fmt.Sprintf("%x\r\n%s\r\n0\r\n\r\n", len(body), body)
	t.Run("in order", func(t *testing.T) {
		for _, sent := range []string{head + length + "\r\n" + body, head + te + "\r\n" + chunks} {
			if got, closed := exchangeRaw(t, address, sent+smuggled+"GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"); got != "200 200 200" || !closed {
				t.Errorf("%s, closed %v: %q", got, closed, sent)
			}
		}
	})
	for _, tt := range []struct{ name, sent, want string }{
		{"CL with TE", head + length + te + "\r\n" + chunks, "200"},
		{"TE with CL", head + te + "Content-Length: 5\r\n\r\n" + chunks, "200"},
		{"two CL", head + length + "Content-Length: 5\r\n\r\n" + body, "400"},
		{"the same CL twice", head + length + length + "\r\n" + body, "200"},
		{"a list of CL", head + fmt.Sprintf("Content-Length: %d, %[1]d\r\n\r\n%s", len(body), body), "400"},
		{"CL with a sign", head + fmt.Sprintf("Content-Length: +%d\r\n\r\n%s", len(body), body), "400"},
		{"CL below nothing", head + "Content-Length: -1\r\n\r\n" + body, "400"},
		{"two TE", head + te + te + "\r\n" + chunks, "501"},
		{"another TE", head + "Transfer-Encoding: xchunked\r\n\r\n" + chunks, "501"},
		{"TE with a space", head + "Transfer-Encoding : chunked\r\n\r\n" + chunks, "400"},
		{"TE of HTTP/1.0", strings.Replace(head, "1.1", "1.0", 1) + "Connection: keep-alive\r\n" + te + "\r\n" + chunks, "400 400"},
		{"CL with TE of HTTP/1.0", strings.Replace(head, "1.1", "1.0", 1) + "Connection: keep-alive\r\n" + length + te + "\r\n" + body, "200"},
		{"obs-fold", head + "X-A: b\r\n c\r\n" + length + "\r\n" + body, "200"},
		{"a folded TE", head + "Transfer-Encoding:\r\n chunked\r\n\r\n" + chunks, "200"},
		{"bare LF", strings.ReplaceAll(head+length+"\r\n", "\r", "") + body, "200"},
		{"bare LF of one field", head + "X-A: b\n" + length + "\r\n" + body, "200"},
		{"bare LF of the request line", strings.Replace(head, "\r\n", "\n", 1) + length + "\r\n" + body, "200"},
		{"bare CR", head + "X-A: b\rX-B: c\r\n" + length + "\r\n" + body, "400"},
		{"bare LF of a chunk", head + te + "\r\n" + strings.Replace(chunks, "\r\n", "\n", 1), "400"},
		{"a chunk size with 0x", head + te + "\r\n0x" + chunks, "400"},
		{"a chunk size with a sign", head + te + "\r\n+" + chunks, "400"},
		{"a chunk size that overflows", head + te + "\r\n1" + strings.Repeat("0", 15) + chunks, "400"},
		{"a chunk without a size", head + te + "\r\n\r\n" + chunks, "400"},
		{"a chunk that is too short", head + te + "\r\n5\r\n" + body + "\r\n0\r\n\r\n", "400"},
		{"a space before the colon", head + "X-A : b\r\n" + length + "\r\n" + body, "400"},
		{"NUL in a value", head + "X-A: b\x00\r\n" + length + "\r\n" + body, "400"},
		{"NUL in a name", head + "X-\x00A: b\r\n" + length + "\r\n" + body, "400"},
		{"a line without a colon", head + "X-A\r\n" + length + "\r\n" + body, "400"},
		{"two hosts", strings.Replace(head, "Host: x\r\n", "Host: x\r\nHost: y\r\n", 1) + length + "\r\n" + body, "400"},
		{"HTTP/0.9", "GET /\r\n", "400"},
		{"bare LF of a trailer", head + te + "\r\n" + strings.TrimSuffix(chunks, "\r\n") + "X-A: b\n\r\n", "200"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			isRead, end := tt.want == "200", "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
			if isRead {
				tt.want = "200 200 200" // including what follows
			}
			if got, closed := exchangeRaw(t, address, tt.sent+smuggled+end); got != tt.want || !closed {
				t.Errorf("%s, closed %v", got, closed)
			}
			if got, closed := exchangeRaw(t, address, strings.SplitAfter(tt.sent+smuggled+end, "")...); got != tt.want || !closed {
				t.Errorf("byte by byte: %s, closed %v", got, closed)
			}
			// If everything is sent at once, the rest may look as if the client had left, and is not answered.
			if got, closed := exchangeRaw(t, address, smuggled, tt.sent+smuggled+end); got != "200 "+tt.want && (isRead || got != "200") || !closed {
				t.Errorf("behind a request: %s, closed %v", got, closed)
			}
		})
	}
	t.Run("a head that is too large", func(t *testing.T) {
		if got, _ := exchangeRaw(t, address, head+"X-A: "+strings.Repeat("a", 80<<10)+"\r\n\r\n"+smuggled); got != "431" {
			t.Error(got)
		}
	})
}

// However a path is written, no request without a key gets through, and with a key the path means what it says.
func TestRawPaths(t *testing.T) {
	server := start(t, nil, "--config", keyed(t, "attempts: 1"))
	go func() {
		for range server.log {
		}
	}()
	address := strings.TrimPrefix(server.url, "http://")
	const body = `{"model":"m","anthropic_version":"vertex-2023-10-16","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`
	invoked := strings.Replace(body, `"model":"m",`, "", 1)
	for _, tt := range []struct{ path, body, without, with string }{
		{"/v1/messages", body, "401", "200"},
		{"//v1/messages", body, "401", "200"},
		{"/v1//messages", body, "401", "200"},
		{"///v1///messages//count_tokens", body, "401", "200"},
		{"http://x/v1/messages", body, "401", "200"},
		{"http://other.example//v1/messages", body, "401", "200"},
		{"/v1/messages/", body, "401", "404"},
		{"/v1/../v1/messages", body, "401", "404"},
		{"/../v1/messages", body, "401", "404"},
		{"/v1/%2e%2e/v1/messages", body, "401", "404"},
		{"/v1/./messages", body, "401", "404"},
		{"/v1%2Fmessages", body, "401", "404"},
		{"/v1/%2Fmessages", body, "401", "404"},
		{"/model/a%2F%2Fb/invoke", invoked, "403", "200"},
		{"//model/a%2Fb/invoke", invoked, "403", "200"},
		{"/model/..%2F..%2Fv1/invoke", invoked, "403", "200"},
		{"//v1//projects/p/locations/l/publishers/anthropic/models/m:rawPredict", invoked, "401", "200"},
		{"/healthz", body, "401", "404"},
		{"//metrics", body, "401", "404"},
		{"*", body, "401", "404"},
	} {
		for key, want := range map[string]string{"": tt.without, "X-Api-Key: a-key-of-the-tests\r\nAuthorization: Bearer a-key-of-the-tests\r\n": tt.with} {
			sent := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: x\r\nConnection: close\r\n%sContent-Length: %d\r\n\r\n%s", tt.path, key, len(tt.body), tt.body)
			if got, closed := exchangeRaw(t, address, sent); got != want || !closed {
				t.Errorf("%s with %q: %s, want %s", tt.path, key, got, want)
			}
		}
	}
}
