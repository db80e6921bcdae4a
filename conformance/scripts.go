package conformance

import "dragoman/translate/messages"

// The scripts of the cases. Their texts contain what libraries, frames and markup often get wrong: characters
// of several bytes, "&" and "<", text that looks like a closing tag, and numbers at the limits of a double.

// simpleText is one answer without a call.
var simpleText = script{steps: []step{{
	say:        says("Good morning! ¿Qué tal? 早上好 <b>&amp;</b>"),
	completion: "Bien, 谢谢 😀 & <b>you</b>?",
	want:       endTurn("Bien, 谢谢 😀 & <b>you</b>?"),
	prompt:     []string{"Good morning! ¿Qué tal? 早上好 <b>&amp;</b>"},
}}}

// toolLoop calls tools in three turns, one after another, before it answers.
var toolLoop = script{steps: []step{
	{
		say:        says("Is it warmer in Oslo than in Rome?"),
		completion: "I will look it up.\n\n" + calls(invoke("get_weather", "<city>Oslo</city>\n<days>2</days>")),
		want:       toolUse(text("I will look it up."), call("get_weather", `{"city":"Oslo","days":2}`)),
		prompt:     []string{"<tool_name>get_weather</tool_name>", "Is it warmer in Oslo than in Rome?"},
	},
	{
		say:        returns("21 degrees & <sunny>, 晴れ"),
		completion: "And now Rome.\n\n" + calls(invoke("get_weather", "<city>Rome</city>")),
		want:       toolUse(text("And now Rome."), call("get_weather", `{"city":"Rome"}`)),
		prompt: []string{
			"Is it warmer in Oslo than in Rome?", "I will look it up.", "<city>Oslo</city>", "</function_calls>",
			"<function_results>", "<tool_name>get_weather</tool_name>", "21 degrees & <sunny>, 晴れ", "</function_results>",
		},
	},
	{
		say:        returns("19 degrees"),
		completion: calls(invoke("write_note", "<text>Oslo: +2</text>")),
		want:       toolUse(call("write_note", `{"text":"Oslo: +2"}`)),
		prompt:     []string{"21 degrees", "And now Rome.", "<city>Rome</city>", "19 degrees"},
	},
	{
		say:        returns("stored"),
		completion: "It is warmer in Oslo.",
		want:       endTurn("It is warmer in Oslo."),
		prompt:     []string{"21 degrees", "19 degrees", "<text>Oslo: +2</text>", "stored"},
	},
}}

// parallelCalls has two calls in one answer. Their results are sent in the other order, and must reach the
// model in the order of the calls.
var parallelCalls = script{steps: []step{
	{
		say:        says("Compare Oslo and Rome."),
		completion: calls(invoke("get_weather", "<city>Oslo</city>"), invoke("get_weather", "<city>Rome</city>")),
		want:       toolUse(call("get_weather", `{"city":"Oslo"}`), call("get_weather", `{"city":"Rome"}`)),
	},
	{
		say: func(calls []Block) Turn { // in the wrong order
			return Turn{result(calls[1].ID, "hot in Rome"), result(calls[0].ID, "cold in Oslo")}
		},
		completion: "Rome is warmer.",
		want:       endTurn("Rome is warmer."),
		prompt:     []string{"cold in Oslo", "hot in Rome"},
	},
}}

// noArguments calls a tool without an input: the call has no <parameters>. Libraries must return {}.
var noArguments = script{steps: []step{
	{
		say:        says("What time is it?"),
		completion: "<function_calls>\n<invoke>\n<tool_name>get_time</tool_name>\n</invoke>\n</function_calls>",
		want:       toolUse(call("get_time", `{}`)),
	},
	{say: returns("12:00"), completion: "Noon.", want: endTurn("Noon."), prompt: []string{"get_time", "12:00"}},
}}

// toolError answers a call with is_error, which must reach the model as an error.
var toolError = script{steps: []step{
	{
		say:        says("What is the weather in Atlantis?"),
		completion: calls(invoke("get_weather", "<city>Atlantis</city>")),
		want:       toolUse(call("get_weather", `{"city":"Atlantis"}`)),
	},
	{
		say:        func(calls []Block) Turn { return Turn{failed(calls[0].ID, "no such city")} },
		completion: "I cannot tell.",
		want:       endTurn("I cannot tell."),
		prompt:     []string{"<error>", "no such city", "</error>"},
	},
}}

// pixel is a PNG of one pixel.
const pixel = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// imageResult answers a call with an image and a text.
var imageResult = script{model: vision, steps: []step{
	{
		say:        says("Look at the sky over Oslo."),
		completion: calls(invoke("get_weather", "<city>Oslo</city>")),
		want:       toolUse(call("get_weather", `{"city":"Oslo"}`)),
	},
	{
		say: func(calls []Block) Turn {
			seen := result(calls[0].ID, "the sky:")
			seen.Content = append(seen.Content, Part{Type: "image", Source: &Source{Type: "base64", MediaType: "image/png", Data: pixel}})
			return Turn{seen, {Type: "text", Text: "And?"}}
		},
		completion: "It is red.",
		want:       endTurn("It is red."),
		prompt:     []string{"the sky:", "And?"},
		image:      pixel,
	},
}}

// arguments has a value of each type in one call.
var arguments = script{steps: []step{
	{
		say: says("Note this."),
		completion: calls(invoke("write_note", `<code>if a < b && c > d { print("</b>\n") }</code>
<number>9007199254740991</number>
<public>true</public>
<share>0.25</share>
<tags>["a", "<b>"]</tags>
<text><p class="x">Tom &amp; "Jerry" < 5 😀 日本語</p></text>`)),
		want: toolUse(call("write_note", `{
			"code": "if a < b && c > d { print(\"</b>\\n\") }",
			"number": 9007199254740991, "public": true, "share": 0.25, "tags": ["a", "<b>"],
			"text": "<p class=\"x\">Tom &amp; \"Jerry\" < 5 😀 日本語</p>"}`)),
	},
	{
		say:        returns("stored"),
		completion: "Done.",
		want:       endTurn("Done."),
		prompt:     []string{`<text><p class="x">Tom &amp; "Jerry" < 5 😀 日本語</p></text>`, "stored"},
		values:     []string{"<number>9007199254740991</number>"},
	},
}}

// longNumbers has a number with more digits than a double keeps. All digits must reach the library and come
// back.
var longNumbers = script{steps: []step{
	{
		say:        says("Note this."),
		completion: calls(invoke("write_note", "<text>π</text>\n<number>12345678901234567890</number>")),
		want:       toolUse(call("write_note", `{"text":"π","number":12345678901234567890}`)),
	},
	{
		say:        returns("stored"),
		completion: "Done.",
		want:       endTurn("Done."),
		prompt:     []string{"<number>12345678901234567890</number>"},
	},
}}

// cutText ends at the token limit inside a word.
var cutText = script{steps: []step{{
	say:        says("Tell a story."),
	completion: "Once upon a ti",
	stop:       messages.StopMaxTokens,
	want:       Answer{Content: []Block{text("Once upon a ti")}, StopReason: "max_tokens"},
}}}

// The cut call: its first value is complete, and its second value is half a text.
const (
	wholeNumber = "7"
	halfText    = "half a sen"
	halfCall    = "<function_calls>\n<invoke>\n<tool_name>write_note</tool_name>\n<parameters>\n<number>" + wholeNumber + "</number>\n<text>" + halfText
)

// wholeCall is the same call, complete.
const wholeCall = halfCall + "</text>\n</parameters>\n</invoke>\n</function_calls>"

// cutCall ends at the token limit inside a value. Complete values before it are kept. This is the answer
// without streaming; for streams see runCutCall.
var cutCall = script{steps: []step{{
	say:        says("Note this."),
	completion: halfCall,
	stop:       messages.StopMaxTokens,
	want:       Answer{Content: []Block{call("write_note", `{"number":`+wholeNumber+`}`)}, StopReason: "max_tokens"},
}}}

// stopSequence ends at the client's own stop sequence, which is not part of the text.
var stopSequence = script{steps: []step{{
	say:        says("Count."),
	completion: "one two THREE four",
	want:       Answer{Content: []Block{text("one two ")}, StopReason: "stop_sequence", StopSequence: "THREE"},
}}}
