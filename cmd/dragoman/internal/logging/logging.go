// Package logging writes the log: lines of JSON, or lines for people on a terminal.
package logging

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/config"
	"dragoman/cmd/dragoman/internal/terminal"
)

const (
	longestLine = 8 << 10 // bytes of a line of the log
	longestText = 4 << 10 // bytes of one of our own texts in it
)

// New returns the log of a configuration. In JSON it writes one object a line, each of at most longestLine. In console
// form it turns that object into a line for people: see Console. Without a format, it uses console form on a terminal
// only. Messages are in the field msg, which callers set themselves: zerolog's own message field has another name.
// colours enables colours on a terminal.
func New(w io.Writer, format, level string, colours bool) zerolog.Logger {
	out := w
	if format == config.LogConsole || format != config.LogJSON && terminal.Is(w) {
		out = Console(w, colours && terminal.Is(w))
	}
	least, err := zerolog.ParseLevel(level)
	if err != nil || level == "" {
		least = zerolog.InfoLevel
	}
	return zerolog.New(zerolog.SyncWriter(shortLines{out})).Level(least).With().Timestamp().Logger()
}

// shortLines replaces each line that is too long by another one. Long texts are cut where they are logged, so there
// should be no such line.
type shortLines struct{ w io.Writer }

// Write writes one line: zerolog calls it once for each line.
func (s shortLines) Write(p []byte) (int, error) {
	if len(p) <= longestLine {
		return s.w.Write(p)
	}
	_, err := fmt.Fprintf(s.w, `{"level":"error","time":%q,"bytes":%d,"event":"line_too_long","msg":"a line of the log was too long, and is left out"}`+"\n", time.Now().Format(time.RFC3339), len(p))
	return len(p), err
}

// Cut returns the beginning of a text for the log, with a mark if it was cut.
func Cut(s string) string {
	if len(s) <= longestText {
		return s
	}
	return strings.ToValidUTF8(s[:longestText], "") + "… (cut)"
}

// Library turns the output of package log, mostly from net/http, into lines of our log. Package log must write no
// flags.
func Library(log zerolog.Logger) io.Writer { return &libraryLog{log: log} }

type libraryLog struct {
	log       zerolog.Logger
	plainHTTP Seldom
}

// isPlainHTTP is net/http's message about a client that speaks HTTP to a port with TLS. net/http has answered the
// client itself.
const isPlainHTTP = "client sent an HTTP request to an HTTPS server"

// Write logs the first line of a message: package log calls it once for each message. It cuts the message before the
// first quotation mark, because a quotation is what a client or a server sent.
func (l *libraryLog) Write(p []byte) (int, error) {
	const longest = 512
	message, _, _ := strings.Cut(string(p), "\n")
	if strings.HasSuffix(message, isPlainHTTP) {
		if l.plainHTTP.Due() {
			l.log.Warn().Str("event", "plain_http_to_tls").
				Str("msg", "a client speaks HTTP without TLS, and this port has TLS: give the client a URL with https://; this is said at most once a minute").Send()
		}
		return len(p), nil
	}
	if i := strings.IndexAny(message, "\"'`"); i >= 0 {
		message = message[:i] + "…"
	}
	if len(message) > longest {
		message = strings.ToValidUTF8(message[:longest], "") + "…"
	}
	l.log.Warn().Str("event", "library").Str("msg", message).Send()
	return len(p), nil
}
