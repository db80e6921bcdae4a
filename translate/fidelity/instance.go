package fidelity

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/messages"
)

// This file makes instances: tools, and values that fit their schemas.

// Instance is a request that offers tools, and the calls that the model means to make.
type Instance struct {
	Tools []Tool
	Calls []ToolCall
}

// Tool is a tool and its schema.
type Tool struct {
	Name   string
	Schema string // JSON
	root   *node
}

// ToolCall is one call, as it was meant or as it was read.
type ToolCall struct {
	Name  string
	Input Value
	tool  *Tool
}

// Draw returns the instance of a seed. Its calls fit their tools completely: the members of all objects are
// in the order of the schemas.
func Draw(seed uint64) *Instance {
	cut := false
	c := seeded(seed)
	for c.ordered, c.cut = true, &cut; ; cut = false {
		if inst := newInstance(c); !cut {
			return inst
		}
	}
}

// newInstance makes an instance with these choices.
func newInstance(c chance) *Instance {
	inst := &Instance{}
	for _, i := range c.Perm(len(toolNames))[:1+c.IntN(3)] {
		root, schema := newSchema(c)
		inst.Tools = append(inst.Tools, Tool{toolNames[i], schema, root})
	}
	n := 1
	if c.oneIn(4) {
		n += 1 + c.IntN(2)
	}
	for range n {
		t := &inst.Tools[c.IntN(len(inst.Tools))]
		inst.Calls = append(inst.Calls, ToolCall{t.Name, newValue(c, t.root, 0), t})
	}
	return inst
}

// Request returns the request that offers the tools.
func (inst *Instance) Request() *messages.Request {
	req := &messages.Request{ID: "msg_fidelity", Model: "m", MaxTokens: 1000}
	for _, t := range inst.Tools {
		req.Tools = append(req.Tools, messages.Tool{Name: t.Name, InputSchema: jsontext.Value(t.Schema)})
	}
	req.Messages = []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "Go on."}}}}
	return req
}

// newValue makes a value that fits a schema. depth is the number of values around it.
func newValue(c chance, n *node, depth int) Value {
	if n.nullable != "" && c.oneIn(4) {
		return null
	}
	switch n.kind {
	case kindString:
		return str(newText(c))
	case kindInteger:
		return number(pick(c, numbers))
	case kindNumber:
		return number(pick(c, append(fractions, numbers...)))
	case kindBoolean:
		return pick(c, []Value{yes, no})
	case kindNull:
		return null
	case kindEnum:
		return pick(c, n.enum)
	case kindUnion:
		return newValue(c, pick(c, n.alts), depth+1)
	case kindArray:
		return newArray(c, n, depth)
	case kindObject:
		return newObject(c, n, depth)
	}
	return newAny(c, depth)
}

// maxDepth is how deep values are nested if their schemas refer to themselves.
const maxDepth = 7

// newArray makes an array.
func newArray(c chance, n *node, depth int) Value {
	v := list()
	for range c.IntN(4) {
		if depth < maxDepth {
			v.List = append(v.List, newValue(c, n.itemNode(), depth+1))
		}
	}
	return v
}

// newObject makes an object. It sometimes leaves out optional properties. At the limit of nesting, it
// leaves out all.
func newObject(c chance, n *node, depth int) Value {
	v := object()
	for _, p := range n.props {
		switch {
		case depth >= maxDepth:
			if p.required && c.cut != nil {
				*c.cut = true
			}
		case p.required || c.oneIn(2):
			v.add(p.name, newValue(c, p.node, depth+1))
		}
	}
	if n.more != nil && depth < maxDepth {
		for range c.IntN(3) {
			if name := newName(c); !n.declares(name) {
				v.set(name, newValue(c, n.more, depth+1))
			}
		}
	}
	if !c.ordered && c.oneIn(3) {
		c.Shuffle(len(v.Members), func(i, j int) { v.Members[i], v.Members[j] = v.Members[j], v.Members[i] })
	}
	return v
}

// set adds a member, if the object has no member with this name.
func (v *Value) set(name string, value Value) {
	if _, ok := v.member(name); !ok {
		v.add(name, value)
	}
}

// newAny makes a value of any type.
func newAny(c chance, depth int) Value {
	if depth < 3 && c.oneIn(3) {
		if c.oneIn(2) {
			return newArray(c, &node{}, depth+1)
		}
		v := object()
		for range c.IntN(3) {
			v.set(newName(c), newAny(c, depth+1))
		}
		return v
	}
	return pick(c, []Value{null, yes, no, number(pick(c, numbers)), number(pick(c, fractions)), str(newText(c)), str(newText(c))})
}

// sameCalls reports whether two lists hold the same calls in the same order.
func sameCalls(a, b []ToolCall) bool {
	return slices.EqualFunc(a, b, func(x, y ToolCall) bool { return x.Name == y.Name && x.Input.Equal(y.Input) })
}

// showCalls returns calls in readable form, one on a line.
func showCalls(calls []ToolCall) string {
	var b strings.Builder
	for _, call := range calls {
		fmt.Fprintf(&b, "%s %s\n", call.Name, call.Input.JSON())
	}
	return b.String()
}
