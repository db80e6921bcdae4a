package completion_test

import (
	"fmt"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"dragoman/translate/answer/completion"
	"dragoman/translate/markup"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// kinds are the kinds of spans, by their names.
var kinds = map[string]completion.SpanKind{"": completion.SpanText, "markup": completion.SpanMarkup, "value": completion.SpanValue}

// play makes the calls of a script, separated by " | ". It returns what they return, and then the unread text, its offset
// and the text behind the mark.
func play(in *completion.Text, script string) string {
	var said []string
	for call := range strings.SplitSeq(script, " | ") {
		name, argument, _ := strings.Cut(call, " ")
		number, kind, _ := strings.Cut(argument, " ")
		n, _ := strconv.Atoi(number)
		switch name {
		case "add":
			in.Add(argument)
		case "end":
			in.End()
		case "take":
			in.Take(n, kinds[kind])
		case "stray":
			in.TakeStray(n)
		case "blanks":
			said = append(said, fmt.Sprint(in.SkipBlanks()))
		case "drop":
			in.Drop()
		case "mark":
			in.SetMark()
		case "hide":
			in.Hide(n)
		case "notseen":
			said = append(said, fmt.Sprint(in.NotSeen(n)))
		case "unread":
			in.Unread(n)
		case "rewind":
			in.Rewind()
		case "back":
			said = append(said, fmt.Sprintf("%q", in.GiveBack()))
		case "compact":
			in.Compact()
		case "call":
			in.Seen.BeginCall(in.Offset())
		case "isstray":
			in.Seen.MakeStray()
		case "istext":
			in.Seen.RestoreStray()
		case "layout":
			in.Seen.RestoreBlanks()
		default:
			panic(call)
		}
	}
	said = append(said, fmt.Sprintf("%d%q", in.Offset(), in.Rest()))
	if in.IsMarked() {
		said = append(said, fmt.Sprintf("mark %d%q", in.MarkOffset(), in.Marked()))
	}
	if len(in.Rest()) == 0 && !in.IsAllRead() {
		said = append(said, "half a character")
	}
	return strings.Join(said, " ")
}

func TestText(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{"add one two | take 4 | compact", `4"two"`},
		{"add a\xe4\xb8 | add \x96b", `0"a世b"`},
		{"add a\xe4\xb8 | take 1", `1"" half a character`},
		{"add a\xe4\xb8 | end", `0"a��"`},
		{"add a\xffb\xe4 | add c", `0"a�b�c"`},
		{"add Use <f> x | take 4 | mark | take 3", `7" x" mark 4"<f>"`},
		{"add Use <f> x | take 4 | mark | take 3 | compact | unread 1", `6"> x" mark 4"<f"`},
		{"add Use <f> x | take 4 | mark | take 3 | compact | back", `"<f>" 7" x"`},
		{"add Use <f> x | take 4 | mark | take 3 | compact | rewind", `4"<f> x"`},
		{"add Use <f> x | take 4 | mark | take 3 | drop", `9""`},
		{"add <f>x | mark | hide 3 | take 4 | back", `"x" 4""`},
		{"add <f>x | mark | hide 3 | take 1 | back", `"" 3"x"`},
		{"add <f> | hide 3 | mark | take 3 | add x | take 1 | back", `"x" 4""`},
		{"add <f> | hide 3 | notseen 2 | notseen 2", `2 1 0"<f>"`},
		{"add <f>x | hide 3 | notseen 2", `0 0"<f>x"`},
		{"add \n x | blanks", `true 2"x"`},
		{"add \n  | blanks", `false 2""`},
	} {
		in := completion.New()
		if got := play(&in, tt.script); got != tt.want {
			t.Errorf("%q: %s; want %s", tt.script, got, tt.want)
		}
	}
}

// TestSpans checks what each part of a text was read as.
func TestSpans(t *testing.T) {
	for _, tt := range []struct{ script, want string }{
		{"add a<f>bc | take 1 | take 3 markup | take 1 value | take 1 value", "text 1, markup 4, value 6"},
		{"add a<f>b | take 1 | mark | take 3 markup | back | take 1", "text 5"},
		{"add a<f>b | take 1 | mark | take 3 markup | rewind", "text 1"},
		{"add a<f>b | take 1 | mark | take 3 markup | drop", "text 1, dropped 5"},
		{"add <f>a | call | take 3 markup | take 1 value | isstray", "markup 3, dropped 4"},
		{"add <f>a | call | take 3 markup | take 1 value | isstray | istext", "markup 3, text 4"},
		{"add <f> so \n on <g> | take 3 markup | blanks | stray 4 | stray 3 | blanks | take 3 markup", "markup 4, dropped 11, markup 15"},
		{"add <f> \n | take 3 markup | blanks | layout", "markup 3, text 5"},
	} {
		in := completion.New()
		in.Seen = new(completion.Spans)
		play(&in, tt.script)
		var got []string
		for _, s := range in.Seen.List {
			got = append(got, fmt.Sprintf("%s %d", s.Kind, s.End))
		}
		if strings.Join(got, ", ") != tt.want {
			t.Errorf("%q: %s; want %s", tt.script, strings.Join(got, ", "), tt.want)
		}
	}
}

// TestPieces checks that a text is the same in pieces of any size, and that a marked text becomes too long with the same
// byte.
func TestPieces(t *testing.T) {
	unit := "a\xff世\xe4\xb8é😀\xf0\x9f"
	for n := 1; n <= len(unit); n++ {
		in := completion.New()
		for rest := unit; rest != ""; rest = rest[min(n, len(rest)):] {
			in.Add(rest[:min(n, len(rest))])
		}
		in.End()
		if want := "a�世��é😀��"; string(in.Rest()) != want {
			t.Errorf("in pieces of %d: %q; want %q", n, in.Rest(), want)
		}
	}
	long, full := strings.Repeat(unit, completion.MaxUndecided/len(unit)), 0
	for _, most := range []int{1000, 7777, len(long)} {
		in := completion.New()
		in.SetMark()
		fed := 0
		for !in.IsFull() {
			n := min(most, in.Room(), len(long)-fed)
			in.Add(long[fed : fed+n])
			in.Take(len(in.Rest()), completion.SpanText)
			fed += n
		}
		if full == 0 {
			full = fed
		}
		if fed != full {
			t.Errorf("in pieces of %d, the text is too long after %d bytes; in others after %d", most, fed, full)
		}
	}
}

// TestMatches checks which lines and marks are matched. want is the verdict if more text may come and, after a comma, the
// verdict if the text ends.
func TestMatches(t *testing.T) {
	said := func(n int, v markup.Verdict) string {
		return []string{"no", "more", strconv.Itoa(n)}[v]
	}
	matches := map[string]func(in *completion.Text, s []byte) string{
		"fence":      func(in *completion.Text, s []byte) string { return said(in.MatchFence(s)) },
		"fence line": func(in *completion.Text, s []byte) string { return said(in.MatchFenceLine(s)) },
		"line end":   func(in *completion.Text, s []byte) string { return said(0, in.MatchLineEnd(s)) },
		"sentence":   func(in *completion.Text, s []byte) string { return said(0, in.MatchSentence(s)) },
		"blanks":     func(in *completion.Text, s []byte) string { return said(in.MatchBlanks(s, 0, 3)) },
	}
	for _, tt := range []struct{ what, text, want string }{
		{"fence", "```\nx", "3, 3"}, {"fence", "````go \n", "7, 7"}, {"fence", "``x", "no, no"}, {"fence", "``", "more, no"}, {"fence", "```go", "more, no"},
		{"fence", "```a b\n", "no, no"}, {"fence", "```{\n", "no, no"}, {"fence", "```" + strings.Repeat("x", completion.MaxInfo), "no, no"},
		{"fence line", "```", "more, 3"}, {"fence line", "``` ", "more, 4"}, {"fence line", "```go", "more, no"},
		{"line end", "\nx", "0, 0"}, {"line end", "\r", "0, 0"}, {"line end", "x", "no, no"}, {"line end", "", "more, no"},
		{"sentence", "The", "0, 0"}, {"sentence", "the", "no, no"}, {"sentence", "Écrit", "0, 0"}, {"sentence", "世", "0, 0"}, {"sentence", "1", "no, no"}, {"sentence", "\xc3", "more, no"},
		{"blanks", " \nx", "2, 2"}, {"blanks", " \n", "more, 2"}, {"blanks", " \n ", "no, no"}, {"blanks", "x", "0, 0"},
	} {
		open, ended := completion.New(), completion.New()
		ended.End()
		if got := matches[tt.what](&open, []byte(tt.text)) + ", " + matches[tt.what](&ended, []byte(tt.text)); got != tt.want {
			t.Errorf("%s %q: %s; want %s", tt.what, tt.text, got, tt.want)
		}
	}
}

// TestEntities reads the escapes of a prompt, in pieces of every size.
func TestEntities(t *testing.T) {
	names := markup.Escapes{Tags: markup.TagInvoke | markup.TagOwnParameter}
	for _, tt := range []struct{ text, own, want string }{
		{"&lt;invoke> &lt;b> & &amp; &", "", "<invoke> &lt;b> & &amp; &"},
		{"&amp;lt;invoke>", "", "&lt;invoke>"},
		{"&amp;amp;amp;lt;invoke>", "", "&amp;amp;lt;invoke>"},
		{"&amp;amp;amp;x", "", "&amp;amp;amp;x"},
		{"&lt;/a>", "a", "</a>"},
		{"&lt;/a>", "", "&lt;/a>"},
		{"&lt;/b>", "a", "&lt;/b>"},
	} {
		for n := 1; n <= len(tt.text); n++ {
			in, got := completion.New(), ""
			for at := 0; !in.EOF; at += n {
				if at < len(tt.text) {
					in.Add(tt.text[at:min(at+n, len(tt.text))])
				} else {
					in.End()
				}
				for rest := in.Rest(); len(rest) > 0; rest = in.Rest() {
					if plain := completion.NextEntity(rest, len(rest)); plain > 0 {
						got += string(rest[:plain])
						in.Take(plain, completion.SpanText)
					} else if !in.ReadEntity(names, tt.own, completion.SpanText, func(s []byte) { got += string(s) }) {
						break
					}
				}
			}
			if got != tt.want {
				t.Errorf("%q in pieces of %d: %q; want %q", tt.text, n, got, tt.want)
			}
		}
	}
}
