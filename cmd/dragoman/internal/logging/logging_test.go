package logging

import (
	"encoding/json"
	stdlog "log"
	"strings"
	"testing"
)

// Every line is JSON and limited in length, whoever wrote it, and quotes nothing that others sent.
func TestLinesOfTheLog(t *testing.T) {
	var out strings.Builder
	log := New(&out, "", "", false)
	library := stdlog.New(Library(log), "", 0)
	library.Printf("Unsolicited response received on idle HTTP channel starting with %q; err=%v", "c4n4ry", nil)
	library.Print("http: TLS handshake error from 127.0.0.1:1: EOF\n\tc4n4ry\n")
	library.Print("http: " + strings.Repeat("x", 100_000))
	log.Error().Str("error", Cut(strings.Repeat("é\n", 100_000))).Str("msg", "long").Send()
	log.Error().Str("error", strings.Repeat("c4n4ry", 100_000)).Str("msg", "too long").Send()
	var messages []string
	for line := range strings.Lines(out.String()) {
		var fields map[string]any
		if err := json.Unmarshal([]byte(line), &fields); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		if len(line) > longestLine || strings.Contains(line, "c4n4ry") || fields["time"] == nil || fields["level"] == nil {
			t.Errorf("%d bytes: %.300s", len(line), line)
		}
		message, _ := fields["msg"].(string)
		messages = append(messages, message)
	}
	got := strings.Join(messages, "\n")
	for _, want := range []string{
		"Unsolicited response received on idle HTTP channel starting with …\n", "http: TLS handshake error from 127.0.0.1:1: EOF\n", "\nlong\n", "a line of the log was too long",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%.1000s", want, got)
		}
	}
}
