package answer

import (
	"strings"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// The beginning of a forced call, which ends the prefill. A model goes on from it, or begins the call
// again:
//
//	<tool_call>⏎{"name": "book", "arguments":     the prefill
//	 {"count": 3}}                                the model goes on
//	<tool_call>⏎{"name": "book", …                it begins again: with all of it,
//	{"name": "book", …                            or without what stands around the calls
//
// What it writes again is then not read from the prefill as well: the call would be read twice, or its
// text be taken for arguments. So the parser gets the prefill only once the completion tells which it is.

// readOpened gives the parser s, a piece of the completion, or what was kept of it before, when it is
// certain what of the opening comes first. eof says that no more follows.
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

// restart is what a model writes that begins a call again, and what of the opening stands before that.
type restart struct{ text, before string }

// restarts returns how the model may begin the call again. Where parameters are elements, only with the
// same tool: another one may be called next, after a call without parameters that was not closed. Where
// they are JSON, which no tag begins, with any tool. An object alone may be the arguments of a tool that
// has a parameter called name.
func (r *reader) restarts() (list []restart) {
	f, opening := r.format, r.text.opening
	begun := opening
	if f != &format.LegacyCalls && f.Shape.Param[0] == "" {
		begun = f.CallPrefill("", 0)
	}
	if f.Shape.Id != "" { // what is behind the last marker counts calls, or is left out
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

// matchSpaced reports whether text begins with what is to be found, wherever white space stands in either.
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
