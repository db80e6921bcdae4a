package held_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/answer/held"
	"dragoman/translate/messages"
	"dragoman/translate/schema"
)

// searched are the parameters of the call that is searched.
var searched = map[string]*schema.Schema{
	"a": schema.Compile(jsontext.Value(`{"type":"string"}`)), "b": schema.Compile(jsontext.Value(`{"type":"string"}`)), "n": schema.Compile(jsontext.Value(`{"type":"integer"}`)),
}

// tagsOf returns the tags of a call in the legacy format. A tag in capitals is no tag.
func tagsOf(text string) (tags []*held.Tag) {
	var edge held.Edge
	at := 0
	for {
		i := strings.IndexByte(text[at:], '<')
		if i < 0 {
			return tags
		}
		gap := held.NoGap
		gap.Note([]byte(text[at : at+i]))
		edge.Add([]byte(text[at : at+i]))
		n := strings.IndexByte(text[at+i:], '>') + 1
		name, closes := strings.CutPrefix(text[at+i+1:at+i+n-1], "/")
		tag := &held.Tag{Name: []byte(name), At: at + i, Len: n, Bare: true, Gap: gap, Edge: edge}
		switch {
		case slices.Contains([]string{"parameters", "invoke", "function_calls"}, name) && closes:
			tag.Kind = map[string]held.Kind{"parameters": held.ClosesParameters, "invoke": held.ClosesCall, "function_calls": held.ClosesWrapper}[name]
		case slices.Contains([]string{"parameters", "invoke", "function_calls"}, name):
			tag.Kind, tag.Structure = held.OpensStructure, true
		case closes:
			tag.Kind, tag.Declared = held.ClosesOther, searched[name] != nil
		case searched[name] != nil:
			tag.Kind, tag.Property, tag.Schema, tag.Declared = held.OpensParameter, name, searched[name], true
		default:
			tag.Kind, tag.Property, tag.Schema = held.OpensOther, name, searched["a"]
		}
		edge.Add([]byte(text[at+i : at+i+n]))
		if at += i + n; at < len(text) {
			tag.Behind = text[at]
		}
		tags = append(tags, tag)
	}
}

// settle searches the readings of a text, which begins in the value of the parameter a, and returns how the values end.
func settle(text string) string {
	search := held.NewSearch(held.CallForm{ParametersOpen: true, WrapperOpen: true, Missing: map[string]bool{}},
		&held.Value{Property: "a", Closer: "a", Element: true, Schema: searched["a"]})
	verdict, ends := held.Open, []held.End(nil)
	tags := tagsOf(text)
	for i, tag := range tags {
		follow := held.Follow{Ends: i == len(tags)-1 && strings.TrimSpace(text[tag.End():]) == ""}
		if i+1 < len(tags) && tags[i+1].Gap < held.Text {
			follow.Tag = tags[i+1]
		}
		for v := range search.Values {
			v.Whole = v.Schema.IsScalar() && strings.Trim(text[v.From:tag.At], "0123456789 ") == ""
		}
		search.Step(tag, follow)
		if verdict, ends = search.Settle(); verdict != held.Open && verdict != held.GoesOn {
			break
		}
	}
	if verdict == held.Open || verdict == held.GoesOn {
		verdict, ends = search.AtEnd()
	}
	if verdict == held.Refused {
		return "refused"
	}
	var said []string
	for _, e := range ends {
		s := fmt.Sprintf("%q", text[e.From:e.At])
		if e.Reason != messages.ReasonNone {
			s += " " + e.Reason.String()
		}
		said = append(said, s)
	}
	return strings.Join(said, ", ")
}

// TestSearch searches where values end, and which slips that makes. Each text begins in the value of the parameter a.
func TestSearch(t *testing.T) {
	const end = "</parameters></invoke></function_calls>"
	for _, tt := range []struct{ text, want string }{
		{"1</a><b>2</b>" + end, `"1"`},
		{"1 <b>2</b> x</a>" + end, `"1 <b>2</b> x"`},
		{"1 <b>2</b>" + end, `"1 " missing_closer, "2"`},
		{"1\n<b>2</b>" + end, `"1\n" missing_closer, "2"`},
		{"1</b><b>2</a>" + end, `"1" wrong_closer, "2" wrong_closer`},
		{"1</a> and <b>2</b>" + end, `"1", "2"`},
		{"1</a> and <b>2</b> x</a>" + end, `"1</a> and <b>2</b> x"`},
		{"1</x><b>2</b>" + end, `"1" wrong_closer, "2"`},
		{"1</a></div><b>2</b>" + end, `"1", "2"`},
		{"1</a>2</a>" + end, `"1</a>2"`},
		{"1\n<n>2</n>" + end, `"1\n" missing_closer, "2"`},
		{"1\n<n>two</n>" + end, `"1\n" missing_closer, "two"`},
		{"1<a>2</a>" + end, `"1<a>2"`},
		{"<a>1</a>" + end, `"<a>1"`},
		{"1 <i>x</i></a>" + end, `"1 <i>x</i>"`},
		{"1</a><b>2</b></invoke></function_calls>", `"1"`},
		{"1</a><b>2</b></parameters></function_calls>", `"1"`},
		{"1</a><a>2</a>" + end, `"1", "2"`},
		{"1\n" + end, `"1\n" missing_closer`},
		{"1", `refused`},
		{"1</a>", `"1"`},
		{"1</parameters>", `"1" missing_closer`},
		{"1</a></parameters></invoke><invoke><b>", `"1"`},
		{"say </invoke> </a>" + end, `"say </invoke> "`},
		{"say <invoke> </a>" + end, `"say <invoke> "`},
		{"say <b> and </b> </a>" + end, `"say <b> and </b> "`},
		{"</b>" + strings.Repeat("<b>", 40) + "</a>" + end, `refused`},
	} {
		if got := settle(tt.text); got != tt.want {
			t.Errorf("%q is %s; want %s", tt.text, got, tt.want)
		}
	}
}
