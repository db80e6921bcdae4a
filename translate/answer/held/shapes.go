package held

import (
	"iter"
	"regexp"

	"dragoman/translate/format"
)

// shapes matches text in the shape of a call that Dragoman reads in no format. A group has the name of the tool.
var shapes = regexp.MustCompile(`(?m)^Action: *(\S+)[ \t]*\r?\n+Action Input:` + // ReAct
	`|\[Calling tool: *([\w.-]+)\(` +
	`|\bfunctions\.([\w-]+)\(` +
	`|<call_record\s[^<>]*?\btool="([^"<>]*)"` +
	`|<tool_invocation\s[^<>]*?\b(?:tool|name)="([^"<>]*)"` +
	`|^\[TOOL_CALL\]` +
	`|<invoke>\s*<parameters>`) // a call without the name of its tool

// FindShapes yields text in the shape of a call to one of the tools, or to a tool without a name.
func FindShapes(text []byte, tools *format.ToolNames) iter.Seq[Found] {
	return func(yield func(Found) bool) {
		for _, at := range shapes.FindAllSubmatchIndex(text, -1) {
			found := Found{From: at[0], To: at[1]}
			named := false
			for i := 2; i < len(at); i += 2 {
				if at[i] >= 0 {
					named = true
					if tool, _ := tools.Find(string(text[at[i]:at[i+1]])); tool != nil {
						found.Tool = tool.Name
					}
				}
			}
			if (!named || found.Tool != "") && !yield(found) {
				return
			}
		}
	}
}
