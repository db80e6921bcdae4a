package rawjson

import "testing"

// TestReplaceLoneSurrogates checks that a half becomes U+FFFD, and that nothing else changes.
func TestReplaceLoneSurrogates(t *testing.T) {
	for _, tt := range []struct{ in, want string }{
		{`{"a":"b"}`, `{"a":"b"}`},
		{`"\ud83d\ude00"`, `"\ud83d\ude00"`},
		{`"\uD83D\uDE00\n"`, `"\uD83D\uDE00\n"`},
		{`"\ud83d"`, `"\ufffd"`},
		{`"\ude00"`, `"\ufffd"`},
		{`"\ude00\ud83d"`, `"\ufffd\ufffd"`},
		{`"\ud83d\ud83d\ude00"`, `"\ufffd\ud83d\ude00"`},
		{`"\ud83d \ude00"`, `"\ufffd \ufffd"`},
		{`"\ud83d\u0041"`, `"\ufffd\u0041"`},
		{`"\\ud83d"`, `"\\ud83d"`},
		{`"\\\ud83d\\"`, `"\\\ufffd\\"`},
		{`"\ud7ff\ue000\ud8"`, `"\ud7ff\ue000\ud8"`},
		{`"\udzzz\`, `"\udzzz\`},
		{`\ud83d`, `\ufffd`},
	} {
		if got := string(ReplaceLoneSurrogates([]byte(tt.in))); got != tt.want {
			t.Errorf("%s became %s, want %s", tt.in, got, tt.want)
		}
	}
}

// TestLoneSurrogates checks halves at the start and the end of a string.
func TestLoneSurrogates(t *testing.T) {
	for _, tt := range []struct {
		in   string
		want LoneSurrogate
	}{
		{`"\ud83d"`, LoneSurrogate{At: 1, First: true, AtStringBegin: true, AtStringEnd: true}},
		{`"\ude00a"`, LoneSurrogate{At: 1, AtStringBegin: true}},
		{`"a\ud83d"`, LoneSurrogate{At: 2, First: true, AtStringEnd: true}},
		{`"\"\ud83d\""`, LoneSurrogate{At: 3, First: true}},
	} {
		if got := LoneSurrogates([]byte(tt.in)); len(got) != 1 || got[0] != tt.want {
			t.Errorf("%s: %+v", tt.in, got)
		}
	}
}
