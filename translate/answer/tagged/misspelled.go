package tagged

import (
	"slices"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file reads parameters whose tags are wrong or in the wrong order.

// MatchParameter matches a tag t as the tag of the parameter with this name. The name is in t, or is the label of
// t.
func (r *Reader) MatchParameter(t markup.Tag, name string) (first markup.Tag, v markup.Verdict) {
	label := r.call.Spelling.Between() + name
	rest := r.in.Rest()[t.Len:]
	near := rest[:min(len(rest), 4*format.MaxToolName)] // append copies this for each call; no tag is longer
	first, v = r.call.Spelling.MatchListed(append([]byte(label), near...), r.in.EOF && len(near) == len(rest))
	first.Len += t.Len - len(label)
	return first, v
}

// readMisopened reads t, which opens a call directly inside another call. In
//
//	<tool_call>book<tool_call>note</arg_key>
//
// the model wrote the tag of a call in place of the tag of the first parameter. If t names no parameter of the
// tool, the open call was not closed.
func (r *Reader) readMisopened(t markup.Tag) state {
	name, _ := t.NameAttribute()
	_, _, declared := r.call.Schema.PropertyByTag(name)
	if !declared || r.call.Unoffered || r.tools.Named(name) != nil {
		return r.close(messages.ReasonMissingCloser)
	}
	first, v := r.MatchParameter(t, name)
	switch v {
	case markup.NeedMore:
		return wait
	case markup.NoMatch:
		if r.in.EOF && r.in.CutShort {
			return r.leave(BrokenOff)
		}
		return r.close(messages.ReasonMissingCloser)
	}
	r.call.NoteReason(messages.ReasonWrongOpener)
	r.Open()
	return r.beginValue(first, name, name, false)
}

// readLoneKey reads the name of a parameter without a value, where the model wrote all names before all values:
//
//	<arg_key>a</arg_key><arg_key>b</arg_key><arg_value>1</arg_value><arg_value>2</arg_value>
//
// The call counts only if it is whole, and has as many values as names. readLoneKey returns false if rest does not
// begin with such a name.
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
	r.call.NoteReason(messages.ReasonWrongOrder)
	r.in.Take(n, completion.SpanMarkup)
	return true
}

// nextKey returns the name of the next value, in a call where all names precede the values. name is the name in
// the tag of the value. The last name is in the tag of the first value. The other tags have no name.
//
// nextKey returns false if the last name repeats another name, or if the tag of a later value has a name.
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
