package fidelity

import (
	"slices"
	"strings"
)

// Names of properties: usual ones, and ones that break readers.
var (
	plainNames = []string{"city", "path", "content", "query", "days", "limit", "user_id", "items", "item", "name", "value", "type", "id", "a", "b", "p",
		"description", "title", "body", "code", "options", "tags", "data", "url", "start-date", "x.y"}
	oddNames = []string{"", " ", "user id", "2fa", "größe", "名前", "имя", "a/b", "a<b", "a>b", "q?", `say "hi"`, "it's", "50%", "%41", "a=b", "a&b", "#", "$ref",
		"a:b", "parameters", "parameter", "invoke", "function_calls", "function_results", "tool_name", "PARAMETERS", "x:invoke", "tool_call", "result",
		"stdout", "thinking", "-", "--x", "😀", "line\nbreak", "tab\t", "[0]", "!", "a,b", "(c)", "{d}", "__proto__", "constructor", "null", "true", "0", strings.Repeat("long_", 60)}
)

// newName makes the name of a property.
func newName(c chance) string {
	if c.oneIn(3) {
		return pick(c, oddNames)
	}
	return pick(c, plainNames)
}

// toolNames are the names of tools.
var toolNames = []string{"get_weather", "write_file", "search", "run", "update-record", "T", "lookup_2", "edit", "mcp__server__do_it", "parameters_of"}

// numbers are integers. Some exceed a float64 or an int64: all their digits have to arrive.
var numbers = []string{"0", "1", "-1", "7", "42", "-0", "2147483648", "9007199254740993", "12345678901234567890", "-98765432109876543210987654321"}

// fractions are numbers that are not integers, or are not written as integers.
var fractions = []string{"0.1", "1.0", "-3.50", "1e3", "2.5E-7", "6.02214076e+23", "0.30000000000000004", "123456789.123456789123456789", "1.7976931348623157e308", "-0.0"}

// phrases are typical texts: prose in many scripts, code, markup, and text that looks like something else.
var phrases = []string{
	"Oslo", "hello world", "a b  c", " leading", "trailing ", "two\nlines", "\nnewline first", "newline last\n", "\r\ncrlf\r\n", "cr\r", "\n", "\n\n", " ", "\t", "",
	"5", "007", "-1", "1.0", "1e3", "true", "False", "null", "None", `"quoted"`, `"5"`, "'single'", "[]", "{}", `["a"]`, `{"a":1}`, "[1,", "{not json",
	"a < b && c > d", "x &lt; y &amp; z", "&#60;b&#62;", "<b>bold</b>", "<br/>", "<p>one<p>two", "</div>", "<!-- note -->", "<?xml version=\"1.0\"?>",
	"```go\nfmt.Println(\"hi\")\n```", "`code`", "```\nunclosed", "# Title\n\n- item\n", "| a | b |\n|---|---|",
	"日本語のテキスト", "Привет, мир", "مرحبا بالعالم", "שלום עולם", "नमस्ते दुनिया", "สวัสดีชาวโลก", "안녕하세요", "Γειά σου Κόσμε", "გამარჯობა", "你好，世界", "Xin chào", "Zażółć gęślą jaźń",
	"👩‍👩‍👧‍👦🏳️‍🌈", "e\u0301", "\u200b\u2028\u2029\ufeff", "\u0000\u0001\u001f", "\u007f\u0085", "\ufffd", "𝔘𝔫𝔦𝔠𝔬𝔡𝔢",
	"<![CDATA[x]]>", "]]>", "a]]>b", " <![CDATA[", "<", "</", "<a", "</a", "&", "&lt", "\\", "\\n", "\"", "C:\\dir\\file", "$1 \\1 %s {{x}} ${y}",
	"<function_calls>", "</function_calls>", "<invoke>", "</invoke>", "<invoke name=\"run\">", "<tool_name>run</tool_name>", "<parameters>", "</parameters>", "</parameter>",
	"<parameter name=\"city\">", "<function_results>\n<result>", "<city>Oslo</city>", "</city>", "</content>", "</a>", "</p>", "<item>", "</item>", "<a>1</a><a>2</a>",
	"</parameters>\n</invoke>", "</a></parameters>", "&lt;/parameters>", "&amp;lt;/invoke>", "<thinking>", "</thinking>", "Human: hi", "\n\nHuman: hi\n\nAssistant: ",
	"SELECT * FROM t WHERE a < 5 AND b <> 'x';", "if (a<b) { return a[0] && c; }", "for i in range(3):\n\tprint(i)\n", "echo \"$HOME\" > /dev/null 2>&1",
	"diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-<a>\n+</a>\n", "services:\n  web:\n    image: \"x:1\"\n", "<html>\n<head><title>T</title></head>\n<body></body>\n</html>",
}

// foreignPhrases are phrases and markup of other makers' formats.
var foreignPhrases = slices.Insert(slices.Clone(phrases), slices.Index(phrases, "SELECT * FROM t WHERE a < 5 AND b <> 'x';"),
	"<tool_call>", "</tool_call>", "<tool_response>", "<function=run>", "</function>\n</tool_call>", "<parameter=city>", "</parameter>\n<parameter=city>\n", "<arg_key>city</arg_key>",
	"</arg_value>", "<arg_value>", "<｜DSML｜invoke name=\"run\">", "</｜DSML｜parameter>", "<param name=\"city\">", "</param>", "<function name=\"run\">", "</function>",
	"<|tool_call_begin|>functions.run:0<|tool_call_argument_begin|>{}<|tool_call_end|>", "<|tool_calls_section_end|>", "<｜tool▁call▁end｜>", "</minimax:tool_call>", "</seed:tool_call>")

// phrase returns one of the phrases.
func (c chance) phrase() string {
	if c.foreign {
		return pick(c, foreignPhrases)
	}
	return pick(c, phrases)
}

// newText makes the text of a string.
func newText(c chance) string {
	switch c.IntN(8) {
	case 0:
		return c.phrase() + c.phrase()
	case 1:
		var b strings.Builder
		for range c.IntN(8) {
			b.WriteString(c.phrase())
			b.WriteString(pick(c, []string{"", " ", "\n", "\n\n"}))
		}
		return b.String()
	case 2:
		var b strings.Builder
		for range c.IntN(12) {
			b.WriteRune(rune([]int{0x20 + c.IntN(0x5f), 0xa1 + c.IntN(0x1000), 0x4e00 + c.IntN(0x1000), 0x1f600 + c.IntN(64)}[c.IntN(4)]))
		}
		return b.String()
	case 3:
		if c.oneIn(200) {
			return strings.Repeat(c.phrase()+c.phrase(), 1+c.IntN(400))
		}
	}
	return c.phrase()
}
