package format

import (
	"bytes"
	"cmp"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/schema"
)

// Frame is the text that [Format.WriteCall] writes around a call's arguments, and around the calls
// of a turn, as data. Package constrain uses it to build grammars. [CallNumber] in it is a
// placeholder for a number.
type Frame struct {
	// Before and After are the texts around the calls of a turn. Between separates two calls.
	Before, Between, After string
	// Head and Tail are the texts around a call's arguments. Empty is a whole call without
	// arguments; "" means Head and Tail.
	Head, Tail, Empty string
	// Arguments is how the arguments are written.
	Arguments ArgumentsKind
	// Param is the text before the name of a parameter, after the name, and after the value. In the
	// last, [ParamName] is a placeholder for the name. Other is the text after the name if the
	// value is not a string.
	Param [3]string
	Other string
	// Lines: each value is on lines of its own.
	Lines bool
	// Spaced: JSON has a space after each colon and comma. Python: constants are written as in
	// Python (True, False, None).
	Spaced, Python bool
	// InObject is the text around the arguments if they are one JSON object, because they cannot be
	// written one by one.
	InObject [2]string
}

// ArgumentsKind is how the arguments of a call are written.
type ArgumentsKind uint8

const (
	ObjectArguments  ArgumentsKind = iota // one JSON object
	ElementArguments                      // one element for each argument; strings in it are plain text
	PythonArguments                       // name=literal, separated by commas
)

// The placeholders in a [Frame].
const (
	CallNumber = "\x00" // the number of earlier calls in the conversation
	ParamName  = "\x01" // the name of the parameter
)

// frameNumber is the number of earlier calls that FrameOf replaces with CallNumber.
const frameNumber = 7_000_007

// FrameOf returns the frame of a call to the named tool. It returns false if the format writes
// arguments in another way.
func (f *Format) FrameOf(name string) (fr Frame, ok bool) {
	fr = Frame{Before: f.BeforeCalls, Between: f.BetweenCalls, After: f.AfterCalls, Spaced: f.spaced, Python: f.python != noPython}
	switch s := &f.Shape; {
	case f.Name == Legacy:
		fr.Arguments = ElementArguments
		fr.Head, fr.Tail = legacyHead+name+legacyBehindName, legacyTail
		fr.Param = [3]string{"<", ">", "</" + ParamName + ">\n"}
		fr.InObject[1] = "\n"
	case !s.IsJSON():
		fr.Arguments = ElementArguments
		head := s.Call[0] + s.Label(name, frameNumber)
		fr.Head, fr.Tail = head+s.Call[1], s.Call[2]
		if s.empty != "" {
			fr.Empty = head + s.empty
		}
		fr.Param, fr.Other, fr.Lines = s.Param, cmp.Or(s.other, s.Param[1]), s.Lines
		fr.InObject[1] = "\n"
	case f.literal == GemmaLiteral:
		return fr, false
	case f.literal == PythonLiteral && f.CallCloser != `"parameters"`:
		fr.Arguments, fr.Python = PythonArguments, true
		fr.Head, fr.Tail = name+"(", ")"+f.BetweenCalls
		fr.Param[1], fr.InObject[0] = "=", "**"
	default:
		b := markup.Buffer{Escape: &markup.Escaper{}}
		f.WriteCall(&b, name, frameNumber, jsontext.Value("{}"), &schema.Schema{})
		at := bytes.LastIndex(b.Out, []byte("{}"))
		fr.Head, fr.Tail = string(b.Out[:at]), string(b.Out[at+len("{}"):])
	}
	for _, text := range []*string{&fr.Head, &fr.Empty} {
		*text = strings.Replace(*text, strconv.Itoa(frameNumber), CallNumber, 1)
	}
	fr.endCalls()
	return fr, true
}

// endCalls moves the text between calls from the end of each call to Between.
func (fr *Frame) endCalls() {
	end := fr.Between
	if end == "" && fr.After == "" {
		end = fr.Tail[len(strings.TrimRight(fr.Tail, "\n")):]
	}
	fr.Between = end
	fr.Tail, fr.Empty = strings.TrimSuffix(fr.Tail, end), strings.TrimSuffix(fr.Empty, end)
}

// ElementName returns the tag name for the name of a parameter. It returns false if no tag can have
// the name.
func (f *Format) ElementName(name string) (tag string, ok bool) {
	if f.Name == Legacy {
		tag = markup.ParamTag(name)
		return tag, len(tag) <= markup.MaxParamTagLen
	}
	return name, f.Shape.takesName(name)
}

// ReadsElement reports whether the parser reads a text that begins this way as the value of the
// named parameter, and not as a tag of the format with the same name.
func (f *Format) ReadsElement(name, text string) bool {
	return f.Name != Legacy || isReadAsParameter(name, true, text)
}

// ElementText returns the text of a value inside an element, under the parameter's schema. It
// returns false if the parser would read no text as this value.
func (f *Format) ElementText(s *schema.Schema, value jsontext.Value) (text string, ok bool) {
	text, ok = valueText(s, value, f.Name != Legacy)
	if k := value.Kind(); ok && (k == '{' || k == '[') {
		text = f.json(value)
	}
	if ok && f.python.has(value.Kind()) {
		text = f.pythonText(s, value, text)
	}
	return text, ok
}
