package translate

import (
	"bytes"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
)

// A call in JSON: {"name":…,"arguments":{…}} in a block of its own.

// jsonCall is what a call in JSON says. Models know the arguments by other names, too.
type jsonCall struct {
	Name       *string                   `json:"name"`
	Arguments  jsontext.Value            `json:"arguments"`
	Parameters jsontext.Value            `json:"parameters"`
	Input      jsontext.Value            `json:"input"`
	Rest       map[string]jsontext.Value `json:",embed"`
}

// arguments returns those of the call: none are an empty object.
func (c *jsonCall) arguments() string {
	for _, v := range []jsontext.Value{c.Arguments, c.Parameters, c.Input} {
		if len(v) > 0 && v.Kind() != 'n' {
			return string(v)
		}
	}
	return "{}"
}

// openArguments returns the text of the arguments in that of a call that was cut in or behind
// them; "" if they had not begun.
func openArguments(text string) string {
	mended := rawjson.Mend(text)
	d := jsontext.NewDecoder(bytes.NewReader(mended))
	if t, err := d.ReadToken(); err != nil || t.Kind() != '{' {
		return ""
	}
	for {
		name, err := d.ReadToken()
		if err != nil || name.Kind() != '"' {
			return ""
		}
		if s := name.String(); s == "arguments" || s == "parameters" || s == "input" {
			return strings.TrimLeft(string(mended[d.InputOffset():]), " \t\r\n:")
		}
		if _, err := d.ReadValue(); err != nil {
			return ""
		}
	}
}

// readJSONName reads the beginning of a call in JSON, whose brace is next. If the name of the tool
// comes first, as it does, the block of the call opens.
func (p *parser) readJSONName() state {
	name, v := matchJSONName(p.in.rest(), p.in.eof)
	if v == markup.NeedMore {
		return wait
	}
	p.value = valueSeen{}
	if v == markup.Match {
		if next := p.nameTool(name); next != wait {
			return next
		}
	}
	return inJSONCall
}

// matchJSONName matches `{"name": "…"` and returns the name.
func matchJSONName(s []byte, eof bool) (name string, v markup.Verdict) {
	more := markup.NeedMore
	if most := 2 * maxToolName; eof || len(s) >= most {
		more, s = markup.NoMatch, s[:min(len(s), most)]
	}
	i := 0
	for _, token := range []string{"{", `"name"`, ":"} {
		switch i = markup.SkipBlanks(s, i, len(s)); {
		case markup.HasPrefix(s[i:], token):
			i += len(token)
		case markup.IsPrefixOf(s[i:], token):
			return "", more
		default:
			return "", markup.NoMatch
		}
	}
	i = markup.SkipBlanks(s, i, len(s))
	switch {
	case i == len(s):
		return "", more
	case s[i] != '"':
		return "", markup.NoMatch
	}
	end := bytes.IndexAny(s[i+1:], `"\\`)
	switch {
	case end < 0:
		return "", more
	case s[i+1+end] != '"':
		return "", markup.NoMatch // an escape: read with the rest
	}
	return string(s[i+1 : i+1+end]), markup.Match
}

// readJSONCall reads a call in JSON up to its last brace. Its arguments are sent when they are
// whole.
func (p *parser) readJSONCall() state {
	v := &p.value
	rest := p.in.rest()
	n, end := v.json.readObject(rest)
	v.held = append(v.held, rest[:n]...)
	p.in.take(n)
	switch {
	case p.holdsTooMuch():
		return p.closeTooLong()
	case end == markup.Match:
		return p.endJSONCall()
	case end == markup.NoMatch && v.json.depth == 1 && !v.json.inString: // a tag: the last brace was forgotten
		p.noteReason("missing_brace")
		v.held = append(v.held, '}')
		return p.endJSONCall()
	case end == markup.NoMatch:
		return p.closeUnreadJSON()
	case !p.in.eof:
		return wait
	case p.cutShort || p.out.pending:
		p.writeOpenObject(openArguments(markup.Unescape(string(v.held), p.escaped, "")))
		return p.breakOff()
	}
	return p.closeUnreadJSON()
}

// endJSONCall reads what the whole call says.
func (p *parser) endJSONCall() state {
	said := markup.Unescape(string(p.value.held), p.escaped, "")
	text, ok := rawjson.AppendLoose(nil, said)
	var call jsonCall
	if !ok || json.Unmarshal(text, &call) != nil || call.Name == nil {
		return p.closeUnreadJSON()
	}
	if p.call.tool == "" {
		if next := p.nameTool(*call.Name); next != wait {
			return next
		}
	}
	input, ok := rawjson.AppendLooseKind(nil, call.arguments(), '{')
	if !ok {
		return p.closeUnreadJSON()
	}
	if p.format.name != FormatJSON {
		p.noteReason("json_call")
	}
	if len(call.Rest) > 0 {
		p.noteReason("extra_element")
	}
	if !jsontext.Value(said).IsValid() {
		p.noteReason("mended_json")
	}
	p.openCall()
	p.out.write(input[:len(input)-1]) // the brace comes with the end of the call
	p.out.markWhole()
	p.value.held = nil
	p.call.jsonInput = true
	return afterJSONCall
}

// closeUnreadJSON gives back what cannot be read.
func (p *parser) closeUnreadJSON() state {
	p.noteReason("invalid_json")
	held := p.value.held
	p.value.held = nil
	if p.out.pending {
		return p.giveBackCall("invalid_json")
	}
	p.call.stray = held
	return p.closeUnread()
}

// readAfterJSONCall reads the end of the call's block, which its last brace has told.
func (p *parser) readAfterJSONCall() state {
	if !p.in.skipBlanks() {
		if !p.in.eof {
			return wait
		}
		return p.closeCall("missing_closer")
	}
	rest := p.in.rest()
	t, v := markup.MatchTag(rest, p.in.eof)
	switch {
	case rest[0] == '<' && v == markup.NeedMore:
		return wait
	case rest[0] == '<' && v == markup.Match && t.Closing && t.IsWrapper(), rest[0] == '{':
		return p.closeCall("")
	}
	return p.closeCall("missing_closer")
}
