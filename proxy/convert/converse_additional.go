package convert

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// This file reads additionalModelRequestFields: fields of the Messages API (docs/reference/messages-api.md §2) that
// Bedrock merges into the body that it makes of the rest of the request.

// additionalFields are the fields that are read, sorted by name.
var additionalFields = []string{
	"anthropic_beta", "anthropic_version", "cache_control", "compaction", "container", "context_management", "inference_geo",
	"max_tokens", "mcp_servers", "metadata", "output_config", "output_format", "service_tier", "speed", "stop_sequences",
	"temperature", "thinking", "tool_choice", "tools", "top_k", "top_p",
}

// origins names the parts of the body that come from additionalModelRequestFields: fields, and fields of fields
// ("tool_choice.type"). For a list, the value is the index of the first element that comes from there.
type origins map[string]int

// path returns the client's path of a value from additionalModelRequestFields, and "" for any other value.
func (o origins) path(steps []string) string {
	first, ok := o[steps[0]]
	if len(steps) > 1 && !ok {
		_, ok = o[steps[0]+"."+steps[1]]
	}
	if first > 0 { // Converse's own elements come first
		index := 0
		if len(steps) > 1 {
			index, _ = strconv.Atoi(steps[1])
		}
		if ok = index >= first; ok {
			steps[1] = strconv.Itoa(index - first)
		}
	}
	if !ok {
		return ""
	}
	return "additionalModelRequestFields." + strings.Join(steps, ".")
}

// additional adds fields to the fields that the body has from begin on, sorted by name, so that the same request makes
// the same body. Converse's own fields win over these.
func (c *converseConverter) additional(at *memberPath, from *rawjson.Object, begin int) {
	if len(from.Members) == 0 || c.err != nil {
		return
	}
	own := rawjson.ReadObject(append(append([]byte{'{'}, bytes.TrimSuffix(c.out[begin:], []byte(","))...), '}'))
	for _, name := range additionalFields {
		at, v, before := at.member(name), nonNull(from.Take(name)), own.Member(name)
		switch {
		case v == nil:
		case before == nil && name != "max_tokens": // max_tokens is only left here if Converse has its own, which wins
			c.origins[name] = 0
			own.Set(name, v)
		case name == "tools":
			own.Set(name, c.join(at, before, v))
		case before.Kind() == '{':
			own.Set(name, c.merge(at, before, v))
		case !bytes.Equal(before, v):
			c.drop(at)
		}
	}
	c.dropRest(at, from)
	if choice := own.Member("tool_choice"); choice.Kind() == '{' && rawjson.Lookup(choice, "type") == nil {
		// LiteLLM sends disable_parallel_tool_use without a type.
		own.Set("tool_choice", rawjson.WithMembers(choice, map[string]jsontext.Value{"type": jsontext.Value(`"auto"`)}))
	}
	if len(own.Members) > 0 {
		body := own.JSON()
		c.out = c.out[:begin]
		c.write(string(body[1:len(body)-1]) + ",")
	}
}

// join returns the list before, followed by the elements of v.
func (c *converseConverter) join(at *memberPath, before, v jsontext.Value) jsontext.Value {
	for range rawjson.Elements(before) {
		c.origins[at.name]++
	}
	list := bytes.Clone(before[:len(before)-1])
	for _, e := range c.items(at, v, messages.MaxTools) {
		list = append(append(list, ','), e...)
	}
	return append(list, ']')
}

// merge returns the object before, with those fields of v that it lacks.
func (c *converseConverter) merge(at *memberPath, before, v jsontext.Value) jsontext.Value {
	all, own := rawjson.ReadObject(before), rawjson.ReadObject(before)
	for _, m := range c.object(at, v, nil).Members {
		switch value := own.Member(m.Name); {
		case nonNull(m.Value) == nil:
		case value == nil:
			c.origins[at.name+"."+m.Name] = 0
			all.Members = append(all.Members, m)
		case !bytes.Equal(value, m.Value):
			c.drop(at.member(withoutDots(m.Name)))
		}
	}
	return all.JSON()
}
