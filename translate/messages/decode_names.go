package messages

import (
	"fmt"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file rejects names that differ from a name of the API only in case, at any depth of a body,
// for all models. Otherwise Dragoman or the upstream would silently ignore the field.

// apiNames are the names of all members that the API defines in a request
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

// freeNames are the members with names that the client chooses.
var freeNames = []string{"input", "input_schema", "input_examples", "schema", "metadata", "configs"}

// folded maps a name in lower case to the name of the API.
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
	free bool // in freeNames
}

// longestName is the length of the longest of apiNames.
var longestName = len(slices.MaxFunc(apiNames, func(a, b string) int { return len(a) - len(b) }))

// lookUpName looks up the name of a member. If the name differs from a name of the API only in
// case, meant is the API's name. free reports whether the client may choose the names inside the
// member's value. It may in freeNames, and in members that the API does not know.
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

// nameCheck checks the names of a body, token by token.
type nameCheck struct {
	free  int  // the depth of the outermost object or array with free names; 0 outside
	opens bool // the next value has free names
}

// name checks the name of a member, which is still quoted. If it differs from a name of the API
// only in case, name returns the API's name; otherwise "".
func (c *nameCheck) name(quoted jsontext.Value) (meant string) {
	if c.free == 0 {
		meant, c.opens = lookUpName(rawjson.UnquoteBytes(quoted))
	}
	return meant
}

// value takes any other token. depth is how many objects and arrays are open after it.
func (c *nameCheck) value(kind jsontext.Kind, depth int) {
	switch {
	case c.opens && (kind == '{' || kind == '['):
		c.free = depth
	case depth < c.free:
		c.free = 0
	}
	c.opens = false
}

// misspelt returns the error for a name in the wrong case.
func misspelt(path, meant string) *InvalidRequestError {
	return &InvalidRequestError{Fault: FaultUnknownField, Path: path, Message: fmt.Sprintf(`%s; did you mean "%s"?`, extraInputs, meant)}
}
