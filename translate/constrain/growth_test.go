package constrain_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate"
	"dragoman/translate/format"
	"dragoman/translate/messages"
	"dragoman/translate/testcost"
)

// words are for names of parameters.
var words = strings.Fields("path content mode start end limit query filter sort order page size name title body author date status type level width height color label owner group email phone address city country language amount price key value token url host port")

// listOf returns tools with parameters of several types. name names a parameter.
func listOf(tools, params int, name func(tool, param int) string) (list []messages.Tool) {
	types := []string{`"string"`, `"string"`, `"integer"`, `"boolean"`, `"array","items":{"type":"string"}`}
	for i := range tools {
		var members []string
		for j := range params {
			members = append(members, fmt.Sprintf(`%q:{"type":%s}`, name(i, j), types[j%len(types)]))
		}
		list = append(list, messages.Tool{Name: fmt.Sprint("tool_", i), InputSchema: jsontext.Value(`{"type":"object","properties":{` + strings.Join(members, ",") + `}}`)})
	}
	return list
}

// TestOrdinaryList has 20 tools with 20 parameters, whose names are the same, or words, or all different.
func TestOrdinaryList(t *testing.T) {
	for kind, name := range map[string]func(i, j int) string{
		"same":      func(_, j int) string { return fmt.Sprint("param_", j) },
		"words":     func(i, j int) string { return words[(7*i+j)%len(words)] },
		"pairs":     func(i, j int) string { return words[(11*i+3*j)%len(words)] + "_" + words[(i+j)%len(words)] },
		"different": func(i, j int) string { return fmt.Sprintf("tool%d_param_%d", i, j) },
	} {
		list := listOf(20, 20, name)
		for _, f := range formats {
			c, err := translate.Constrain(t.Context(), ask(t, f, messages.ToolChoice{Type: messages.ChoiceAny}, list), false)
			if err != nil || len(c.Grammar) > 64<<10 {
				t.Errorf("%s, %s: %v", f, kind, err)
			}
		}
	}
}

// TestGrowth checks that four times the list costs at most ten times the work, in every format and in each direction in
// which a list can grow, also where no constraint results.
func TestGrowth(t *testing.T) {
	repeat := func(n int, each func(i int) string) string {
		var list []string
		for i := range n {
			list = append(list, each(i))
		}
		return strings.Join(list, ",")
	}
	one := func(schema string) []messages.Tool {
		return []messages.Tool{{Name: "t", InputSchema: jsontext.Value(schema)}}
	}
	for kind, lists := range map[string]func(n int) []messages.Tool{
		"parameters": func(n int) []messages.Tool {
			return listOf(1, n, func(_, j int) string { return fmt.Sprint("param_", j) })
		},
		"numbers": func(n int) []messages.Tool {
			return one(`{"type":"object","properties":{` + repeat(60*n, func(i int) string { return fmt.Sprintf(`"p%d":{"type":"integer"}`, i) }) + `}}`)
		},
		"tools": func(n int) []messages.Tool {
			return listOf(n, 1, func(i, _ int) string { return fmt.Sprint("param_", i) })
		},
		"required": func(n int) []messages.Tool {
			return one(`{"type":"object","required":[` + repeat(n, func(i int) string { return fmt.Sprintf(`"p%d"`, i) }) + `]}`)
		},
		"open objects": func(n int) []messages.Tool {
			return one(`{"type":"object","properties":{"o":{"type":"object","additionalProperties":{"type":"string"},"properties":{` +
				repeat(n, func(i int) string { return fmt.Sprintf(`"p%d":{"type":"string"}`, i) }) + `}}}}`)
		},
		"enums": func(n int) []messages.Tool {
			return one(`{"type":"object","properties":{"e":{"enum":[` + repeat(n, func(i int) string { return fmt.Sprintf(`"</b>%d"`, i) }) + `]}}}`)
		},
		"unions": func(n int) []messages.Tool {
			return one(`{"type":"object","properties":{"a":{"type":"string"}},"anyOf":[` + repeat(n, func(i int) string {
				return fmt.Sprintf(`{"required":["p%d"],"properties":{"p%d":{"type":"string"}}}`, i, i)
			}) + `]}`)
		},
	} {
		for _, f := range format.List {
			constrain := func(n int) func() {
				tools := lists(n)
				return func() {
					for _, choice := range []string{messages.ChoiceAny, messages.ChoiceAuto} {
						_, _ = translate.Constrain(t.Context(), ask(t, f.Name, messages.ToolChoice{Type: choice}, tools), true) // some are too large
					}
				}
			}
			if ratio := testcost.Ratio(10, constrain(30), constrain(120)); ratio > 10 {
				t.Errorf("%s in %s: four times as many cost %.1f times as much", kind, f.Name, ratio)
			}
		}
	}
}

// TestStopped checks that a refusal is kept for the same tools, but not if the context of a request has ended.
func TestStopped(t *testing.T) {
	memo := translate.NewMemo()
	p := asked(t, "legacy", messages.ToolChoice{Type: messages.ChoiceAny}, listOf(1, 4000, func(_, j int) string { return fmt.Sprint("param_", j) }), memo)
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := translate.Constrain(gone, p, false); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	_, first := translate.Constrain(t.Context(), p, false)
	if first == nil || errors.Is(first, context.Canceled) {
		t.Fatal(first)
	}
	if _, kept := translate.Constrain(gone, p, false); kept != first {
		t.Error("refused anew: ", kept)
	}
}
