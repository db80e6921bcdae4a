package main

import (
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

func TestQuantiles(t *testing.T) {
	var s samples
	for i := range 100000 {
		s.add(time.Duration(99999-i) * time.Microsecond)
	}
	if got, want := s.quantiles(), (quantiles{100000, 50000, 90000, 99000, 99900}); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}

func TestStamp(t *testing.T) {
	now := time.Now()
	b := make([]byte, stampLen)
	putStamp(b, markArg, now)
	if age, ok := stampAge(b, now.Add(1234*time.Microsecond)); !ok || (age-1234*time.Microsecond).Abs() > time.Microsecond {
		t.Errorf("%v, %v", age, ok)
	}
}

// TestStampInTwo has a proxy cut the text wherever it likes.
func TestStampInTwo(t *testing.T) {
	now, text := time.Now(), []byte(strings.Repeat("a", 40))
	putStamp(text[12:], markArg, now)
	for at := range text {
		var lag samples
		r := reading{lag: &lag}
		r.text(text[:at], now)
		r.text(text[at:], now)
		if len(lag) != 1 {
			t.Errorf("cut at %d: %d stamps", at, len(lag))
		}
	}
}

// TestBuild holds that the pieces of an answer are the answer, and that nearly each has a stamp.
func TestBuild(t *testing.T) {
	for content := range fillers {
		for _, stops := range [][]string{nil, {"zzz", callsStop}} {
			s := settings{Args: 1000, Content: content}
			c := s.build(stops)
			var text strings.Builder
			stamps := 0
			for _, d := range c.deltas {
				var piece string
				if err := json.Unmarshal([]byte(`"`+string(d.escaped)+`"`), &piece); err != nil || !utf8.ValidString(piece) {
					t.Fatalf("%s: delta %q: %v", content, d.escaped, err)
				}
				if d.mark != 0 {
					stamps++
					if d.escaped[d.at] != d.mark || d.escaped[d.at+stampLen-1] != d.mark {
						t.Fatalf("%s: no stamp at %d of %q", content, d.at, d.escaped)
					}
				}
				text.WriteString(piece)
			}
			if text.Len() != c.bytes || strings.HasSuffix(text.String(), callsStop) != (stops == nil) || stamps < 1000/deltaLen {
				t.Errorf("%s: %d stamps in %q", content, stamps, text.String())
			}
		}
	}
}

// TestAPIs puts load on the fake upstream in each of its APIs, and verifies every answer.
func TestAPIs(t *testing.T) {
	u := new(upstream)
	u.set(settings{Args: 3000, Content: "mixed", DelayUS: 100})
	srv := httptest.NewServer(u)
	defer srv.Close()
	for _, api := range []string{messagesAPI, invokeAPI, chatAPI} {
		for _, stream := range []bool{false, true} {
			for _, rate := range []float64{0, 200} {
				t.Run(fmt.Sprintf("%s %v %v", api, stream, rate), func(t *testing.T) {
					w := way{api: api, raw: true}
					r := run{host: strings.TrimPrefix(srv.URL, "http://"), path: w.requestPath(stream), raw: true, args: 3000, conns: 2, rate: rate, most: 8,
						shape: shape{API: api, Stream: stream, Tools: 2, Turns: 1, TurnKB: 1, Stops: true}, lasts: 5 * time.Second, timeout: 5 * time.Second}
					got := r.do()
					if got.errors > 0 || got.requests != 8 {
						t.Fatalf("%d requests, %d errors: %v", got.requests, got.errors, got.first)
					}
					if stream && (got.lag.N < 8*3000/20 || got.firstText.N != 8) {
						t.Errorf("%d stamps, %d first deltas", got.lag.N, got.firstText.N)
					}
				})
			}
		}
	}
}

// TestVerifyFinds holds that an answer that is wrong in one thing is found.
func TestVerifyFinds(t *testing.T) {
	message := func(name, input, stop string) string {
		return fmt.Sprintf(`{"content":[{"type":"text","text":"x"},{"type":"tool_use","name":%q,"input":%s}],"stop_reason":%q}`, name, input, stop)
	}
	for body, ok := range map[string]bool{
		message(toolName, `{"content":"1234567890"}`, "tool_use"): true,
		message(toolName, `{"content":"1234567"}`, "tool_use"):    false,
		message(toolName, `{"content":1234567890}`, "tool_use"):   false,
		message("other", `{"content":"1234567890"}`, "tool_use"):  false,
		message(toolName, `{"content":"1234567890"}`, "end_turn"): false,
		`{"content":[],"stop_reason":"tool_use"}`:                 false,
		`{"content":[`: false,
	} {
		r := reading{whole: []byte(body)}
		if err := r.verify(messagesAPI, 10, false); (err == nil) != ok {
			t.Errorf("%s: %v", body, err)
		}
	}
	cut := reading{stream: true, whole: []byte("event: content_block_start\ndata: {\"type\":\"content_block_start\",\"content_block\":{\"type\":\"text\"}}\n\n")}
	if cut.verify(messagesAPI, 10, true) == nil {
		t.Error("a stream without an end passes")
	}
}

func TestMembers(t *testing.T) {
	var got []string
	err := members([]byte(` {"a" : [1,{"stream":true},"]\""] ,"stream": true,"s":"x\\","n":-1.5e3} `), func(key string, value []byte) {
		got = append(got, key+"="+string(value))
	})
	if want := `a=[1,{"stream":true},"]\""]|stream=true|s="x\\"|n=-1.5e3`; err != nil || strings.Join(got, "|") != want {
		t.Errorf("%v %q", err, got)
	}
}

// TestSizes holds that the requests are of the sizes that the tables call them by.
func TestSizes(t *testing.T) {
	for _, s := range shapes {
		s.API = messagesAPI
		var kb int
		if _, err := fmt.Sscanf(s.size, "%d KB", &kb); err != nil {
			t.Fatal(err)
		}
		if n := len(s.body()); n < kb*900 || n > kb*1100 {
			t.Errorf("%s has %d bytes", s.size, n)
		}
	}
}
