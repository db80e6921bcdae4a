package answer

import (
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"slices"
	"strings"
)

// Tags of calls that models have left out, or written for others. What is meant is told by the tools.

// readJoined reads a call in which the name of the tool and that of the first parameter stand together,
// since the tag between them is missing: t has both as its label. They are told apart by the tools. The
// verdict is NoMatch if t is no such tag.
func (p *parser) readJoined(t markup.Tag, label string) (next state, v markup.Verdict) {
	if p.call.spelling.Between() == "" || t.Len >= len(p.in.rest()) || p.tools.Named(label) != nil {
		return wait, markup.NoMatch
	}
	tool, param := p.splitLabel(label)
	if tool == "" {
		return wait, markup.NoMatch
	}
	first, v := p.matchParameter(t, param)
	if v != markup.Match {
		return wait, v
	}
	first.Len -= t.Len
	p.in.take(t.Len, SpanMarkup)
	if next, ok := p.nameTool(tool); !ok {
		return next, v
	}
	p.noteReason("tool_name")
	p.openOffered()
	return p.beginValue(first, param, param, false), v
}

// matchParameter matches the tag of the named parameter that rest has where the tag t stands, which has
// its name as the label, or in it.
func (p *parser) matchParameter(t markup.Tag, name string) (first markup.Tag, v markup.Verdict) {
	label := p.call.spelling.Between() + name
	rest := p.in.rest()[t.Len:]
	near := rest[:min(len(rest), 4*format.MaxToolName)] // of which the tag is no more: all of rest is not to be copied for each call
	first, v = p.call.spelling.MatchListed(append([]byte(label), near...), p.in.eof && len(near) == len(rest))
	first.Len += t.Len - len(label)
	return first, v
}

// readMisopened reads t, which opens a call as the first thing in another: its first parameter, where the
// model wrote the tag of a call for that of a parameter, as in <tool_call>book<tool_call>note</arg_key>.
// Else the call that is open was not closed.
func (p *parser) readMisopened(t markup.Tag) state {
	name, _ := t.NameAttribute()
	_, _, declared := p.call.schema.PropertyByTag(name)
	if !declared || p.call.unoffered || p.tools.Named(name) != nil {
		return p.closeCall("missing_closer")
	}
	first, v := p.matchParameter(t, name)
	switch v {
	case markup.NeedMore:
		return wait
	case markup.NoMatch:
		if p.in.eof && p.cutShort {
			return p.breakOff()
		}
		return p.closeCall("missing_closer")
	}
	p.noteReason("wrong_opener")
	p.openOffered()
	return p.beginValue(first, name, name, false)
}

// readLoneKey reads the name of a parameter whose value does not follow, since all names stand before all
// values: <arg_key>a</arg_key><arg_key>b</arg_key><arg_value>1</arg_value><arg_value>2</arg_value>. The call is one
// only if it is whole and has as many of both. It reports false if rest does not begin with one.
func (p *parser) readLoneKey(rest []byte) bool {
	call := &p.call
	if call.spelling == nil || len(call.parameters) > 0 || call.jsonInput || len(call.stray) > 0 {
		return false
	}
	key, n, ok := call.spelling.MatchLone(rest)
	if _, _, declared := call.schema.PropertyByTag(key); !ok || !declared || slices.Contains(call.keys, key) {
		return false
	}
	call.keys, call.mustBeWhole = append(call.keys, key), true
	p.noteReason("wrong_order")
	p.in.take(n, SpanMarkup)
	return true
}

// nextKey returns the name of the parameter whose value is next, where names stand before it. name is that
// of the tag before the value: the last of the names, before the first value. It reports false where that
// stands there twice, or the tag of any other value has a name.
func (p *parser) nextKey(name string) (key string, ok bool) {
	call := &p.call
	if name != "" {
		if len(call.parameters) > 0 || slices.Contains(call.keys, name) {
			return "", false
		}
		call.keys = append(call.keys, name)
	}
	key, call.keys = call.keys[0], call.keys[1:]
	return key, true
}

// splitLabel splits a label into the name of an offered tool and that of a parameter that it declares.
// Of several tools it is the one with the longest name.
func (p *parser) splitLabel(label string) (tool, param string) {
	for i := range p.tools.List {
		t := &p.tools.List[i]
		rest, ok := strings.CutPrefix(label, t.Name)
		if rest = strings.TrimLeft(rest, " \n"); !ok || rest == "" || len(t.Name) <= len(tool) {
			continue
		}
		if property, _, declared := p.schemas.Of(t).PropertyByTag(rest); declared && property == rest {
			tool, param = t.Name, rest
		}
	}
	return tool, param
}
