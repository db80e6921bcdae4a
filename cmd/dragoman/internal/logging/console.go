package logging

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/rs/zerolog"

	"dragoman/cmd/dragoman/internal/terminal"
)

// Console writes log lines for people. The line of an exchange has the most useful fields first:
//
//	15:04:05 INF exchange status=200 dialect=messages model=claude-2.1 tool_calls=1 duration_ms=812
//
// Clients and upstreams choose parts of these lines. So a character that a terminal would act upon, or not show, is
// written as its escape.
func Console(w io.Writer, colours bool) zerolog.ConsoleWriter {
	value := func(v any) string { return terminal.Printable(fmt.Sprintf("%s", v)) }
	return zerolog.ConsoleWriter{
		Out:                   w,
		NoColor:               !colours,
		TimeFormat:            time.TimeOnly,
		PartsOrder:            []string{zerolog.TimestampFieldName, zerolog.LevelFieldName, "msg"},
		FieldsOrder:           exchangeFields,
		FieldsExclude:         []string{"msg"},
		FormatFieldValue:      value,
		FormatPartValueByName: func(v any, _ string) string { return value(v) },
		FormatPrepare:         shorten,
	}
}

// exchangeFields are the fields of an exchange that people see, in order.
var exchangeFields = strings.Fields(`status dialect path model input_tokens output_tokens tool_calls
	tool_call_outcomes tool_call_reasons format attempts stop_reason
	error_type error error_reason error_path dropped unmet duration_ms request_id`)

// startFields are the fields of the first line that are for programs, or in its text.
var startFields = []string{"config", "simulated", "url", "version"}

// shorten removes the fields of the first line and of an exchange that are for programs. A failed exchange keeps its id, to look for
// elsewhere. Only an exchange that asked a model keeps its counts, and only one with a call that is not clean, or without
// a forced call, keeps how its calls were read.
func shorten(fields map[string]any) error {
	if fields["msg"] != "exchange" {
		if fields["admin_url"] != nil { // the first line
			for _, name := range startFields {
				delete(fields, name)
			}
		}
		return nil
	}
	if strings.HasPrefix(fmt.Sprint(fields["status"]), "2") {
		delete(fields, "request_id")
	}
	if fmt.Sprint(fields["attempts"]) == "0" {
		for _, count := range []string{"attempts", "input_tokens", "output_tokens", "tool_calls"} {
			delete(fields, count)
		}
	}
	has := func(name string, is func(word any) bool) bool {
		list, _ := fields[name].([]any)
		return slices.ContainsFunc(list, is)
	}
	unclean := func(word any) bool { return word != "clean" && word != "none" }
	if !has("tool_call_outcomes", unclean) && !has("tool_call_reasons", unclean) && !has("unmet", func(word any) bool { return word == "tool_choice" }) {
		delete(fields, "tool_call_outcomes")
		delete(fields, "tool_call_reasons")
		delete(fields, "format")
	}
	for name := range fields {
		if !slices.Contains(exchangeFields, name) && !slices.Contains([]string{"msg", zerolog.LevelFieldName, zerolog.TimestampFieldName}, name) {
			delete(fields, name)
		}
	}
	return nil
}
