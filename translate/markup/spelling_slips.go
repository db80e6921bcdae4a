package markup

import (
	"bytes"
	"strings"

	"dragoman/translate/messages"
)

// Slip is a tag as models misspell it: a row of a table. The matcher tries the rows only after all
// tags that are spelled correctly, in the order of the table.
type Slip struct {
	Name  messages.Reason // the reason of the outcome
	About string          // what the model wrote
	// Example is an answer with the slip, for a tool f with the string parameters a and b. "" means
	// that the row is the same slip as the row before it, in another form.
	Example string
	// Form is how the tag is then written. Its texts are the evidence: all of them must be there.
	Form Form
}

// Slips are the slips that models make in all families with such tags. The slips of one family
// are in its [Spelling.Slips].
var Slips = [...]struct {
	Name    messages.Reason
	About   string
	Format  string // the format of Example
	Example string // as in Slip
	match   func(matcher) (Tag, Verdict)
}{
	{messages.ReasonTagSpelling, "other bars, more bars, or other blanks are in a tag", "deepseek", "<|tool_calls_begin|><|tool_call_begin|>f<|tool_sep|>{\"a\": \"1\", \"b\": \"2\"}<|tool_call_end|><|tool_calls_end|>", matcher.otherSigns},
	{messages.ReasonTagBracket, "a closing tag has lost its `>`, and the next line begins with a tag", "qwen3-coder", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter>\n<parameter=b>\n2\n</parameter>\n</function\n</tool_call>", matcher.unended},
	{messages.ReasonTagBracket, "an opening tag has `=` in place of `>`", "qwen3-coder", "<tool_call>\n<function=f>\n<parameter=a=1</parameter>\n<parameter=b>\n2\n</parameter>\n</function>\n</tool_call>", matcher.secondAssignment},
	{messages.ReasonTagSpelling, "a blank or a colon is in place of `=`", "qwen3-coder", "<tool_call>\n<function: f>\n<parameter a>\n1\n</parameter>\n<parameter:b>\n2\n</parameter>\n</function>\n</tool_call>", matcher.otherAssignment},
	{messages.ReasonTagBracket, "the opening tag of a call has lost its `>`, and the next line begins with a tag", "qwen3-coder", "<tool_call>\n<function=f\n<parameter=a>\n1\n</parameter>\n<parameter=b>\n2\n</parameter>\n</function>\n</tool_call>", matcher.unendedOpener},
	{messages.ReasonTagSpelling, "a name lacks its second quotation mark", "dsml", "<｜DSML｜tool_calls>\n<｜DSML｜invoke name=\"f>\n<｜DSML｜parameter name=\"a\" string=\"true\">1</｜DSML｜parameter>\n<｜DSML｜parameter name=\"b\" string=\"true\">2</｜DSML｜parameter>\n</｜DSML｜invoke>\n</｜DSML｜tool_calls>", matcher.halfQuoted},
	{messages.ReasonTagSpelling, "the slash of a closing tag is escaped", "qwen3-coder", "<tool_call>\n<function=f>\n<parameter=a>\n1\n<\\/parameter>\n<parameter=b>\n2\n<\\/parameter>\n<\\/function>\n<\\/tool_call>", matcher.escaped},
	{messages.ReasonTagSpelling, "a closing tag also ends with a slash", "qwen3-coder", "<tool_call>\n<function=f>\n<parameter=a>\n1\n</parameter/>\n<parameter=b>\n2\n</parameter>\n</function>\n</tool_call>", matcher.closedTwice},
}

// otherAssignment matches an opening tag with a blank or a colon in place of its `=`: <function shell>, <function: shell>.
func (m matcher) otherAssignment() (Tag, Verdict) {
	return m.tag(func(m matcher, f *Form, t Tag) (Tag, Verdict) {
		i := t.nameEnd
		if f.Label != LabelAssigned || t.Closing || i == len(m.s) || m.s[i] != ':' && m.s[i] != ' ' {
			return t, NoMatch
		}
		n, v := m.label(i+1, i, "=<>\n\"'")
		if v == Match {
			t.label, t.Len = bytes.TrimSpace(m.s[i+1:i+1+n]), i+1+n+1
			v = VerdictOf(m.s[i+1+n] == '>' && len(t.label) > 0 && bytes.IndexByte(t.label, ' ') < 0)
		}
		return t, v
	})
}

// unendedOpener matches an opening tag that has lost its `>`: its line ends, and the next line begins with a tag.
func (m matcher) unendedOpener() (Tag, Verdict) {
	return m.tag(func(m matcher, f *Form, t Tag) (Tag, Verdict) {
		if f.Label != LabelAssigned || f.Means != Invoke || t.Closing {
			return t, NoMatch
		}
		i, v := m.assignment(t.nameEnd)
		if v != Match {
			return t, v
		}
		n, v := m.label(i, i, "=<>\n")
		if v != Match {
			return t, v
		}
		t.label, t.Len = bytes.Trim(m.s[i:i+n], " \t\r\"'"), i+n
		next := SkipBlanks(m.s, t.Len, MaxTagBlanks)
		switch {
		case m.s[t.Len] != '\n':
			return t, NoMatch
		case next == len(m.s):
			return t, m.more()
		}
		return t, VerdictOf(m.s[next] == '<' && len(t.label) > 0)
	})
}

// halfQuoted matches an opening tag whose name lacks its second quotation mark: <｜DSML｜invoke name="find>.
func (m matcher) halfQuoted() (Tag, Verdict) {
	return m.tag(func(m matcher, f *Form, t Tag) (Tag, Verdict) {
		if f.Label != LabelAttribute || t.Closing {
			return t, NoMatch
		}
		n, v := m.label(t.nameEnd, t.nameEnd, "<>\n")
		if v != Match {
			return t, v
		}
		end := t.nameEnd + n
		_, label, ok := bytes.Cut(m.s[t.nameEnd:end], []byte(`name="`))
		t.label, t.Len = bytes.TrimSpace(label), end+1
		return t, VerdictOf(ok && m.s[end] == '>' && len(t.label) > 0 && bytes.IndexByte(label, '"') < 0)
	})
}

// otherSigns matches a tag with other signs: see [Spelling.Signs].
func (m matcher) otherSigns() (Tag, Verdict) {
	if m.signs = m.spelling.Signs; !m.signs {
		return Tag{}, NoMatch
	}
	return m.tag(matcher.readTail)
}

// unended matches a closing tag without its end.
func (m matcher) unended() (Tag, Verdict) {
	return m.tag(func(m matcher, f *Form, t Tag) (Tag, Verdict) {
		t.Len = t.nameEnd
		next := SkipBlanks(m.s, t.Len, MaxTagBlanks)
		switch {
		case !t.Closing:
			return t, NoMatch
		case next == len(m.s) && next-t.Len < MaxTagBlanks:
			return t, m.more()
		}
		return t, VerdictOf(next < len(m.s) && m.s[next] == '<' && isBlankLine(m.s[t.Len:next]))
	})
}

// secondAssignment matches an opening tag that ends with a second `=`: <parameter=a=1</parameter>.
func (m matcher) secondAssignment() (Tag, Verdict) {
	return m.tag(func(m matcher, f *Form, t Tag) (Tag, Verdict) {
		if f.Label != LabelAssigned || t.Closing {
			return t, NoMatch
		}
		i, v := m.assignment(t.nameEnd)
		if v != Match {
			return t, v
		}
		n, v := m.label(i, i, "=<>\n")
		if v == Match {
			t.label, t.Len = bytes.Trim(m.s[i:i+n], " \t\"'"), i+n+1
			v = VerdictOf(m.s[i+n] == '=' && len(t.label) > 0)
		}
		return t, v
	})
}

// escaped matches a closing tag with an escaped slash: <\/parameter>.
func (m matcher) escaped() (t Tag, v Verdict) {
	n, v := m.escapedClose()
	if v == Match {
		t, v = m.named(n, true, matcher.readTail)
		t.Escaped = true
	}
	return t, v
}

// escapedClose matches the text that closing tags begin with, with an escaped slash. n is its length.
func (m matcher) escapedClose() (n int, v Verdict) {
	rest, ok := strings.CutPrefix(m.spelling.begins()[1], "</")
	switch n = afterSlash(m.s); {
	case !ok || n < 3:
		return 0, NoMatch
	case n > len(m.s):
		return 0, m.more()
	}
	after, v := m.prefix(n, rest)
	return n + after, v
}

// closedTwice matches a closing tag with a second slash: </parameter/>.
func (m matcher) closedTwice() (Tag, Verdict) {
	return m.tag(func(m matcher, _ *Form, t Tag) (Tag, Verdict) {
		n, v := m.end(t.nameEnd)
		if v != Match || !t.Closing {
			return t, min(v, VerdictOf(t.Closing))
		}
		t.Len = n + len(m.spelling.end())
		return t, VerdictOf(string(bytes.TrimSpace(m.s[t.nameEnd:n])) == "/")
	})
}
