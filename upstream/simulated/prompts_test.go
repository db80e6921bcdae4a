package simulated_test

import (
	"dragoman/translate"
	"dragoman/translate/messages"
	"dragoman/translate/rawjson"
)

const toolsText = `In this environment you have access to a set of tools you can use to answer the user's question.

You may call them like this:
<function_calls>
<invoke>
<tool_name>$TOOL_NAME</tool_name>
<parameters>
<$PARAMETER_NAME>$PARAMETER_VALUE</$PARAMETER_NAME>
...
</parameters>
</invoke>
</function_calls>

Here are the tools available:
<tools>
<tool_description>
<tool_name>get_weather</tool_name>
<description>
Get the current weather of a city.
</description>
<parameters>
<parameter>
<name>city</name>
<type>string</type>
<description>Name of the city</description>
</parameter>
<parameter>
<name>unit</name>
<type>string</type>
<required>false</required>
<enum>["celsius","fahrenheit"]</enum>
<default>"celsius"</default>
</parameter>
</parameters>
</tool_description>
<tool_description>
<tool_name>book_table</tool_name>
<description>
Reserve seats in a restaurant.
</description>
<parameters>
<parameter>
<name>restaurant</name>
<type>string</type>
</parameter>
<parameter>
<name>guests</name>
<type>integer</type>
</parameter>
<parameter>
<name>seating</name>
<type>string</type>
<enum>["inside","terrace"]</enum>
</parameter>
<parameter>
<name>confirm</name>
<type>boolean</type>
</parameter>
<parameter>
<name>wishes</name>
<type>array</type>
<schema>{"type":"array","minItems":2,"items":{"type":"object","required":["kind","count"],"properties":{"kind":{"enum":["window","quiet"]},"count":{"type":"integer","minimum":4},"note":{"type":"string"}}}}</schema>
</parameter>
</parameters>
</tool_description>
<tool_description>
<tool_name>now</tool_name>
<parameters>

</parameters>
</tool_description>
</tools>`

// weather is a prompt with the three tools of toolsText.
func weather(question string) *translate.Prompt {
	p := ask(question, translate.CallsEnd)
	p.System = []translate.Text{{Text: rawjson.Plain(toolsText)}}
	return p
}

// inJSON is a prompt that asks for an answer in JSON.
func inJSON(p *translate.Prompt) *translate.Prompt {
	p.System = append(p.System, translate.Text{Text: rawjson.Plain(translate.AllInstructions()[0].AnswerInJSON +
		`{"$defs":{"Cats":{"type":"object","properties":{"count":{"type":"integer"}},"required":["count"]}},` +
		`"type":"object","properties":{"setup":{"type":"string"},"cats":{"$ref":"#/$defs/Cats"}},"required":["setup","cats"]}` + "\nBe brief.")})
	return p
}

func turn(role string, texts ...string) translate.Turn {
	t := translate.Turn{Role: role}
	for _, text := range texts {
		t.Parts = append(t.Parts, translate.Part{Type: translate.PartText, Text: rawjson.Plain(text)})
	}
	return t
}

// conversation is a prompt with the three tools and these turns, the human's first.
func conversation(turns ...string) *translate.Prompt {
	p := weather("")
	p.Turns = nil
	for i, text := range turns {
		p.Turns = append(p.Turns, turn([...]string{messages.RoleUser, messages.RoleAssistant}[i%2], text))
	}
	return p
}

// ask is a prompt of one question.
func ask(text string, stops ...string) *translate.Prompt {
	return &translate.Prompt{
		Turns:         []translate.Turn{turn(messages.RoleUser, text)},
		StopSequences: stops,
		MaxTokens:     1000,
	}
}
