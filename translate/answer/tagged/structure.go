package tagged

import (
	"bytes"

	"dragoman/translate/answer/completion"
	"dragoman/translate/format"
	"dragoman/translate/markup"
	"dragoman/translate/messages"
)

// This file reads the tags of a call's own structure: tags that begin the call again, tags of the next call, and
// elements that are not parameters.

// readStructure reads an opening tag of the call's own structure, and returns the next state. If t is not one of
// these tags, readStructure reads nothing and returns false:
//
//	<parameters>                 The parameters begin.
//	<function_calls>, <invoke>   The model begins the call again, if the tag is the first thing in
//	                             <parameters>, or in a call that a prefill has opened. An <invoke> with
//	                             the same name as the first thing in a call also begins it again:
//	                             see close. Otherwise, this call was not closed and the next one begins.
//	<function_results>           This call was not closed, and the model invents its result.
//	<tool_name>, <id>            The model repeats the name, or invents an id. The element is dropped.
func (r *Reader) readStructure(t markup.Tag) (next state, ok bool) {
	call := r.call
	fresh := len(call.Parameters) == 0 && !call.JSONInput
	switch {
	case t.Is("parameters") && call.JSONInput:
		return r.readStrayTag(t), true
	case t.Is("parameters") && (!call.ParametersOpen || fresh):
		r.Hold()
		call.Unread = call.Unread || t.HasValues()
		call.ParametersOpen = !t.Empty
		if !call.StrayTag {
			call.Stray = nil // text before <parameters> was not meant as the input
		}
	case t.IsWrapper() && fresh && call.ParametersOpen:
		r.open.restarted = true
		r.call.NoteReason(messages.ReasonRestarted)
	case t.IsWrapper() && fresh && r.call.Opening && !r.open.restarted:
		switch r.matchOpenedAgain(t) {
		case markup.NeedMore:
			return wait, true
		case markup.NoMatch:
			return r.close(messages.ReasonMissingCloser), true
		}
		r.open.restarted = true
		r.call.NoteReason(messages.ReasonRestarted)
	case t.Is("invoke") && r.open.restarted && fresh:
		if _, named := t.NameAttribute(); named && !r.opensAgain(t) {
			return r.close(messages.ReasonMissingCloser), true
		}
	case t.Is("invoke") && fresh && !call.ParametersOpen && r.opensAgain(t):
		if (call.Reason == messages.ReasonStrayText || call.Reason == messages.ReasonStrayCloser) && len(call.Schema.Required) == 0 && !call.IsInput() {
			return r.doubtful(), true // what stands between the two may be the end of the first
		}
		r.open.begunTwice = true
		r.call.NoteReason(messages.ReasonRestarted)
	case t.Is("invoke") && fresh && r.call.Spelling != nil && r.call.Spelling.Labels():
		return r.readMisopened(t), true
	case t.IsWrapper(), t.Is("invoke"), t.Is("function_results"):
		return r.close(messages.ReasonMissingCloser), true
	case t.Is("tool_name") && (!call.ParametersOpen || r.open.restarted),
		!call.ParametersOpen && (t.Is("tool_id") || t.Is("id")) && (call.Schema.AdditionalProperties == nil || call.Unoffered):
		return r.skipElement(t), true
	default:
		return wait, false
	}
	r.in.Take(t.Len, completion.SpanMarkup)
	return inCall, true
}

// opensAgain reports whether t is <invoke name="…"> with the name of the open call.
func (r *Reader) opensAgain(t markup.Tag) bool {
	name, ok := t.NameAttribute()
	if g := r.call.Spelling; g != nil && g.IDs {
		name = r.tools.OfID(name)
	}
	return ok && r.call.AttributeForm && name == r.call.Tool
}

// matchOpenedAgain reports whether the opening tag of the open call follows the wrapper t.
func (r *Reader) matchOpenedAgain(t markup.Tag) markup.Verdict {
	rest := r.in.Rest()
	i, v := r.in.MatchBlanks(rest, t.Len, completion.MaxGap)
	switch {
	case v != markup.Match:
		return v
	case i == len(rest) || rest[i] != '<':
		return markup.NoMatch
	}
	next, v := r.MatchTag(rest[i:])
	if v == markup.Match {
		v = markup.VerdictOf(next.Is("invoke") && !next.Closing && r.opensAgain(next))
	}
	return v
}

// skipElement drops a small element that is not a parameter: a repeated name, or an id. If no closing tag is near,
// it drops only the opening tag.
func (r *Reader) skipElement(t markup.Tag) state {
	rest := r.in.Rest()[t.Len:]
	if t.Empty {
		r.in.Take(t.Len, completion.SpanDropped)
		return inCall
	}
	near := rest[:min(len(rest), format.MaxToolName)]
	end := bytes.Index(near, []byte("</"))
	if end < 0 {
		if len(near) < format.MaxToolName && !r.in.EOF {
			return wait
		}
		r.in.Take(t.Len, completion.SpanDropped)
		return inCall
	}
	closer, v := r.MatchTag(rest[end:])
	switch v {
	case markup.NeedMore:
		return wait
	case markup.Match:
		end += closer.Len
	}
	r.call.NoteReason(messages.ReasonExtraElement)
	r.in.Take(t.Len+end, completion.SpanDropped)
	return inCall
}
