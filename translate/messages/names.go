package messages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file refuses names that differ from one of the API by the case of their letters alone, at any
// depth of a body, whoever reads it: what was meant by such a name would be left out without a word,
// here or by a model with a tool API of its own.

// apiNames are the names of members that have a meaning somewhere in a request
// (docs/reference/messages-api.md §2 to §7).
var apiNames = slices.Concat(requestMembers, messageMembers, blockMembers, sourceMembers, toolMembers, changeMembers, freeNames, []string{
	"amazon-bedrock-guardrailConfig", "ttl", "scope", "enabled", "display", "budget_tokens", "disable_parallel_tool_use",
	"effort", "task_budget", "total", "remaining", "format",
	"cited_text", "document_index", "document_title", "start_char_index", "end_char_index", "start_page_number", "end_page_number",
	"start_block_index", "end_block_index", "search_result_index", "encrypted_index", "encrypted_content", "page_age",
	"allowed_domains", "blocked_domains", "max_uses", "max_content_tokens", "user_location", "city", "region", "country", "timezone",
	"url", "authorization_token", "tool_configuration", "allowed_tools", "mcp_server_name", "server_name", "default_config",
	"tool_id", "tool_references", "skills", "skill_id", "version", "error_code", "stdout", "stderr", "return_code", "retrieved_at",
	"edits", "trigger", "keep", "value", "clear_at_least", "exclude_tools", "clear_tool_inputs",
})

// freeNames are the names of members in which the client chooses the names.
var freeNames = []string{"input", "input_schema", "input_examples", "schema", "metadata", "configs"}

// folded has apiNames by their form in lower case.
var folded = func() map[string]apiName {
	names := make(map[string]apiName, len(apiNames))
	for _, name := range apiNames {
		names[strings.ToLower(name)] = apiName{name, slices.Contains(freeNames, name)}
	}
	return names
}()

// apiName is a name of the API.
type apiName struct {
	name string
	free bool // it is one of freeNames
}

// longestName is the length of the longest of apiNames.
var longestName = len(slices.MaxFunc(apiNames, func(a, b string) int { return len(a) - len(b) }))

// lookUpName looks at the name of a member. It returns the name that was meant, or "" if nothing is
// wrong, and whether the names in the member's value are the client's: a name that the API does not
// have is the client's, and so is all in its value.
func lookUpName(name []byte) (meant string, free bool) {
	var lower [64]byte
	if len(name) > longestName {
		return "", true
	}
	for i, b := range name {
		if lower[i] = b; 'A' <= b && b <= 'Z' {
			lower[i] += 'a' - 'A'
		}
	}
	near, known := folded[string(lower[:len(name)])]
	if known && near.name != string(name) {
		meant = near.name
	}
	return meant, near.free || !known
}

// nameCheck looks at the names of a body, one token of it after another.
type nameCheck struct {
	free  int  // the depth of the object or array in which names are the client's; 0 outside of such
	opens bool // the value that follows is one
}

// name looks at the name of a member, as it stands in the body. It returns the name that was meant,
// or "" if nothing is wrong.
func (c *nameCheck) name(quoted jsontext.Value) (meant string) {
	if c.free == 0 {
		meant, c.opens = lookUpName(rawjson.UnquoteBytes(quoted))
	}
	return meant
}

// value looks at any other token. depth is how many objects and arrays are open behind it.
func (c *nameCheck) value(kind jsontext.Kind, depth int) {
	switch {
	case c.opens && (kind == '{' || kind == '['):
		c.free = depth
	case depth < c.free:
		c.free = 0
	}
	c.opens = false
}

// misspelt returns the error for a name in another case.
func misspelt(path, meant string) *InvalidRequestError {
	return &InvalidRequestError{Fault: FaultUnknownField, Path: path, Message: fmt.Sprintf(`%s; did you mean "%s"?`, extraInputs, meant)}
}
