package translate

import (
	"bytes"
	"dragoman/translate/markup"
	"dragoman/translate/rawjson"
	"strings"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

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

// openArguments returns the text of the arguments in that of a call in JSON that was
// cut in or behind them; "" if they had not begun.
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

// jsonNameState begins a call in JSON, in its block, and opens that of the answer if
// the name of the tool comes first, as it does.
func jsonNameState(p *parser) state {
	name, v := matchJSONName(p.rest(), p.eof)
	if v == markup.More {
		return nil
	}
	p.currentValue = currentValue{}
	if v == markup.Yes {
		if next := p.named(name); next != nil {
			return next
		}
	}
	return jsonCallState
}

// matchJSONName matches `{"name": "…"` and returns the name.
func matchJSONName(s []byte, eof bool) (name string, v markup.Verdict) {
	more := markup.More
	if most := 2 * maxToolName; eof || len(s) >= most {
		more, s = markup.No, s[:min(len(s), most)]
	}
	i := 0
	for _, token := range []string{"{", `"name"`, ":"} {
		switch i = markup.SkipBlanks(s, i, len(s)); {
		case markup.HasPrefix(s[i:], token):
			i += len(token)
		case markup.IsPrefixOf(s[i:], token):
			return "", more
		default:
			return "", markup.No
		}
	}
	i = markup.SkipBlanks(s, i, len(s))
	switch {
	case i == len(s):
		return "", more
	case s[i] != '"':
		return "", markup.No
	}
	end := bytes.IndexAny(s[i+1:], `"\\`)
	switch {
	case end < 0:
		return "", more
	case s[i+1+end] != '"':
		return "", markup.No // an escape: read with the rest
	}
	return string(s[i+1 : i+1+end]), markup.Yes
}

// jsonCallState reads {"name":…,"arguments":{…}}. The arguments come when they are whole.
func jsonCallState(p *parser) state {
	rest := p.rest()
	n, end := p.json.object(rest)
	p.held = append(p.held, rest[:n]...)
	p.pos += n
	switch {
	case p.holdsTooMuch():
		return p.endTooLong()
	case end == markup.Yes:
		return p.endJSONCall()
	case end == markup.No && p.json.depth == 1 && !p.json.inString: // a tag: the last brace was forgotten
		p.fix("missing_brace")
		p.held = append(p.held, '}')
		return p.endJSONCall()
	case end == markup.No:
		return p.unreadJSONCall()
	case !p.eof:
		return nil
	case p.cutShort || p.tentative:
		p.openObject(openArguments(markup.Unescape(string(p.held), p.escaped, "")))
		return p.endIncomplete()
	}
	return p.unreadJSONCall()
}

// endJSONCall reads what the whole call says.
func (p *parser) endJSONCall() state {
	said := markup.Unescape(string(p.held), p.escaped, "")
	text, ok := rawjson.AppendValue(nil, said)
	var call jsonCall
	if !ok || json.Unmarshal(text, &call) != nil || call.Name == nil {
		return p.unreadJSONCall()
	}
	if p.tool == "" {
		if next := p.named(*call.Name); next != nil {
			return next
		}
	}
	input, ok := rawjson.AppendKind(nil, call.arguments(), '{')
	if !ok {
		return p.unreadJSONCall()
	}
	if p.format != formats[jsonFormat] {
		p.fix("json_call")
	}
	if len(call.Rest) > 0 {
		p.fix("extra_element")
	}
	if !jsontext.Value(said).IsValid() {
		p.fix("mended_json")
	}
	p.commit()
	p.out, p.held = append(p.out, input[:len(input)-1]...), nil // the brace comes with the end of the call
	p.object = true
	p.cameWhole()
	return jsonCallEndState
}

// unreadJSONCall gives back what cannot be read.
func (p *parser) unreadJSONCall() state {
	p.fix("invalid_json")
	if p.tentative {
		p.held = nil
		return p.giveBackCall("invalid_json")
	}
	p.lost, p.held = p.held, nil
	return p.endUnread()
}

// jsonCallEndState reads the end of the call's block.
func jsonCallEndState(p *parser) state {
	if !p.skip() {
		if !p.eof {
			return nil
		}
		return p.endCall("missing_closer") // its last brace says that it is whole
	}
	t, v := markup.MatchTag(p.rest(), p.eof)
	switch {
	case p.rest()[0] == '<' && v == markup.More:
		return nil
	case p.rest()[0] == '<' && v == markup.Yes && t.Closing && isWrapper(t), p.rest()[0] == '{':
		return p.endCall("")
	}
	return p.endCall("missing_closer")
}

// object follows a JSON object: n bytes of s belong to it. Yes is its end; No is a
// tag where no string is open, which is no JSON.
func (j *jsonState) object(s []byte) (n int, end markup.Verdict) {
	for i, c := range s {
		if c == '<' && !j.inString {
			return i, markup.No
		}
		if j.step(c); j.whole() {
			return i + 1, markup.Yes
		}
	}
	return len(s), markup.More
}
