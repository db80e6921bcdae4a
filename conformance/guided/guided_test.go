package guided

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"dragoman/translate"
	"dragoman/translate/fidelity"
	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
	"dragoman/translate/schema"
)

// formats are those that have constraints.
var formats = []string{format.Legacy, format.Attribute, format.JSON, format.Qwen3Coder, format.GLM, format.Kimi, format.DeepSeek, format.Pythonic, format.Mistral, format.Llama, format.Harmony}

// target is a model that goes on from a prefill, asked in a format.
func target(name string) translate.Target {
	return translate.Target{ModelOptions: translate.ModelOptions{Format: name}, Prefill: true}
}

// request offers tools, and forces a call.
func request(tools []messages.Tool, choice messages.ToolChoice) *messages.Request {
	return &messages.Request{ID: "msg_guided", Model: "m", MaxTokens: 1000, Tools: tools, ToolChoice: choice,
		Messages: []messages.MessageParam{{Role: messages.RoleUser, Content: []messages.BlockParam{{Type: messages.BlockText, Text: "Go on."}}}}}
}

// after returns the request of a client that shows the model these calls, with their escapes, as calls of the turn before.
func after(req *messages.Request, calls []translate.ToolUse) *messages.Request {
	var uses, results []messages.BlockParam
	for i, call := range calls {
		id := fmt.Sprint("toolu_", i)
		uses = append(uses, messages.BlockParam{Type: messages.BlockToolUse, ID: id, Name: call.Name, Input: call.Input})
		results = append(results, messages.BlockParam{Type: messages.BlockToolResult, ToolUseID: id})
	}
	req.Messages = append(req.Messages, messages.MessageParam{Role: messages.RoleAssistant, Content: uses}, messages.MessageParam{Role: messages.RoleUser, Content: results})
	return req
}

var anyTool = messages.ToolChoice{Type: messages.ChoiceAny}

// constrained returns the prompt and the constraint of a request; the latter is nil if it is too long.
func constrained(t *testing.T, req *messages.Request, name string) (*translate.Prompt, *translate.Constraint) {
	t.Helper()
	p, err := translate.Render(req, target(name))
	if err != nil {
		t.Fatal(err)
	}
	c, err := translate.Constrain(t.Context(), p, false)
	if err != nil && !strings.Contains(err.Error(), "servers take") {
		t.Fatal(name, err)
	}
	return p, c
}

// golden is a completion of the corpus.
type golden struct {
	ID       string
	Tools    map[string]jsontext.Value
	Expected []struct {
		Type, Name string
		Input      jsontext.Value
	}
}

// irregular are the completions of calls that no prompt teaches: an integer with a fraction, a parameter
// that the tool does not declare.
var irregular = map[string]bool{
	"fraction-of-zeros-legacy": true, "fraction-of-zeros-attribute": true, "undeclared-legacy": true, "undeclared-attribute": true,
}

// goldens yields requests and the calls that are their answers.
func goldens(t *testing.T) iter.Seq2[*messages.Request, []translate.ToolUse] {
	t.Helper()
	file, err := os.Open(filepath.Join("..", "..", "translate", "testdata", "corpus.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	return func(yield func(*messages.Request, []translate.ToolUse) bool) {
		defer file.Close()
		seen := map[string]bool{}
		lines := bufio.NewScanner(file)
		lines.Buffer(nil, 16<<20)
		for lines.Scan() {
			var g golden
			if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
				t.Fatal(err)
			}
			if irregular[g.ID] {
				continue
			}
			var calls []translate.ToolUse
			for _, b := range g.Expected {
				if s, offered := g.Tools[b.Name]; b.Type == "tool_use" && offered && fits(t, s, b.Input) {
					calls = append(calls, translate.ToolUse{Name: b.Name, Input: inOrder(s, b.Input)})
				}
			}
			key := fmt.Sprint(g.Tools, calls)
			if len(calls) == 0 || seen[key] {
				continue
			}
			seen[key] = true
			var tools []messages.Tool
			for name, s := range g.Tools {
				tools = append(tools, messages.Tool{Name: name, InputSchema: s})
			}
			slices.SortFunc(tools, func(a, b messages.Tool) int { return strings.Compare(a.Name, b.Name) })
			if !yield(request(tools, anyTool), calls) {
				return
			}
		}
	}
}

// inOrder returns an input with its members in the order of the schema.
func inOrder(s, input jsontext.Value) jsontext.Value {
	var ordered []string
	add := func(name string, value jsontext.Value) {
		ordered = append(ordered, fmt.Sprintf("%q:%s", name, value))
	}
	properties := rawjson.Lookup(s, "properties")
	for name := range rawjson.NamedMembers(properties) {
		if value := rawjson.Lookup(input, name); value != nil {
			add(name, value)
		}
	}
	for name, value := range rawjson.NamedMembers(input) {
		if rawjson.Lookup(properties, name) == nil {
			add(name, value)
		}
	}
	return jsontext.Value("{" + strings.Join(ordered, ",") + "}")
}

// fits reports whether a value is valid under a schema, by a validator that others wrote.
func fits(t *testing.T, s, value jsontext.Value) bool {
	t.Helper()
	parsed, err := jsonschema.UnmarshalJSON(bytes.NewReader(s))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("tool.json", parsed); err != nil {
		t.Fatal(err)
	}
	compiled, err := c.Compile("tool.json")
	if err != nil {
		return false // a schema that is not one
	}
	v, err := jsonschema.UnmarshalJSON(bytes.NewReader(value))
	return err == nil && compiled.Validate(v) == nil
}

// TestTaughtIsAllowed has the engines take calls as the prompt teaches them, but for those that exempt names.
func TestTaughtIsAllowed(t *testing.T) {
	list := engines(t)
	n := uint64(3)
	if *more {
		n = 10_000
	}
	for i, name := range formats {
		t.Run(name, func(t *testing.T) {
			all, exempted := 0, map[string]int{}
			check := func(req *messages.Request, calls []translate.ToolUse) {
				p, c := constrained(t, after(req, calls), name)
				text := p.WriteCalls(calls)
				all++
				switch why := exempt(p, calls); {
				case why != "":
					exempted[why]++
					return
				case c == nil:
					exempted["too long"]++
					return
				}
				for _, e := range list {
					v := e.ask(t, &job{Grammar: c.Grammar, Accepts: []string{text}})
					switch {
					case v.Error == "" && v.Accepts[0]:
					case e.name == "llguidance" && v.Error == "" && slices.ContainsFunc(req.Tools, func(tool messages.Tool) bool { return hasObjects(tool.InputSchema, tool.InputSchema) }):
						exempted["llguidance, several objects in a union"]++
					default:
						t.Errorf("%s refuses: %s\n%s\n%s", e.name, v.Error, text, show(req))
					}
				}
			}
			at := 0
			for req, calls := range goldens(t) {
				if at++; *more || (i+at)%len(formats) == 0 {
					check(req, calls)
				}
			}
			for seed := range n {
				if !*more {
					seed = seed*uint64(len(formats)) + uint64(i)
				}
				inst := fidelity.Draw(seed)
				var calls []translate.ToolUse
				for _, call := range inst.Calls {
					calls = append(calls, translate.ToolUse{Name: call.Name, Input: jsontext.Value(call.Input.JSON())})
				}
				req := inst.Request()
				req.ToolChoice = anyTool
				check(req, calls)
			}
			t.Logf("%d answers; exempt: %v", all, exempted)
		})
	}
}

// exempt returns why a constraint need not allow calls that the prompt writes; "" if it has to.
//
// Parameters that no schema names have no element and no keyword: a constraint is made of the schema. A string that the
// parser could not tell from other values or, in legacy, from the tags of other parameters, stands in one object with all
// arguments; a constraint that offered both ways for each tool would be twice as long.
//
// Members come in the order of the schema. A few random calls have another order.
func exempt(p *translate.Prompt, calls []translate.ToolUse) string {
	for _, call := range calls {
		frame, _ := p.Declared.FrameOf(call.Name)
		tool := p.Source.Tools[slices.IndexFunc(p.Source.Tools, func(tool messages.Tool) bool { return tool.Name == call.Name })]
		text := p.WriteCalls([]translate.ToolUse{call})
		switch {
		case frame.Arguments != format.ObjectArguments && hasUnlisted(p.Schemas.Of(&tool), call.Input):
			return "unlisted parameters"
		case frame.Arguments == format.ElementArguments && strings.Contains(p.Opening+text, frame.Head+frame.InObject[0]+"{"):
			return "in one object"
		case !isInOrder(orders(tool.InputSchema, nil), call.Input):
			return "another order"
		}
	}
	return ""
}

// hasObjects reports whether a union in a part of a schema has several objects. llguidance may make one token of one of
// them, and smaller tokens of another. It takes the longer token, and does not go back.
func hasObjects(whole, part jsontext.Value) bool {
	switch part.Kind() {
	case '{':
		for name, value := range rawjson.NamedMembers(part) {
			if hasObjects(whole, value) {
				return true
			}
			objects := 0
			if name == "anyOf" || name == "oneOf" {
				for one := range rawjson.Elements(value) {
					if ref := rawjson.Lookup(one, "$ref"); ref != nil {
						at := strings.TrimPrefix(rawjson.Unquote(ref), "#/$defs/")
						one = rawjson.Lookup(rawjson.Lookup(whole, "$defs"), strings.NewReplacer("~1", "/", "~0", "~").Replace(at))
					}
					if kind := string(rawjson.Lookup(one, "type")); kind == "" || strings.Contains(kind, "object") {
						objects++
					}
				}
			}
			if objects > 1 {
				return true
			}
		}
	case '[':
		for value := range rawjson.Elements(part) {
			if hasObjects(whole, value) {
				return true
			}
		}
	}
	return false
}

// orders appends the names of the properties of a schema, and of those in it, in their order.
func orders(s jsontext.Value, list [][]string) [][]string {
	switch s.Kind() {
	case '{':
		var names []string
		for name := range rawjson.NamedMembers(rawjson.Lookup(s, "properties")) {
			names = append(names, name)
		}
		list = append(list, names)
		for _, value := range rawjson.NamedMembers(s) {
			list = orders(value, list)
		}
	case '[':
		for value := range rawjson.Elements(s) {
			list = orders(value, list)
		}
	}
	return list
}

// isInOrder reports whether the members of each object in a value come in one of the orders that have them all, if there
// are any.
func isInOrder(orders [][]string, value jsontext.Value) bool {
	switch value.Kind() {
	case '{':
		var names []string
		for name, member := range rawjson.NamedMembers(value) {
			names = append(names, name)
			if !isInOrder(orders, member) {
				return false
			}
		}
		known := false
		for _, order := range orders {
			var places []int
			for _, name := range names {
				places = append(places, slices.Index(order, name))
			}
			has := !slices.Contains(places, -1)
			if known = known || has; has && slices.IsSorted(places) {
				return true
			}
		}
		return !known
	case '[':
		for member := range rawjson.Elements(value) {
			if !isInOrder(orders, member) {
				return false
			}
		}
	}
	return true
}

// hasUnlisted reports whether an input has a member that the schema does not name.
func hasUnlisted(s *schema.Schema, input jsontext.Value) bool {
	for name := range rawjson.NamedMembers(input) {
		if !slices.Contains(s.Required, name) && !slices.ContainsFunc(s.Properties, func(p schema.Property) bool { return p.Name == name }) {
			return true
		}
	}
	return false
}

// offered are the tools that drawn answers call.
var offered = []messages.Tool{
	{Name: "get_weather", InputSchema: jsontext.Value(`{"type":"object","properties":{"city":{"type":"string"},"days":{"type":"integer"}},"required":["city"],"additionalProperties":false}`)},
	{Name: "write", InputSchema: jsontext.Value(`{"type":"object","properties":{"path":{"type":"string"},"text":{"type":"string"},"mode":{"enum":["new","a b",7,null]}},"required":["path","text"]}`)},
	{Name: "now", InputSchema: jsontext.Value(`{"type":"object","properties":{}}`)},
	{Name: "plot", InputSchema: jsontext.Value(`{"type":"object","properties":{"points":{"type":"array","items":{"type":"object","properties":{"x":{"type":"number"},"label":{"type":"string"}},"required":["x"]}},"log":{"type":"boolean"},"scale":{"type":["number","null"]}},"required":["points"]}`)},
	{Name: "tree", InputSchema: jsontext.Value(`{"type":"object","properties":{"root":{"$ref":"#/$defs/node"}},"required":["root"],"$defs":{"node":{"type":"object","properties":{"name":{"type":"string"},"below":{"type":"array","items":{"$ref":"#/$defs/node"}}},"required":["name"],"additionalProperties":false}}}`)},
	{Name: "set", InputSchema: jsontext.Value(`{"type":"object","properties":{"a b":{"type":"string"},"any":{},"n":{"anyOf":[{"type":"integer"},{"type":"object","additionalProperties":{"type":"integer"}}]}},"required":["n"]}`)},
	{Name: "shape", InputSchema: jsontext.Value(`{"type":"object","oneOf":[{"properties":{"kind":{"const":"circle"},"r":{"type":"number"}},"required":["kind","r"]},{"properties":{"kind":{"const":"box"},"w":{"type":"number"}},"required":["kind","w"]}]}`)},
}

// noise are the words of drawn answers: the markup of all formats, and what ends a value.
var noise = []string{
	`"`, `", "`, `"}`, "}", "]", ")", "true", "None", "7", " ", "\n", "the", "Oslo", "é", "<b>", "</b>", "<", "</", `\"`, `\n`, "&lt;", "```", "circle",
	"<city>", "</city>\n", "</city", "</path>\n", "</text>\n", "</n>\n", "</any>\n", "</a%20b>\n", "</root>\n", "</kind>\n", "</parameter>\n", "\n</parameter>\n", "</arg_value>\n", "</parameters>\n", "</invoke>\n",
	"</function>\n", "</tool_call>", "</function_calls>", "<parameter=", `<parameter name="`, "<parameter=path>\n", `<parameter name="text">`, "<invoke>\n", "<tool_call>", "<arg_key>", "<|tool_call_end|>", "<|call|>",
}

// TestAllowedIsRead draws answers at random, which only the engine's mask keeps to the constraint, and has
// each read as calls that are clean and fit their schemas.
func TestAllowedIsRead(t *testing.T) {
	n := 12
	if *more {
		n = 2000
	}
	list := engines(t)
	for i, name := range formats {
		t.Run(name, func(t *testing.T) {
			all, exempted := 0, 0
			for j, tool := range offered {
				req := request(offered, messages.ToolChoice{Type: messages.ChoiceTool, Name: tool.Name})
				if j == 0 {
					req.ToolChoice = anyTool
				}
				p, c := constrained(t, req, name)
				for _, e := range list {
					v := e.ask(t, &job{Grammar: c.Grammar, Draws: n/len(offered) + 1, Seed: uint64(100*i + j), Words: noise})
					if v.Error != "" {
						t.Errorf("%s: %s\n%s", e.name, v.Error, c.Grammar)
					}
					for _, text := range v.Draws {
						all++
						switch wrong := misread(t, req, p, text); {
						case wrong == "":
						case repeatsName(req, text):
							exempted++
						default:
							t.Errorf("%s: %s\n%q", e.name, wrong, text)
						}
					}
				}
			}
			t.Logf("%d answers; exempt: %d", all, exempted)
		})
	}
}

// memberName is the name of a member of an object.
var memberName = regexp.MustCompile(`"(?:[^"\\]|\\.)*": ?`)

// repeatsName reports whether an answer has a name twice that no schema lists. The object may be the same, which no
// grammar without a memory can forbid, and the parser refuses.
func repeatsName(req *messages.Request, text string) bool {
	listed, seen := show(req), map[string]bool{}
	for _, name := range memberName.FindAllString(text, -1) {
		name = strings.TrimRight(name, ": ")
		if seen[name] && !strings.Contains(listed, name) {
			return true
		}
		seen[name] = true
	}
	return false
}

// misread returns what is wrong with how an answer is read; "" if it is calls that are clean and fit.
func misread(t *testing.T, req *messages.Request, p *translate.Prompt, text string) string {
	t.Helper()
	chunks := func(yield func(translate.Chunk, error) bool) {
		yield(translate.Chunk{Text: text, Stop: messages.StopEndTurn}, nil)
	}
	m, err := messages.Collect(translate.Events(req, p, func(*translate.Prompt) iter.Seq2[translate.Chunk, error] { return chunks }))
	if err != nil {
		return err.Error()
	}
	for _, o := range m.Outcomes {
		if o.Kind != messages.OutcomeClean {
			return fmt.Sprintf("%s (%s)", o.Kind, o.Reason)
		}
	}
	if len(m.Content) == 0 {
		return "nothing was read"
	}
	for _, b := range m.Content {
		if b.Type != messages.BlockToolUse {
			return "a block of type " + b.Type + ": " + b.Text
		}
		i := slices.IndexFunc(req.Tools, func(tool messages.Tool) bool { return tool.Name == b.Name })
		if i < 0 || !fits(t, req.Tools[i].InputSchema, b.Input) {
			return fmt.Sprintf("%s does not take %s", b.Name, b.Input)
		}
	}
	return ""
}

// TestLongText has the engines take a string that is longer than any rule may repeat itself in llguidance.
func TestLongText(t *testing.T) {
	long := strings.Repeat("It rains <b>all</b> day, & a < b.\n", 8000/32)
	input, err := json.Marshal(map[string]string{"path": "a", "text": long})
	if err != nil {
		t.Fatal(err)
	}
	calls := []translate.ToolUse{{Name: "write", Input: inOrder(offered[1].InputSchema, input)}}
	list := engines(t)
	for _, name := range formats {
		p, c := constrained(t, request(offered, anyTool), name)
		text := p.WriteCalls(calls)
		for _, e := range list {
			if v := e.ask(t, &job{Grammar: c.Grammar, Accepts: []string{text}}); v.Error != "" || !v.Accepts[0] {
				t.Errorf("%s, %s: refused: %s", e.name, name, v.Error)
			}
		}
	}
}

// TestLongList has the engines take calls of a list with 400 parameters, whose values hold no tag of a parameter, and the
// parser read what they allow.
func TestLongList(t *testing.T) {
	var list []messages.Tool
	for i := range 20 {
		var members []string
		for j := range 20 {
			members = append(members, fmt.Sprintf(`"%c%c_value_%d":{"type":%q}`, 'a'+i, 'a'+j, j, []string{"string", "integer", "boolean"}[j%3]))
		}
		list = append(list, messages.Tool{Name: fmt.Sprint("tool_", i), InputSchema: jsontext.Value(`{"type":"object","properties":{` + strings.Join(members, ",") + `},"required":["` + fmt.Sprintf("%ca_value_0", 'a'+i) + `"]}`)})
	}
	req := request(list, anyTool)
	p, c := constrained(t, req, format.Legacy)
	call := func(value string) string {
		input, _ := json.Marshal(map[string]string{"ca_value_0": value})
		return p.WriteCalls([]translate.ToolUse{{Name: "tool_2", Input: input}})
	}
	accepts := []string{call("It <b>rains</b>, a < b."), call("<ca> and </cb_wale>"), call("<ca_value_3>3</ca_value_3>"), call("</da_value_0>")}
	for _, e := range engines(t) {
		v := e.ask(t, &job{Grammar: c.Grammar, Accepts: accepts})
		if v.Error != "" || !slices.Equal(v.Accepts, []bool{true, true, false, false}) {
			t.Errorf("%s: %s %v", e.name, v.Error, v.Accepts)
		}
		for _, text := range v.Draws {
			if wrong := misread(t, req, p, text); wrong != "" {
				t.Errorf("%s: %s\n%q", e.name, wrong, text)
			}
		}
	}
}

// TestWrongIsRefused has the engines refuse calls that the tools do not allow.
func TestWrongIsRefused(t *testing.T) {
	call := func(name, input string) translate.ToolUse {
		return translate.ToolUse{Name: name, Input: jsontext.Value(input)}
	}
	right := call("get_weather", `{"city":"Oslo","days":3}`)
	others := append(slices.Clone(offered), messages.Tool{Name: "hidden", InputSchema: jsontext.Value(`{"type":"object","properties":{"city":{"type":"string"}}}`)})
	for _, e := range engines(t) {
		for _, name := range formats {
			req := request(offered, messages.ToolChoice{Type: messages.ChoiceAny, DisableParallelToolUse: true})
			_, c := constrained(t, req, name)
			all, err := translate.Render(request(others, anyTool), target(name))
			if err != nil {
				t.Fatal(err)
			}
			list := [][]translate.ToolUse{
				{right},
				{call("get_weather", `{"days":3}`)}, // a required parameter is missing
				{call("hidden", `{"city":"Oslo"}`)}, // not offered
				{call("get_weather", `{"city":"Oslo","days":"soon"}`)}, // a wrong type
				{call("plot", `{"points":[{"label":"a"}]}`)},
				{call("get_weather", `{"city":"Oslo","wind":1}`)}, // not declared
				{right, right}, // one call is allowed
			}
			j := &job{Grammar: c.Grammar}
			for _, calls := range list {
				j.Accepts = append(j.Accepts, all.WriteCalls(calls))
			}
			j.Accepts = append(j.Accepts, "I do not know.", "")
			v := e.ask(t, j)
			if v.Error != "" {
				t.Fatal(e.name, name, v.Error)
			}
			for i, accepted := range v.Accepts {
				if accepted != (i == 0) {
					t.Errorf("%s, %s: accepted is %v: %q", e.name, name, accepted, j.Accepts[i])
				}
			}
		}
	}
}

// TestFreeChoice has the engines take text, calls, and text before calls, and refuse what begins like a call
// and is none: xgrammar by the structural tag, and both by the grammar that holds from a trigger on.
func TestFreeChoice(t *testing.T) {
	right := translate.ToolUse{Name: "get_weather", Input: jsontext.Value(`{"city":"Oslo","days":3}`)}
	wrong := translate.ToolUse{Name: "get_weather", Input: jsontext.Value(`{"city":"Oslo","days":"soon"}`)}
	for _, e := range engines(t) {
		for _, name := range formats {
			req := request(offered, messages.ToolChoice{Type: messages.ChoiceAuto})
			p, err := translate.Render(req, target(name))
			if err != nil {
				t.Fatal(err)
			}
			c, err := translate.Constrain(t.Context(), p, true)
			if err != nil {
				t.Fatal(name, err)
			}
			one, two, bad := p.WriteCalls([]translate.ToolUse{right}), p.WriteCalls([]translate.ToolUse{right, right}), p.WriteCalls([]translate.ToolUse{wrong})
			check := func(j *job, want ...bool) {
				v := e.ask(t, j)
				if v.Error != "" || !slices.Equal(v.Accepts, want) {
					t.Errorf("%s, %s: %s %v of %q", e.name, name, v.Error, v.Accepts, j.Accepts)
				}
			}
			check(&job{Grammar: c.Grammar, Accepts: []string{one, two, bad}}, true, true, false)
			if !slices.ContainsFunc(c.Triggers, func(trigger string) bool { return strings.HasPrefix(one, trigger) }) {
				t.Errorf("%s: nothing triggers the grammar before %q: %q", name, one, c.Triggers)
			}
			if e.name == "xgrammar" {
				check(&job{Tag: string(c.Tag), Accepts: []string{"It rains.", one, two, "Let me see.\n\n" + one, bad, "Well.\n\n" + bad}}, true, true, true, true, false, false)
			}
		}
	}
}

// show returns the tools of a request, for people to read.
func show(req *messages.Request) string {
	var b strings.Builder
	for _, t := range req.Tools {
		fmt.Fprintf(&b, "%s %s\n", t.Name, t.InputSchema)
	}
	return b.String()
}
