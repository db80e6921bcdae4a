package proxy

import (
	"fmt"
	"net/http"
	"strings"
	"testing"
)

// TestPastCallUnderLadder: a past call uses a tool whose schema refers to itself so that following all references never
// ends.
func TestPastCallUnderLadder(t *testing.T) {
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		const levels = 60
		var defs strings.Builder
		for i := range levels {
			next := fmt.Sprintf(`{"$ref":"#/$defs/D%d"}`, i+1)
			fmt.Fprintf(&defs, `"D%d":{"%s":[%s,%s]},`, i, keyword, next, next)
		}
		schema := fmt.Sprintf(`{"$defs":{%s"D%d":{"type":"integer"}},"type":"object","properties":{"v":{"$ref":"#/$defs/D0"}}}`, defs.String(), levels)
		body := `{"model":"claude-2.1","max_tokens":100,"tools":[{"name":"f","input_schema":` + schema + `}],"messages":[{"role":"user","content":"Go on."},` +
			`{"role":"assistant","content":[{"type":"tool_use","id":"toolu_1","name":"f","input":{"v":"five"}}]},` +
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_1"}]}]}`
		call := "<function_calls>\n<invoke>\n<tool_name>f</tool_name>\n<parameters>\n<v>five</v>\n</parameters>\n</invoke>\n"
		if w := post(newServer(t, completing(endOfCall, call)), body); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"input":{"v":"five"}`) {
			t.Errorf("%s: %d %s", keyword, w.Code, w.Body)
		}
	}
}

// TestRefEscapes: a $ref has URL escapes. The prompt and the reading of values use the same property.
func TestRefEscapes(t *testing.T) {
	const schema = `{"type":"object","$defs":{"post code/é":{"type":"string","description":"five digits"}},` +
		`"properties":{"city":{"$ref":"#/$defs/post%20code~1%C3%A9"}}}`
	body := strings.Replace(question, `{"type":"object","properties":{"city":{"type":"string"}},"required":["city"]}`, schema, 1)
	up := &answering{answers: []string{weatherCall("<city>12345</city>")}}
	w := post(newServer(t, up), body)
	if !strings.Contains(w.Body.String(), `"input":{"city":"12345"}`) {
		t.Errorf("%s", w.Body)
	}
	if text := up.prompts[0].Text(); !strings.Contains(text, "<type>string</type>\n<description>five digits</description>") {
		t.Errorf("asked:\n%s", text)
	}
}
