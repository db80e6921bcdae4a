package convert

import (
	"bytes"
	"errors"
	"io"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

// messageNames are the fields of a message, including those of an answer that a client sends back.
var messageNames = []string{
	"role", "content", "name", "tool_calls", "tool_call_id", "refusal", "reasoning_content", "function_call", "audio", "annotations",
}

// The roles of Chat Completions, in addition to those of the Messages API. developer is the newer name of system.
const (
	roleDeveloper = "developer"
	roleTool      = "tool"
	roleFunction  = "function" // of an older API
)

// messages writes the conversation. System messages before all others become the system prompt; without others, they
// are the conversation. Each further message becomes one of the same role. A row of results becomes one message of the
// user. A message without content is left out, because the Messages API has none.
func (c *chatConverter) messages(list jsontext.Value) {
	if list = nonNull(list); list == nil {
		return
	}
	var top *memberPath
	leads, begin := hasOthers(list), len(c.out)
	c.write(`"system":[`)
	if !leads {
		c.endSystem(begin)
	}
	for at, v := range c.items(top.member("messages"), list, messages.MaxMessages) {
		m := c.object(at, v, messageNames)
		role := c.stringValue(at.member("role"), m.Take("role"))
		if role == roleDeveloper {
			role = messages.RoleSystem
		}
		if leads && role != messages.RoleSystem {
			leads = false
			c.endSystem(begin)
		}
		if !leads {
			c.beginMessage(at, role)
		}
		c.message(at, role, &m, leads)
		c.dropUsed(at, &m)
	}
	if leads {
		c.endSystem(begin)
	}
	c.endMessage()
	if len(c.messageAt) == 0 && list.Kind() == '[' && len(bytes.TrimSpace(list[1:len(list)-1])) > 0 {
		c.failBy(messages.FaultConversation, top.member("messages"), "At least one message should have a text, an image, a call or a result.")
	}
	c.close(']')
	c.write(",")
}

// hasOthers reports whether a list has messages that are not system messages.
func hasOthers(list jsontext.Value) bool {
	for m := range rawjson.Elements(list) {
		if role := rawjson.StringOf(rawjson.Lookup(m, "role")); role != messages.RoleSystem && role != roleDeveloper {
			return true
		}
	}
	return false
}

// endSystem ends the system prompt, which begins at begin, and begins the list of messages.
func (c *chatConverter) endSystem(begin int) {
	if c.out[len(c.out)-1] == '[' {
		c.out = c.out[:begin]
	} else {
		c.close(']')
		c.write(",")
	}
	c.write(`"messages":[`)
}

// beginMessage begins a message, unless it continues a row of results.
func (c *chatConverter) beginMessage(at *memberPath, role string) {
	if role == roleTool && c.open == roleTool {
		return
	}
	c.endMessage()
	c.open, c.begin = role, len(c.out)
	c.starts = append(c.starts, int32(len(c.blocks)))
	if role == roleTool {
		role = messages.RoleUser
	}
	c.write(`{"role":`)
	c.writeString(role)
	c.write(`,"content":[`)
	c.messageAt = append(c.messageAt, int32(at.index))
}

// endMessage ends the message that was begun, or removes it if it has no content.
func (c *chatConverter) endMessage() {
	switch {
	case c.open == "":
		return
	case c.out[len(c.out)-1] == '[':
		c.out = c.out[:c.begin]
		c.starts, c.messageAt = c.starts[:len(c.starts)-1], c.messageAt[:len(c.messageAt)-1]
	default:
		c.close(']')
		c.write("},")
	}
	c.open = ""
}

// message writes the blocks of a message. leads: the message belongs to the system prompt.
func (c *chatConverter) message(at *memberPath, role string, m *rawjson.Object, leads bool) {
	content := nonNull(m.Take("content"))
	switch role {
	case roleTool:
		m.Take("name") // of the tool, which the call names
		c.toolResult(at, m.Take("tool_call_id"), content)
	case messages.RoleSystem, messages.RoleUser:
		c.content(at, content, leads)
	case messages.RoleAssistant:
		c.reasoning(at, m.Take("reasoning_content"))
		c.content(at, content, false)
		c.text(at, place{field: placeContent, message: int32(at.index)}, m.Take("refusal"), false)
		for at, v := range c.items(at.member("tool_calls"), m.Take("tool_calls"), messages.MaxBlocks) {
			c.toolCall(at, v)
		}
	case roleFunction:
		m.Take("name")
		c.drop(at.member(roleFunction))
	default:
		c.fail(at.member("role"), "This should be system, developer, user, assistant or tool.")
	}
}

// content writes the content of a message: a string, or a list of parts.
func (c *chatConverter) content(at *memberPath, content jsontext.Value, leads bool) {
	index := int32(at.index)
	at = at.member("content")
	switch content.Kind() {
	case 0:
	case '"':
		c.text(at, place{field: placeContent, message: index}, content, leads)
	default:
		for at, v := range c.items(at, content, messages.MaxBlocks) {
			c.part(at, place{field: placePart, message: index, index: int32(at.index)}, v, leads)
		}
	}
}

// part writes one part of a message's content. Parts that cannot be converted are dropped.
func (c *chatConverter) part(at *memberPath, p place, v jsontext.Value, leads bool) {
	from := c.object(at, v, []string{"type", "text", "image_url", "refusal"})
	switch typ := c.stringValue(at.member("type"), from.Take("type")); typ {
	case "text", "refusal":
		c.text(at.member(typ), p, from.Take(typ), leads)
	case "image_url":
		c.image(at.member(typ), p, from.Take(typ), leads)
	case "":
		c.failBy(messages.FaultMissingField, at.member("type"), "Field required")
	default:
		from.Take(typ)
		c.drop(at.member(withoutDots(typ)))
	}
	c.dropUsed(at, &from)
}

// addBlock notes the place of a block.
func (c *chatConverter) addBlock(p place, leads bool) {
	if leads {
		c.system = append(c.system, p)
	} else {
		c.blocks = append(c.blocks, p)
	}
}

// text writes a text. An empty one is left out, because the Messages API has none.
func (c *chatConverter) text(at *memberPath, p place, v jsontext.Value, leads bool) {
	if v = c.rawString(at, v); v == nil || string(v) == `""` {
		return
	}
	c.write(`{"type":"text",`)
	c.writeMember("text", v)
	c.close('}')
	c.write(",")
	c.addBlock(p, leads)
}

// reasoning writes what the model thought.
func (c *chatConverter) reasoning(at *memberPath, v jsontext.Value) {
	if v = c.rawString(at.member("reasoning_content"), v); v == nil || string(v) == `""` {
		return
	}
	c.write(`{"type":"thinking",`)
	c.writeMember("thinking", v)
	c.write(`"signature":""},`)
	c.addBlock(place{field: placeReasoning, message: int32(at.index)}, false)
}

// image writes an image: its address, or its bytes in a data URL.
func (c *chatConverter) image(at *memberPath, p place, v jsontext.Value, leads bool) {
	from := c.object(at, v, []string{"url", "detail"})
	url := c.stringValue(at.member("url"), from.Take("url"))
	if detail := c.stringValue(at.member("detail"), from.Take("detail")); detail != "" && detail != "auto" {
		c.drop(at.member("detail"))
	}
	c.dropUsed(at, &from)
	c.write(`{"type":"image","source":{"type":`)
	if kind, data, ok := strings.Cut(url, ";base64,"); ok && strings.HasPrefix(kind, "data:") {
		kind = strings.Replace(strings.TrimPrefix(kind, "data:"), "image/jpg", "image/jpeg", 1)
		c.write(`"base64","media_type":`)
		c.writeString(kind)
		c.write(`,"data":`)
		c.writeString(data)
	} else {
		c.write(`"url","url":`)
		c.writeString(url)
	}
	c.write("}},")
	c.addBlock(p, leads)
}

// toolResult writes the result of a call.
func (c *chatConverter) toolResult(at *memberPath, id, content jsontext.Value) {
	c.write(`{"type":"tool_result",`)
	c.writeID("tool_use_id", id)
	c.write(`"content":`)
	p := place{field: placeResult, message: int32(at.index)}
	if content == nil || content.Kind() == '"' {
		c.write(string(content))
		if content == nil {
			c.write(`""`)
		}
	} else {
		c.write("[")
		before := len(c.blocks)
		c.content(at, content, false)
		c.blocks = c.blocks[:before] // a result is one block of its message
		c.close(']')
	}
	c.write("},")
	c.addBlock(p, false)
}

// toolCall writes a call. Calls of other types than functions are dropped.
func (c *chatConverter) toolCall(at *memberPath, v jsontext.Value) {
	from := c.object(at, v, []string{"id", "type", "function", "index"})
	if typ := c.stringValue(at.member("type"), from.Take("type")); typ != "" && typ != "function" {
		c.drop(at.member(withoutDots(typ)))
		return
	}
	from.Take("index") // of a delta
	inner := at.member("function")
	function := c.object(inner, from.Take("function"), []string{"name", "arguments"})
	c.write(`{"type":"tool_use",`)
	c.callID(at.up.up.index, from.Take("id"))
	c.writeMember("name", function.Take("name"))
	c.write(`"input":`)
	c.arguments(inner.member("arguments"), function.Take("arguments"))
	c.write("},")
	c.addBlock(place{field: placeCall, message: int32(at.up.up.index), index: int32(at.index)}, false)
	c.dropUsed(inner, &function)
	c.dropUsed(at, &from)
}

// callID writes the id of a call. Some servers number the calls of each answer anew, but in the Messages API an id names
// one call of the conversation. So an id that an earlier message has, too, gets a number.
func (c *chatConverter) callID(message int, v jsontext.Value) {
	id := rawjson.StringOf(v)
	use, again := c.calls[id]
	if again && use.message != message {
		use.earlier++
	}
	use.message = message
	c.calls[id] = use
	c.writeID("id", v)
}

// writeID writes the id of a call or of its result.
func (c *chatConverter) writeID(name string, v jsontext.Value) {
	if id := rawjson.StringOf(v); id != "" && c.calls[id].earlier > 0 {
		v = rawjson.AppendString(nil, id+"."+strconv.Itoa(c.calls[id].earlier))
	}
	c.writeMember(name, v)
}

// arguments writes the input of a call, which is JSON in a string. OpenAI's API accepts any string in its place, because
// a model may write anything. Of a text that is not an object, the first parameters are kept that are complete. If the
// text is not merely cut, as the answer of a model may be, it is named among the dropped fields.
func (c *chatConverter) arguments(at *memberPath, v jsontext.Value) {
	text := strings.TrimSpace(c.stringValue(at, v))
	if text == "" {
		text = "{}"
	} else if messages.CheckJSON(c.ctx, []byte(text)) != nil {
		if _, err := jsontext.NewDecoder(strings.NewReader(text)).ReadValue(); text[0] != '{' || !errors.Is(err, io.ErrUnexpectedEOF) {
			c.drop(at)
		}
		text = "{" + strings.TrimPrefix(string(rawjson.AppendCutObject(nil, text)), "{") + "}"
	}
	c.write(text)
}
