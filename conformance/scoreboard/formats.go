package scoreboard

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// column is another project in the tables of formats; dialects lists its parsers.
type column struct {
	name, release, from string
	slow                bool // to build, so it runs only on request
}

var (
	ollamas  = &column{"Ollama", "0.17.4", "Go", false}
	dynamo   = &column{"dynamo-parsers", "11.0.1", "crates.io", true}
	dynamoV2 = &column{"dynamo-parsers-v2", "0.9.6", "crates.io", true}
	smg      = &column{"tool-parser", "1.10.0", "crates.io", true}
	aiSDK    = &column{"@ai-sdk-tool/parser", "4.1.26", "npm", false}
	columns  = []*column{ollamas, dynamo, dynamoV2, smg, aiSDK}
	parserOf = map[*column]func(parser string) reader{ollamas: ollama, dynamo: crate("dynamo-parsers"), dynamoV2: crate("dynamo-parsers-v2"), smg: crate("tool-parser"), aiSDK: node}
)

// dialect is a way in which models write calls, with the parsers that claim to read it.
type dialect struct {
	name   string // the name in the table
	format string // Dragoman's name of the format, with goldens under that name
	// mark is in every completion of the dialect. A completion belongs to the first dialect with a matching
	// mark.
	mark *regexp.Regexp
	// shown: Dragoman shows past calls to a model in this spelling.
	shown bool
	// parsers are the parsers that claim to read it, by their names in their package.
	parsers map[*column]string
}

func mark(pattern string) *regexp.Regexp { return regexp.MustCompile(pattern) }

var dialects = []dialect{
	{"Hermes, Qwen 2.5 and 3: JSON in `<tool_call>`", "json", mark(`<tool_call>\s*[\[{]`), true,
		map[*column]string{ollamas: "qwen3", dynamo: "hermes", smg: "qwen", aiSDK: "hermes"}},
	{"Qwen3-Coder", "qwen3-coder", mark(`<function=`), true,
		map[*column]string{ollamas: "qwen3-coder", dynamo: "qwen3_coder", dynamoV2: "qwen3_coder", smg: "qwen_coder", aiSDK: "qwen3coder"}},
	{"GLM 4.5 to 5", "glm", mark(`<arg_key>|<tool_call>\w`), true,
		map[*column]string{ollamas: "glm-4.7", dynamo: "glm47", dynamoV2: "glm47", smg: "glm47_moe"}},
	{"DeepSeek V4: DSML, `tool_calls`", "dsml", mark(`DSML\S? ?(tool_)?calls>`), true,
		map[*column]string{dynamo: "deepseek_v4", dynamoV2: "deepseek_v4", smg: "deepseek_v4"}},
	{"DeepSeek V3.2: DSML, `function_calls`", "dsml", mark(`DSML\S?function_calls>`), false,
		map[*column]string{dynamo: "deepseek_v3_2", smg: "deepseek32"}},
	{"DeepSeek V3.1", "deepseek", mark("<｜tool▁sep｜>\\s*\\{|<｜tool▁sep｜>\\s*\"|<｜tool▁call▁begin｜>\\w+\\{"), true,
		map[*column]string{ollamas: "deepseek3", dynamo: "deepseek_v3_1", smg: "deepseek31"}},
	{"DeepSeek V3: a fence of JSON", "deepseek", mark("<｜tool▁sep｜>\\w+\\s*(```|\\{)"), false,
		map[*column]string{dynamo: "deepseek_v3", smg: "deepseek"}},
	{"Kimi K2", "kimi", mark(`<\|tool_call_begin\|>`), true,
		map[*column]string{dynamo: "kimi_k2", dynamoV2: "kimi_k2", smg: "kimik2"}},
	{"MiniMax M2", "minimax", mark(`<minimax:tool_call>|<invoke name=`), true,
		map[*column]string{dynamo: "minimax_m2", dynamoV2: "minimax_m2", smg: "minimax_m2"}},
	{"Mistral: `[TOOL_CALLS]name[ARGS]`", "mistral", mark(`\[TOOL_CALLS\] ?\w+ ?\[`), true,
		map[*column]string{ollamas: "ministral"}},
	{"Mistral: `[TOOL_CALLS]` and a list", "mistral", mark(`\[TOOL_CALLS\]\s*[\[{]`), false,
		map[*column]string{dynamo: "mistral", smg: "mistral"}},
	{"Llama 3: JSON, behind its tag or bare", "llama", mark(`^\s*(<\|python_tag\|>)?\{|<\|python_tag\|>\{`), true,
		map[*column]string{dynamo: "llama3_json", smg: "llama"}},
	{"Llama 4: a list of calls in Python", "pythonic", mark(`^\s*(<\|python_start\|>)?\[\w+[.\w]*\(`), true,
		map[*column]string{dynamo: "pythonic", smg: "pythonic"}},
	{"LFM2", "pythonic", mark(`<\|tool_call_start\|>`), false, map[*column]string{ollamas: "lfm2"}},
	{"Olmo 3", "pythonic", mark(`<function_calls>\s*\w+\(`), false, map[*column]string{ollamas: "olmo3"}},
	{"Gemma 4", "gemma", mark(`<\|tool_call>`), true, map[*column]string{dynamo: "gemma4", dynamoV2: "gemma4", smg: "gemma4"}},
	{"FunctionGemma", "gemma", mark(`<start_function_call>`), false, map[*column]string{ollamas: "functiongemma"}},
	{"gpt-oss: harmony", "harmony", mark(`<\|channel\|>`), true, map[*column]string{ollamas: "harmony"}},
}

// leftOut are goldens whose meaning Dragoman defines. Another parser may read them differently.
var leftOut = map[string]string{
	"pythonic/all-in-quotes":         "a string where the schema wants another type",
	"gemma/number-in-quotes":         "a string where the schema wants another type",
	"dsml-wild/number-as-string":     "a string where the schema wants another type",
	"dsml-wild/odd-string-attribute": "a type that is none",
	"dsml/list-in-parameters":        "a parameter twice",
	"glm/list-in-parameters":         "a parameter twice",
	"qwen3-coder/inline":             "blanks around a value on the line of its tags",
	"qwen3-coder/blanks":             "blanks around a value on the line of its tags",
	"minimax/blanks":                 "blanks around a value on the line of its tags",
	"glm/blanks":                     "blanks around a value on the line of its tags",
}

// doubtful are outcomes that exclude a golden: an incomplete call, a tool name that was not offered or was
// corrected, or a value that does not fit.
var doubtful = regexp.MustCompile(`(?m)^# (refused|incomplete|invalid|leaked|continued|unknown_tool|type_fallback)|name_case$|tool_name$`)

// goldens are the cases of a format's goldens that are certainly calls: complete, not in thinking, and
// readable without other settings.
func goldens(format string) ([]item, error) {
	var list []item
	for _, file := range []string{format, format + "-wild"} {
		archive, err := txtar.ParseFile(filepath.Join("..", "..", "translate", "testdata", "parse", file+".txtar"))
		switch {
		case errors.Is(err, os.ErrNotExist) && file != format:
			continue
		case err != nil:
			return nil, err
		}
		files := map[string]string{}
		for _, f := range archive.Files {
			files[f.Name] = string(f.Data)
		}
		var tools map[string]json.RawMessage
		if err := json.Unmarshal([]byte(files["tools"]), &tools); err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		for _, f := range archive.Files {
			name, kind, _ := strings.Cut(f.Name, "/")
			if kind != "completion" {
				continue
			}
			c := item{ID: file + "/" + name, Format: format, Completion: strings.TrimSuffix(string(f.Data), "\n"), Stop: "end_turn"}
			calls := wanted(files[name+"/want"])
			switch _, left := leftOut[c.ID]; {
			case left, strings.TrimSpace(files[name+"/stop"]) != c.Stop, files[name+"/choice"] != "", files[name+"/prefill"] != "",
				len(calls) == 0, doubtful.MatchString(files[name+"/want"]), strings.Contains(c.Completion, "think"):
				continue
			}
			for name, schema := range tools {
				c.Tools = append(c.Tools, tool{name, schema})
			}
			slices.SortFunc(c.Tools, func(a, b tool) int { return strings.Compare(a.Name, b.Name) })
			c.Accepted = [][]call{calls}
			list = append(list, c)
		}
	}
	return list, nil
}

// wanted are the calls in the expected result of a golden.
func wanted(want string) []call {
	var calls []call
	for line := range strings.Lines(want) {
		name, input, found := strings.Cut(strings.TrimSpace(line), " ")
		if found && strings.HasPrefix(input, "{") && name != "text" && name != "thinking" {
			calls = append(calls, call{Name: name, Input: json.RawMessage(input)})
		}
	}
	return calls
}

// completions are the cases of the goldens that are written in a dialect.
func (d *dialect) completions(t *testing.T) []item {
	t.Helper()
	list, err := goldens(d.format)
	if err != nil {
		t.Fatal(err)
	}
	return slices.DeleteFunc(list, func(c item) bool {
		first := slices.IndexFunc(dialects, func(other dialect) bool { return other.format == d.format && other.mark.MatchString(c.Completion) })
		return first < 0 || dialects[first].name != d.name
	})
}

// templated are calls in the form of the model's chat template, as in the history of a conversation. It skips
// calls with escapes, because no other parser knows them, and calls of tools that are not offered.
func (d *dialect) templated(t *testing.T, list []item) []item {
	t.Helper()
	var all []item
	for _, c := range list {
		_, _, text := c.written(t, d.format)
		if c.offersAll() && !c.escaped(text) {
			c.Format, c.Completion, c.Stop = d.format, text, "end_turn"
			all = append(all, c)
		}
	}
	return all
}

func (c *item) offersAll() bool {
	return !slices.ContainsFunc(c.Accepted[0], func(m call) bool {
		return !slices.ContainsFunc(c.Tools, func(offered tool) bool { return offered.Name == m.Name })
	})
}

// escaped reports whether a text of the calls contains more escapes than the calls themselves.
func (c *item) escaped(text string) bool {
	inputs := ""
	for _, m := range c.Accepted[0] {
		inputs += string(m.Input)
	}
	return slices.ContainsFunc([]string{"&lt;", "&amp;", "%"}, func(escape string) bool {
		return strings.Count(text, escape) > strings.Count(inputs, escape)
	})
}
