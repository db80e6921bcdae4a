package tagged

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/completion"
	"dragoman/translate/answer/emit"
	"dragoman/translate/answer/held"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
	"dragoman/translate/testcost"
)

// Two readers share the grammar of calls in tags: Reader reads a regular call as it arrives, and package held searches
// the readings of held text. These tests hold the two together (reading.md, "What may change, and what may not"): where
// Reader accepts a call without a doubt, the search of the same text gives the same call, without a slip.

// tagForm is how a format writes a call in tags, from behind the name of the tool.
type tagForm struct {
	format    *format.Format
	attribute bool      // the call is <invoke name="…">
	begin     string    // the text before the first parameter
	param     [3]string // the text before and after a parameter's name, and after its value
	end       string    // the end of the call
	wrapper   string    // the end of the wrapper, "" if the end of the call is all
}

// tagForms returns the forms of all formats whose parameters are tags around raw values.
func tagForms() (forms []tagForm) {
	for _, f := range format.All() {
		s := &f.Shape
		switch {
		case f.Name == format.Legacy:
			forms = append(forms, tagForm{f, false, "\n<parameters>\n", [3]string{"<", ">", "</NAME>\n"}, "</parameters>\n</invoke>", "\n</function_calls>"})
		case s.IsJSON():
		default:
			begin := s.Call[1]
			if i := strings.IndexByte(begin, '>'); i >= 0 {
				begin = begin[i+1:]
			}
			end, wrapper, _ := strings.Cut(strings.TrimSuffix(s.Call[2], "\n"), "\n")
			if wrapper == "" && f.Spelling == nil {
				wrapper = "</function_calls>"
			}
			if wrapper != "" {
				wrapper = "\n" + wrapper
			}
			forms = append(forms, tagForm{f, true, begin, s.Param, end, wrapper})
		}
	}
	return forms
}

// open and close return the tags of a parameter, in the form.
func (f *tagForm) open(name string) string { return f.param[0] + name + f.param[1] }

func (f *tagForm) close(name string) string {
	return strings.TrimSuffix(strings.ReplaceAll(f.param[2], "NAME", name), "\n")
}

// readersTools are the schemas of the tools that are called. The second one takes any parameter.
var readersTools = [2]*schema.Schema{compileTool(""), compileTool(`,"additionalProperties":{"type":"string"}`)}

func compileTool(more string) *schema.Schema {
	return schema.Compile(jsontext.Value(`{"type":"object","properties":{"a":{"type":"string"},"b":{"type":"string"},"n":{"type":"integer"},
		"o":{"type":"object"},"l":{"type":"array","items":{"type":"string"}},"e":{"enum":["x","y"]},"u":{"type":["string","null"]}},"required":["a"]` + more + `}`))
}

// draw returns a call whose values contain markup of all kinds, most of it of the call.
func (f *tagForm) draw(r *rand.Rand) string {
	var b strings.Builder
	b.WriteString(f.begin)
	names := []string{"a", "b", "n", "o", "l", "e", "u"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	for _, name := range names[:1+r.IntN(3)] {
		b.WriteString(f.open(name) + f.value(r, name) + f.close(name) + pick(r, "\n", "\n", "\n", "", " ", "\n\n"))
	}
	return b.String() + f.end + f.wrapper
}

func pick(r *rand.Rand, list ...string) string { return list[r.IntN(len(list))] }

// typedValue returns a value that fits the type of a parameter that is no string.
func (f *tagForm) typedValue(name string) (text string, ok bool) {
	text, ok = map[string]string{"n": "12", "o": `{"a": "x` + f.close("a") + `"}`, "l": `["x", "` + f.open("b") + `"]`, "e": "x", "u": "null"}[name]
	return text, ok
}

// value returns a value of the parameter.
func (f *tagForm) value(r *rand.Rand, name string) string {
	if text, ok := f.typedValue(name); ok && (name == "e" || r.IntN(8) > 0) {
		return pick(r, "", "\n") + text + pick(r, "", "\n")
	}
	var b strings.Builder
	for range r.IntN(6) {
		other := pick(r, "a", "b", "n", "z", "parameter", "parameters", name)
		b.WriteString(pick(r, "x", "words of text", "\n", " ", "`", "```\n", `"`, "1 < 2", "{", "é",
			f.open(other), f.open(other), f.close(other), f.close(other), f.open(other)+"y"+f.close(other), f.open(other)+"\ny\n"+f.close(other)+"\n",
			"<"+other+">", "</"+other+">", "<"+other+">y</"+other+">", "<"+other+"/>", `<parameter name="`+other+`">`, "</parameter>", `<parameter name="`+other+`">y</parameter>`,
			"<div>", "</div>", "<p>y</p>", "<!-- y -->", "<![CDATA[y]]>", "<![CDATA[", "]]>", f.end, f.wrapper, "</invoke>", "<invoke>", `<invoke name="t">`, "<function_calls>", "</function_calls>", "<tool_call>", "</tool_call>"))
	}
	return b.String()
}

// reader returns a reader of the call's text, and what it has sent.
func (f *tagForm) reader(text string, tool *schema.Schema) (r *Reader, in *completion.Text, out *emit.Emitter, sent *strings.Builder) {
	sent = new(strings.Builder)
	e := emit.New(func(e messages.Event, _ error) bool { sent.Write(e.Text); return true }, "")
	e.HoldInput()
	e.OpenToolUse("t")
	e.StreamValues = true
	c := completion.New()
	call := &OpenCall{Tool: "t", Spelling: f.format.Spelling, AttributeForm: f.attribute, WrapperOpen: true, Certain: true, Schema: tool}
	read := NewReader(call, &c, &e, format.ReadsOf(f.format, nil, 0), &format.ToolNames{}, markup.Escapes{})
	read.Open, read.Whole, read.Hold = func() {}, func() {}, func() {}
	read.Wrapper = strings.Trim(cmp.Or(f.wrapper, f.end), "\n</>")
	read.Begin()
	read.Enter()
	c.Add(text)
	c.End()
	return &read, &c, &e, sent
}

// accept reads a call as it arrives. It returns false if the reader has a doubt or a reason.
func (f *tagForm) accept(text string, tool *schema.Schema) (input, behind string, ok bool) {
	r, in, out, sent := f.reader(text, tool)
	exit := r.Step()
	for exit.Kind == Reads {
		if r.state == inDoubt {
			return "", "", false
		}
		exit = r.Step()
	}
	out.Flush()
	return sent.String(), string(in.Rest()), exit == Exit{Kind: Closed} && r.call.Reason == messages.ReasonNone && r.call.Misfit == messages.ReasonNone
}

// search reads a call by the search of package held, from its first value on: the search follows all tags up to the
// end of the text.
func (f *tagForm) search(text string, tool *schema.Schema) (input, behind, problem string) {
	r, in, out, sent := f.reader(text, tool)
	exit := r.Step()
	for ; exit.Kind == Reads; exit = r.Step() {
		if r.state != inValue || len(r.open.ends) > 0 || r.value.cdata {
			continue
		}
		r.beginDoubt()
		switch verdict, ends := r.searchAll(); verdict {
		case held.Ends:
			r.open.ends = ends
		default:
			return "", "", fmt.Sprintf("the verdict is %d", verdict)
		}
	}
	out.Flush()
	switch {
	case exit != Exit{Kind: Closed}:
		problem = fmt.Sprintf("it ends as %d, %q", exit.Kind, exit.Reason)
	case r.call.Reason != messages.ReasonNone:
		problem = "its reason is " + r.call.Reason.String()
	}
	return sent.String(), string(in.Rest()), problem
}

// searchAll follows all tags from the next text on, and returns what they mean at the end.
func (r *Reader) searchAll() (held.Verdict, []held.End) {
	d, text := &r.doubt, r.in.Rest()
	for d.scanned < len(text) {
		n, v := d.nextTag(r.call, text, true)
		if v != markup.Match {
			continue
		}
		next := r.heldTag(text, n)
		if d.tag != nil {
			behind := held.Follow{Tag: next}
			if d.gap == held.Text {
				behind.Tag = nil
			}
			d.search.Step(d.tag, behind)
		}
		for v := range d.search.Values {
			r.complete(v, text, d.scanned)
		}
		d.tag, d.opened = next, r.opensValue(next)
		d.scanned += n
		d.tagEnd, d.gap = d.scanned, held.NoGap
	}
	if d.tag != nil {
		d.search.Step(d.tag, held.Follow{Ends: d.gap < held.Text})
	}
	return d.search.AtEnd()
}

// compare reports whether Reader accepts the call, and tells how the two readers differ.
func (f *tagForm) compare(text string, tool *schema.Schema) (accepted bool, difference string) {
	input, behind, accepted := f.accept(text, tool)
	if !accepted || strings.TrimPrefix(behind, f.wrapper) != "" {
		return false, ""
	}
	also, rest, problem := f.search(text, tool)
	if problem == "" && also == input && rest == behind {
		return true, ""
	}
	return true, fmt.Sprintf("%s %q\nReader: %s, and then %q\nsearch: %s, and then %q %s", f.format.Name, text, input, behind, also, rest, problem)
}

func TestBothReaders(t *testing.T) {
	for _, form := range tagForms() {
		t.Run(form.format.Name, func(t *testing.T) {
			r := rand.New(rand.NewPCG(1, 2))
			cases, accepted := testcost.Cases(2_000, 100_000), 0
			for i := range cases {
				ok, difference := form.compare(form.draw(r), readersTools[i%2])
				if difference != "" {
					t.Error(difference)
				}
				if ok {
					accepted++
				}
			}
			if accepted < cases/4 {
				t.Errorf("Reader accepts %d of %d calls: the property has few subjects", accepted, cases)
			}
		})
	}
}

// FuzzBothReaders is TestBothReaders with all that fuzzing finds for a string.
func FuzzBothReaders(f *testing.F) {
	forms := tagForms()
	for i := range forms {
		f.Add(i, false, "x "+forms[i].open("b")+"y"+forms[i].close("b"))
		for _, value := range [...]string{"<b>", "</b><b>y</b>", "</b><parameter/><b>", "x</a\rx><b/>", "<z/><![CDATA[", "]]>", "<![CDATA[y]]>z"} {
			f.Add(i, true, value)
		}
	}
	f.Fuzz(func(t *testing.T, i int, anyName bool, value string) {
		if i < 0 || i >= len(forms) {
			return
		}
		form, tool := &forms[i], readersTools[0]
		if anyName {
			tool = readersTools[1]
		}
		if _, difference := form.compare(form.begin+form.open("a")+value+form.close("a")+"\n"+form.end+form.wrapper, tool); difference != "" {
			t.Error(difference)
		}
	})
}
