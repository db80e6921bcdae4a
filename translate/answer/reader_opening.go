package answer

import (
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// The start of a forced call at the end of the prefill. A model continues the call, or begins it again:
//
//	<tool_call>⏎{"name": "book", "arguments":     the prefill
//	 {"count": 3}}                                the model continues
//	<tool_call>⏎{"name": "book", …                it begins again: with the whole opening,
//	{"name": "book", …                            or without the tags around calls
//
// If the model begins again, the parser must not read the same text from the prefill, too: it would read
// the call twice, or take the text of the call for arguments. So the parser gets the prefill only after the
// completion shows which of the two the model does.

// readOpened reads s, a piece of the completion. It keeps the text until it is certain which part of the
// opening comes before it. Then it gives the parser that part and the text. eof: no more text follows.
func (r *reader) readOpened(s string, eof bool) {
	if r.opened {
		r.feed(s)
		return
	}
	r.kept += s
	for _, again := range r.restarts() {
		v := matchSpaced(r.kept, again.text)
		if v == markup.NeedMore && !eof {
			return
		}
		if v == markup.Match {
			r.text.opening, r.text.beganAgain = again.before, true
			break
		}
	}
	r.opened = true
	if opening := r.text.opening; opening != "" {
		r.feed(opening)
		r.in.Hide(len(opening))
	}
	if r.kept != "" {
		r.feed(r.kept)
	}
	r.kept = ""
}

// restart is one way to begin a call again: text is the text that the model writes, before is the part of
// the opening that comes before it.
type restart struct{ text, before string }

// restarts returns the ways in which the model may begin the call again. If parameters are elements, the
// model has to name the same tool: with another tool, the text may be the next call, after an unclosed call
// without parameters. If parameters are JSON, no tag begins them, so the model may name any tool. An object
// on its own may be the arguments of a tool with a parameter called name; restarts then leaves it out.
func (r *reader) restarts() (list []restart) {
	f, opening := r.format, r.text.opening
	begun := opening
	if f != &format.LegacyCalls && f.Shape.Param[0] == "" {
		begun = f.CallPrefill("", 0)
	}
	if f.Shape.Id != "" { // after the last marker comes a counter of calls, or nothing
		begun = begun[:strings.LastIndexByte(begun, '>')+1]
	}
	list = append(list, restart{begun, ""})
	if inner := strings.TrimPrefix(begun, f.BeforeCalls); inner != begun && inner != "" {
		list = append(list, restart{inner, f.BeforeCalls})
	}
	if at := strings.IndexByte(opening, '{'); at > 0 && f.Shape.Call[0] == "" &&
		(opening == f.CallPrefill("", 0) || !r.takesName()) {
		list = append(list, restart{opening[at:], opening[:at]})
	}
	return list
}

// takesName reports whether a tool has a parameter called name.
func (r *reader) takesName() bool {
	for i := range r.tools.List {
		if r.schemas.Of(&r.tools.List[i]).Declares([]byte("name")) {
			return true
		}
	}
	return false
}

// matchSpaced matches find at the start of text. White space in either is ignored.
func matchSpaced(text, find string) markup.Verdict {
	for i := 0; find != ""; {
		if markup.IsBlank(find[0]) {
			find = find[1:]
			continue
		}
		switch i = markup.SkipBlanks(text, i, completion.MaxGap); {
		case i == len(text):
			return markup.NeedMore
		case text[i] != find[0]:
			return markup.NoMatch
		}
		i, find = i+1, find[1:]
	}
	return markup.Match
}
