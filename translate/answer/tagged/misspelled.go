package tagged

import (
	"slices"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
)

// MatchParameter matches the tag of the named parameter that rest has where the tag t stands, which has
// its name as the label, or in it.
func (r *Reader) MatchParameter(t markup.Tag, name string) (first markup.Tag, v markup.Verdict) {
	label := r.call.Spelling.Between() + name
	rest := r.in.Rest()[t.Len:]
	near := rest[:min(len(rest), 4*format.MaxToolName)] // of which the tag is no more: all of rest is not to be copied for each call
	first, v = r.call.Spelling.MatchListed(append([]byte(label), near...), r.in.EOF && len(near) == len(rest))
	first.Len += t.Len - len(label)
	return first, v
}

// readMisopened reads t, which opens a call as the first thing in another: its first parameter, where the
// model wrote the tag of a call for that of a parameter, as in <tool_call>book<tool_call>note</arg_key>.
// Else the call that is open was not closed.
func (r *Reader) readMisopened(t markup.Tag) state {
	name, _ := t.NameAttribute()
	_, _, declared := r.call.Schema.PropertyByTag(name)
	if !declared || r.call.Unoffered || r.tools.Named(name) != nil {
		return r.close("missing_closer")
	}
	first, v := r.MatchParameter(t, name)
	switch v {
	case markup.NeedMore:
		return wait
	case markup.NoMatch:
		if r.in.EOF && r.in.CutShort {
			return r.leave(BrokenOff)
		}
		return r.close("missing_closer")
	}
	r.call.NoteReason("wrong_opener")
	r.Open()
	return r.beginValue(first, name, name, false)
}

// readLoneKey reads the name of a parameter whose value does not follow, since all names stand before all
// values: <arg_key>a</arg_key><arg_key>b</arg_key><arg_value>1</arg_value><arg_value>2</arg_value>. The call is one
// only if it is whole and has as many of both. It reports false if rest does not begin with one.
func (r *Reader) readLoneKey(rest []byte) bool {
	call := r.call
	if call.Spelling == nil || len(call.Parameters) > 0 || call.JSONInput || len(call.Stray) > 0 {
		return false
	}
	key, n, ok := call.Spelling.MatchLone(rest)
	if _, _, declared := call.Schema.PropertyByTag(key); !ok || !declared || slices.Contains(r.open.keys, key) {
		return false
	}
	r.open.keys, call.MustBeWhole = append(r.open.keys, key), true
	r.call.NoteReason("wrong_order")
	r.in.Take(n, completion.SpanMarkup)
	return true
}

// nextKey returns the name of the parameter whose value is next, where names stand before it. name is that
// of the tag before the value: the last of the names, before the first value. It reports false where that
// stands there twice, or the tag of any other value has a name.
func (r *Reader) nextKey(name string) (key string, ok bool) {
	call := r.call
	if name != "" {
		if len(call.Parameters) > 0 || slices.Contains(r.open.keys, name) {
			return "", false
		}
		r.open.keys = append(r.open.keys, name)
	}
	key, r.open.keys = r.open.keys[0], r.open.keys[1:]
	return key, true
}
