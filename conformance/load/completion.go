package main

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// settings say what the fake upstream answers: one call of [toolName], written out in the legacy
// format. They are set while it runs: POST /_load/settings with this type as JSON.
type settings struct {
	Args    int    `json:"args"`     // bytes in the call's large argument
	Content string `json:"content"`  // what it is made of: the name of one of the fillers
	DelayUS int    `json:"delay_us"` // between two deltas
	TTFTUS  int    `json:"ttft_us"`  // before the first byte of the body
}

// What is called, and how.
const (
	callsStop = "</function_calls>"
	toolName  = "write_file"
	argName   = "content"
	callHead  = "<function_calls>\n<invoke>\n<tool_name>" + toolName + "</tool_name>\n<parameters>\n<path>src/main.go</path>\n<" + argName + ">"
	callTail  = "</" + argName + ">\n</parameters>\n</invoke>\n" + callsStop
	preamble  = "the quick brown fox jumps over the lazy dog and runs away again."
)

// deltaLen is how many bytes of text a delta has, cut at a rune.
const deltaLen = 16

// fillers are what arguments and results are made of. Plain text needs no escape anywhere; mixed has
// the quotes, backslashes, newlines and other letters that JSON has to escape or keep whole; code also
// has the '<' and '&' that make a scanner for tags stop and look; hostile is hardly more than
// beginnings of the closing tag.
var fillers = map[string]string{
	"plain":   "the quick brown fox jumps over the lazy dog and runs away again ",
	"mixed":   "func main() {\n\tfmt.Println(\"caf\u00e9 \u2713\", 'x', `C:\\tmp`)\n}\n// a comment of some length follows here\n",
	"code":    "if a < b && c > d {\n\treturn vec<int>{\"<p>x</p>\", 1 << 3}\n}\n<div class=\"x\">&amp;</div>\n",
	"hostile": "</conten</content <</</cont</c<",
}

// filler returns n bytes of a filler. What the end cuts off a rune becomes x.
func filler(content string, n int) []byte {
	text := fillers[content]
	b := bytes.Repeat([]byte(text), n/len(text)+1)[:n]
	for i := max(0, n-utf8.UTFMax); i < n; i++ {
		if utf8.RuneStart(b[i]) && !utf8.FullRune(b[i:]) {
			for ; i < n; i++ {
				b[i] = 'x'
			}
		}
	}
	return b
}

// delta is one piece of the completion's text, escaped for a JSON string.
type delta struct {
	escaped []byte
	mark    byte // of the stamp; 0 for none
	at      int  // where in escaped the stamp is
}

// completion is one answer, ready to be sent in any of the APIs.
type completion struct {
	deltas []delta
	bytes  int    // of text
	stop   string // the stop sequence that ended it, or ""
}

// span is a part of the text in which stamps have room.
type span struct {
	from, to int
	mark     byte
}

// build makes the completion for a request with these stop sequences: the text ends before the first
// of them that is in it.
func (s *settings) build(stops []string) *completion {
	var text bytes.Buffer
	text.WriteString(preamble + "\n\n" + callHead)
	spans := []span{{0, len(preamble), markText}, {from: text.Len(), mark: markArg}}
	text.Write(filler(s.Content, s.Args))
	spans[1].to = text.Len()
	text.WriteString(callTail)

	b, c := text.Bytes(), &completion{}
	for _, stop := range stops {
		if before, _, found := bytes.Cut(b, []byte(stop)); found && stop != "" {
			b, c.stop = before, stop
		}
	}
	c.bytes = len(b)
	for from := 0; from < len(b); {
		to := min(from+deltaLen, len(b))
		for to < len(b) && !utf8.RuneStart(b[to]) {
			to++
		}
		c.deltas = append(c.deltas, cut(b, from, to, spans))
		from = to
	}
	return c
}

// cut makes a delta of b[from:to]. The first nine bytes of it that lie within a span become the stamp.
func cut(b []byte, from, to int, spans []span) delta {
	var d delta
	for _, s := range spans {
		at, end := max(from, s.from), min(to, s.to)
		for at < end && !utf8.RuneStart(b[at]) {
			at++
		}
		if end-at < stampLen {
			continue
		}
		for i := at; i < at+stampLen; i++ {
			b[i] = '0'
		}
		b[at], b[at+stampLen-1] = s.mark, s.mark
		for i := at + stampLen; i < end && !utf8.RuneStart(b[i]); i++ {
			b[i] = 'x'
		}
		d.mark, d.at = s.mark, len(escape(b[from:at]))
		break
	}
	d.escaped = escape(b[from:to])
	return d
}

// escape returns b as the inside of a JSON string. As the real APIs do, it leaves '<', '>' and '&' as
// they are.
func escape(b []byte) []byte {
	var w bytes.Buffer
	e := json.NewEncoder(&w)
	e.SetEscapeHTML(false)
	_ = e.Encode(string(b)) // a string always can be
	quoted := bytes.TrimSuffix(w.Bytes(), []byte("\n"))
	return quoted[1 : len(quoted)-1]
}
