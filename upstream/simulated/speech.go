package simulated

import (
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
)

// speech is how calls are written in one format, as the example in a prompt shows it.
type speech struct {
	before, after string // around the calls of an answer
	between       string // two calls
	// head and tail are a call before and behind its parameters, and forms are a parameter:
	// of a string and, where there are two, of any other value. The names and the value stand
	// there as in the example.
	head, tail string
	forms      []string
	elements   bool // parameters are elements; otherwise commas stand between them
	// opens is what the first call of an answer begins with, and closes what the last one ends
	// with; "" if nothing does.
	opens, closes string
}

// What stands in an example for what a call has there, and for its other parameters.
const (
	toolName       = "$TOOL_NAME"
	parameterName  = "$PARAMETER_NAME"
	parameterValue = "$PARAMETER_VALUE"
	andSoOn        = "..."
	eitherWord     = "true|false" // whether the value is a string
)

// listen returns how the system prompt wants calls to be written. stops are the stop
// sequences of the prompt.
func listen(system string, stops []string) *speech {
	formats := translate.AboutFormats()
	best := formats[0].Example
	for _, f := range formats {
		if strings.Contains(system, f.Example) {
			return learn(f.Example, stops)
		}
	}
	// An operator may show it in other words: with most of the same tags.
	most := 0
	for _, f := range formats {
		shared := 0
		for tag := range eachTag(f.Example) {
			switch {
			case strings.Contains(tag, "$"):
			case strings.Contains(system, tag):
				shared++
			default:
				shared--
			}
		}
		if shared > most {
			best, most = f.Example, shared
		}
	}
	return learn(best, stops)
}

// learn returns how calls are written in the example of a format: a call with a parameter or two, maybe
// before another.
func learn(example string, stops []string) *speech {
	s := &speech{between: "\n"}
	call := strings.TrimSpace(example)
	opener := firstTag(call)
	s.opens, _, _ = strings.Cut(call, "$")
	if opener != "" && strings.HasPrefix(s.opens, opener) {
		s.opens = opener
	}
	// Behind the last tag of all calls nothing is wanted. Where that is not one of a call's own,
	// it closes what is around them.
	if closer := closerOf(opener); s.opens == opener && slices.Contains(stops, closer) && strings.HasSuffix(call, closer) {
		s.before, s.between, s.after = opener, "", closer
		call = strings.TrimSuffix(call[len(opener):], closer)
		if strings.HasPrefix(call, "\n") {
			s.before, call = s.before+"\n", call[1:]
		}
	}

	name := strings.Index(call, parameterName)
	start := strings.LastIndexAny(call[:name], "<({")
	s.elements = call[start] == '<'
	if !s.elements {
		start++
	}
	forms, tail, _ := strings.Cut(call[start:], andSoOn)
	if second := strings.Index(tail, toolName); second >= 0 { // another call, written like the first
		tail = tail[:strings.LastIndex(tail[:second], "<")]
	}
	s.head, s.tail = call[:start], tail
	opening := call[start : name+len(parameterName)]
	for _, form := range strings.Split(forms, opening)[1:] {
		switch text, other := strings.Replace(form, eitherWord, "true", 1), strings.Replace(form, eitherWord, "false", 1); {
		case strings.HasPrefix(form, "_"): // a second parameter, written like the first
		case text != other:
			s.forms = append(s.forms, opening+text, opening+other)
		default:
			s.forms = append(s.forms, opening+form)
		}
	}
	if s.elements {
		s.tail = strings.TrimPrefix(tail, "\n") // of the line that goes on
	}
	s.unlist()
	s.closes = s.after
	if s.closes == "" {
		s.closes = strings.TrimSpace(s.tail[max(0, strings.LastIndex(s.tail, "<")):])
	}
	return s
}

// unlist sets what stands around and between calls where all of an answer are one list.
func (s *speech) unlist() {
	list, isList := strings.CutSuffix(strings.TrimSpace(s.tail), "]")
	at := strings.LastIndex(s.head, "[")
	if isList && at >= 0 && !strings.Contains(s.head[at:], "]") {
		s.before, s.head = s.before+s.head[:at+1], s.head[at+1:]
		s.tail, s.between, s.after = strings.TrimSuffix(list, ", "+andSoOn), ", ", "]"+s.after
	}
}

// call returns a call, before which the conversation has had n others; values provides the
// arguments.
func (s *speech) call(t shownTool, n int, values *question) string {
	// A number behind the name counts the calls.
	head := strings.Replace(s.head, toolName+":0", toolName+":"+strconv.Itoa(n), 1)
	var out strings.Builder
	for _, p := range t.parameters {
		if p.required {
			out.WriteString(s.parameter(p.name, values.value(p.jsonSchema(), t.definitions, 0)))
		}
	}
	parameters := out.String()
	if !s.elements {
		parameters = strings.TrimRight(parameters, ", ")
	}
	return strings.Replace(head, toolName, t.name, 1) + parameters + s.tail
}

// parameter returns a parameter with its value. A string stands as it is in an element, and
// where the example shows two ways to write a value; but in quotes it is JSON.
func (s *speech) parameter(name string, value jsontext.Value) string {
	const quotedValue = `"` + parameterValue + `"`
	form, text := s.forms[0], string(value)
	switch {
	case value.Kind() != '"':
		form = s.forms[len(s.forms)-1]
	case strings.Contains(form, quotedValue):
		form = strings.Replace(form, quotedValue, parameterValue, 1)
	case s.elements || len(s.forms) > 1:
		unquoted, _ := jsontext.AppendUnquote(nil, value)
		text = string(unquoted)
	}
	if !s.elements {
		quoted := quoteJSON(name)
		name = string(quoted[1 : len(quoted)-1])
	}
	return strings.NewReplacer(parameterName, name, parameterValue, text).Replace(form)
}

// named returns the name of the tool in what is written of a call, and whether it is whole:
// what stands behind a name stands there, too.
func (s *speech) named(written string) (name string, whole bool) {
	at := strings.LastIndex(written, s.mark())
	if at < 0 {
		return "", false
	}
	name = strings.TrimLeft(written[at+len(s.mark()):], " \n")
	_, after, _ := strings.Cut(s.head, toolName)
	if at = strings.IndexAny(name, after[:1]+" \n"); at >= 0 {
		return name[:at], true
	}
	return name, false
}

// closed reports whether calls that begin with a text have come to their end.
func (s *speech) closed(text string) bool { return s.closes != "" && strings.Contains(text, s.closes) }

// mark returns what stands before the name of each call.
func (s *speech) mark() string {
	before, _, _ := strings.Cut(s.head, toolName)
	if before = strings.TrimSpace(afterLast(before, "\n")); before == "" {
		return s.opens
	}
	return before
}
