package simulated_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// Request members that the tests add to the messages.
const (
	tools = `,"tools":[
		{"name":"get_weather","description":"Get the current weather of a city.","input_schema":{"type":"object","required":["city"],"properties":{
			"city":{"type":"string"},"unit":{"enum":["celsius","fahrenheit"],"default":"celsius"}}}},
		{"name":"book_table","description":"Reserve seats in a restaurant.","input_schema":{"type":"object",
			"required":["guests","restaurant","seating","confirm","wishes"],"properties":{
				"restaurant":{"type":"string"},"guests":{"type":"integer"},"seating":{"type":"string","enum":["inside","terrace"]},"confirm":{"type":"boolean"},
				"wishes":{"type":"array","minItems":2,"items":{"type":"object","required":["kind","count"],"properties":{
					"kind":{"enum":["window","quiet"]},"count":{"type":"integer","minimum":4},"note":{"type":"string"}}}}}}},
		{"name":"now","input_schema":{"type":"object"}}]`
	single = tools + `,"tool_choice":{"type":"auto","disable_parallel_tool_use":true}`
	none   = tools + `,"tool_choice":{"type":"none"}`
	forced = tools + `,"tool_choice":{"type":"any"}`
	ofCats = `,"output_config":{"format":{"type":"json_schema","schema":{"$defs":{"Cats":{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}},` +
		`"type":"object","properties":{"setup":{"type":"string"},"cats":{"$ref":"#/$defs/Cats"}},"required":["setup","cats"]}}}`
	weather = tools + `,"tool_choice":{"type":"tool","name":"get_weather"}`
)

// prompt returns the prompt of a request with these additional members, and with these messages in JSON.
func prompt(t *testing.T, target translate.Target, members, list string) (*messages.Request, *translate.Prompt) {
	t.Helper()
	req, err := messages.Decode([]byte(`{"model":"m","max_tokens":1000`+members+`,"messages":[`+list+`]}`), messages.DecodeOptions{})
	if err != nil {
		t.Fatal(err)
	}
	p, err := translate.Render(req, target)
	if err != nil {
		t.Fatal(err)
	}
	return req, p
}

// user returns a message of the user, and assistant one of the assistant.
func user(text string) string      { return message(messages.RoleUser, text) }
func assistant(text string) string { return "," + message(messages.RoleAssistant, text) }

func message(role, text string) string {
	quoted, _ := json.Marshal(text) // cannot fail for a string
	return fmt.Sprintf(`{"role":%q,"content":%s}`, role, quoted)
}

// called is a conversation up to the results of two calls; results is JSON.
func called(results string) string {
	return user("Weather in Oslo?") + `,{"role":"assistant","content":[{"type":"tool_use","id":"t1","name":"get_weather","input":{"city":"Oslo"}},
		{"type":"tool_use","id":"t2","name":"now","input":{}}]},{"role":"user","content":[` + results + `]}`
}

// ask is a prompt of one question.
func ask(t *testing.T, text string) *translate.Prompt {
	t.Helper()
	_, p := prompt(t, translate.Target{}, "", user(text))
	return p
}
