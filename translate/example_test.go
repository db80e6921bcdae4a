package translate_test

import (
	"fmt"
	"log"

	"dragoman/translate"
	"dragoman/translate/messages"
)

// A Messages-API request with one tool becomes text for a model without a tool API. The prompt
// describes the tool, and shows the past call and its result as such a model would write and read
// them.
func ExampleRender() {
	body := `{
		"model": "any", "max_tokens": 200,
		"tools": [{
			"name": "get_rate",
			"description": "The rate of a currency in US dollars.",
			"input_schema": {"type": "object", "properties": {"currency": {"type": "string"}}, "required": ["currency"]}
		}],
		"messages": [
			{"role": "user", "content": "What is a euro worth?"},
			{"role": "assistant", "content": [{"type": "tool_use", "id": "toolu_1", "name": "get_rate", "input": {"currency": "EUR"}}]},
			{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "1.09"}]}
		]
	}`
	req, err := messages.Decode([]byte(body), messages.DecodeOptions{})
	if err != nil {
		log.Fatal(err)
	}
	prompt, err := translate.Render(req, translate.Target{ModelOptions: translate.ModelOptions{Format: translate.FormatLegacy}})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(prompt.Text())
	fmt.Printf("(stops at %q)\n", prompt.StopSequences)
	// Output:
	// In this environment you have access to a set of tools you can use to answer the user's question.
	//
	// You may call them like this:
	// <function_calls>
	// <invoke>
	// <tool_name>$TOOL_NAME</tool_name>
	// <parameters>
	// <$PARAMETER_NAME>$PARAMETER_VALUE</$PARAMETER_NAME>
	// ...
	// </parameters>
	// </invoke>
	// </function_calls>
	//
	// Here are the tools available:
	// <tools>
	// <tool_description>
	// <tool_name>get_rate</tool_name>
	// <description>
	// The rate of a currency in US dollars.
	// </description>
	// <parameters>
	// <parameter>
	// <name>currency</name>
	// <type>string</type>
	// </parameter>
	// </parameters>
	// </tool_description>
	// </tools>
	//
	// Human: What is a euro worth?
	//
	// Assistant: <function_calls>
	// <invoke>
	// <tool_name>get_rate</tool_name>
	// <parameters>
	// <currency>EUR</currency>
	// </parameters>
	// </invoke>
	// </function_calls>
	//
	// Human: <function_results>
	// <result>
	// <tool_name>get_rate</tool_name>
	// <stdout>
	// 1.09
	// </stdout>
	// </result>
	// </function_results>
	//
	// Assistant:
	// (stops at ["</function_calls>"])
}
