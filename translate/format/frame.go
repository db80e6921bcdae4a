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

// Frame is what [Format.WriteCall] writes around the arguments of a call, and around those of a turn, as
// data: for whoever says which texts are calls. [CallNumber] in it stands for a number.
type Frame struct {
	// Before and After stand around the calls of a turn, and Between between two of them.
	Before, Between, After string
	// Head and Tail stand around the arguments of a call. Empty is a whole call without any; "" for both.
	Head, Tail, Empty string
	// Arguments says what the arguments are.
	Arguments ArgumentsKind
	// Param stands before the name of a parameter, behind it, and behind the value; Other behind the name
	// if the value is no string. Behind the value, [ParamName] stands for the name.
	Param [3]string
	Other string
	// Lines says that each value stands on lines of its own.
	Lines bool
	// Spaced says that JSON has a blank behind each colon and comma, and Python that words stand as Python
	// writes them.
	Spaced, Python bool
	// InObject stands before and behind arguments that are one object all the same, since they cannot be
	// written one by one.
	InObject [2]string
}

// ArgumentsKind is what the arguments of a call are.
type ArgumentsKind uint8

const (
	ObjectArguments  ArgumentsKind = iota // one JSON object
	ElementArguments                      // an element for each, in which strings stand as they are
	PythonArguments                       // name=literal, with commas between
)

// What stands in a [Frame] for something else.
const (
	CallNumber = "\x00" // how many calls the conversation has had
	ParamName  = "\x01" // the name of the parameter
)

// frameNumber is the number of a call for which CallNumber is put in.
const frameNumber = 7_000_007

// FrameOf returns the frame of a call to the named tool. It reports false if the format has arguments of
// another kind.
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

// endCalls takes what stands between calls from the ends of all.
func (fr *Frame) endCalls() {
	end := fr.Between
	if end == "" && fr.After == "" {
		end = fr.Tail[len(strings.TrimRight(fr.Tail, "\n")):]
	}
	fr.Between = end
	fr.Tail, fr.Empty = strings.TrimSuffix(fr.Tail, end), strings.TrimSuffix(fr.Empty, end)
}

// ElementName returns what stands for the name of a parameter in its tags. It reports false if nothing can.
func (f *Format) ElementName(name string) (tag string, ok bool) {
	if f.Name == Legacy {
		tag = markup.ParamTag(name)
		return tag, len(tag) <= markup.MaxParamTagLen
	}
	return name, f.Shape.takesName(name)
}

// ReadsElement reports whether a text that begins so is read as the value of the parameter of that name, and as nothing
// else: tags of the format may be called as the parameter is.
func (f *Format) ReadsElement(name, text string) bool {
	return f.Name != Legacy || isReadAsParameter(name, true, text)
}

// ElementText returns the text of a value that stands in an element, under the schema of the parameter. It
// reports false if none is read as the value.
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
