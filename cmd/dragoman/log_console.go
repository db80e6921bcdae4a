package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/go-json-experiment/json"
)

// consoleLines writes lines of the log for people: of the JSON of each, the time, the level and the
// message, and then the rest as name=value. The line of an exchange has what an eye looks for first:
//
//	15:04:05 200 messages claude-2.1  312 in 58 out  1 call  tool_use  0.81s
//
// What clients and upstreams have chosen is in these lines, too: a character that a terminal would
// act upon, or show as nothing, is written as its escape.
type consoleLines struct {
	w     io.Writer
	paint painter
}

// Write writes one line: zerolog calls it once for each.
func (c *consoleLines) Write(p []byte) (int, error) {
	fields := map[string]any{}
	if err := json.Unmarshal(p, &fields); err != nil {
		fields = map[string]any{"level": "error", "msg": string(p)}
	}
	var s strings.Builder
	at, _ := time.Parse(time.RFC3339, take(fields, "time"))
	s.WriteString(c.paint.dim(at.Local().Format(time.TimeOnly)) + " ")
	if level, message := take(fields, "level"), take(fields, "msg"); message == "exchange" {
		c.exchange(&s, fields)
	} else {
		s.WriteString(c.level(level) + " " + message)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			s.WriteString(" " + c.paint.dim(printable(name)+"=") + quoted(take(fields, name)))
		}
	}
	s.WriteByte('\n')
	if _, err := io.WriteString(c.w, s.String()); err != nil {
		return 0, err
	}
	return len(p), nil
}

// level returns a level in four letters.
func (c *consoleLines) level(level string) string {
	switch level {
	case "warn":
		return c.paint.yellow("WARN")
	case "error", "fatal", "panic":
		return c.paint.red("ERROR")
	case "debug", "trace":
		return c.paint.dim("DEBUG")
	}
	return c.paint.green("INFO")
}

// exchange writes what came of a request. The ids, and the times and sizes within the exchange, are
// for programs, but for the id of one that failed: it is what to look for elsewhere.
func (c *consoleLines) exchange(s *strings.Builder, fields map[string]any) {
	status := take(fields, "status")
	failed := !strings.HasPrefix(status, "2")
	paint := c.paint.green
	switch {
	case strings.HasPrefix(status, "5") || take(fields, "terminal") == "error":
		paint = c.paint.red
	case failed:
		paint = c.paint.yellow
	}
	s.WriteString(paint(status))
	for _, name := range []string{"dialect", "path", "model"} {
		if text := take(fields, name); text != "" {
			s.WriteString(" " + text)
		}
	}
	var parts []string
	add := func(format string, values ...any) { parts = append(parts, fmt.Sprintf(format, values...)) }
	if in, out := take(fields, "input_tokens"), take(fields, "output_tokens"); in+out != "00" && in+out != "" {
		add("%s in %s out", in, out)
	}
	switch calls := take(fields, "tool_calls"); calls {
	case "", "0":
	case "1":
		add("1 call")
	default:
		add("%s calls", calls)
	}
	if attempts := take(fields, "attempts"); attempts != "" && attempts != "0" && attempts != "1" {
		add("%s attempts", attempts)
	}
	for _, name := range []string{"stop_reason", "error_type", "error_path"} {
		if text := take(fields, name); text != "" {
			parts = append(parts, text)
		}
	}
	for _, name := range []string{"dropped", "unmet"} {
		if text := take(fields, name); text != "" {
			add("%s %s", name, text)
		}
	}
	if ms, err := strconv.ParseFloat(take(fields, "duration_ms"), 64); err == nil {
		add("%s", seconds(ms))
	}
	if failed {
		parts = append(parts, take(fields, "request_id"))
	}
	if len(parts) > 0 {
		s.WriteString("  " + strings.Join(parts, "  "))
	}
}

// seconds writes a duration in milliseconds in as many digits as matter.
func seconds(ms float64) string {
	switch {
	case ms < 10:
		return strconv.FormatFloat(ms, 'f', 1, 64) + "ms"
	case ms < 1000:
		return strconv.FormatFloat(ms, 'f', 0, 64) + "ms"
	case ms < 10_000:
		return strconv.FormatFloat(ms/1000, 'f', 2, 64) + "s"
	default:
		return strconv.FormatFloat(ms/1000, 'f', 1, 64) + "s"
	}
}

// take removes a field and returns it as text that can be printed, "" if there is none.
func take(fields map[string]any, name string) string {
	value := fields[name]
	delete(fields, name)
	switch v := value.(type) {
	case nil:
		return ""
	case string:
		return printable(v)
	case float64:
		return strconv.FormatFloat(v, 'f', -1, 64)
	case []any:
		all := make([]string, len(v))
		for i, e := range v {
			all[i] = printable(fmt.Sprint(e))
		}
		return strings.Join(all, ",")
	default:
		return printable(fmt.Sprint(v))
	}
}

// quoted returns a value in quotation marks if it would not be one word.
func quoted(s string) string {
	if s == "" || strings.ContainsAny(s, " \"=") {
		return `"` + strings.ReplaceAll(s, `"`, `\"`) + `"`
	}
	return s
}
