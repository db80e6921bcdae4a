package proxy

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json"

	"dragoman/translate"
)

// element returns the place of an element of an array.
func element(at string, i int) string { return at + "." + strconv.Itoa(i) }

// fail keeps the first failure.
func (c *converter) fail(at, message string) {
	if c.err == nil {
		c.err = &translate.InvalidRequestError{Path: clip(at), Message: message}
	}
}

// union checks that one member of a union is set, and that it is known.
func (c *converter) union(at string, rest others, set ...bool) {
	n := 0
	for _, is := range set {
		if is {
			n++
		}
	}
	c.refuse(at, rest)
	if n != 1 {
		c.fail(at, fmt.Sprintf("One member should be set, and %d are.", n))
	}
}

// leave passes over members that have no place in what is written.
func (c *converter) leave(at string, rest others) {
	for _, name := range rest.names() {
		if at == "" {
			c.drop(name)
		} else {
			c.drop(at + "." + name)
		}
	}
}

// names returns the names of members that are not null. A dot in one would make it
// read like a place.
func (o others) names() (names []string) {
	for name, v := range o {
		if v.Kind() != 'n' {
			names = append(names, strings.ReplaceAll(name, ".", "_"))
		}
	}
	slices.Sort(names)
	return names
}

// drop names what is left out: a place without its indexes.
func (c *converter) drop(at string) {
	c.dropped[strings.Join(slices.DeleteFunc(strings.Split(at, "."), isIndex), ".")] = true
}

func isIndex(step string) bool {
	_, err := strconv.Atoi(step)
	return err == nil
}

// moved takes down that element i of an array is written as element n of another.
func (c *converter) moved(to string, n int, from string, i int) {
	if n != i {
		c.places[element(to, n)] = element(from, i)
	}
}

// What members are called in a request, by their names in the body that is written.
var (
	converseMembers = map[string]string{
		"messages":       "messages",
		"system":         "system",
		"max_tokens":     "inferenceConfig.maxTokens",
		"temperature":    "inferenceConfig.temperature",
		"top_p":          "inferenceConfig.topP",
		"stop_sequences": "inferenceConfig.stopSequences",
		"tools":          "toolConfig.tools",
		"tool_choice":    "toolConfig.toolChoice",
		"output_config":  "outputConfig",
	}
	converseSteps = map[string]string{
		"tool_use":          "toolUse",
		"tool_result":       "toolResult",
		"thinking":          "reasoningContent",
		"redacted_thinking": "reasoningContent",
		"id":                "toolUseId",
		"tool_use_id":       "toolUseId",
		"title":             "name",
		"custom":            "toolSpec",
		"input_schema":      "inputSchema.json",
		"cache_control":     "cachePoint",
	}
)

// converseWords are those of messages about a body in the words of the request.
var converseWords = strings.NewReplacer(
	"`tool_use_id`", "`toolUseId`", "`tool_use`", "`toolUse`", "`tool_result`", "`toolResult`", "`tools`", "`toolConfig.tools`",
)

// place returns what a place in the body that was written is called in the request:
// "messages.0.content.2.toolUse.input" for "messages.0.content.1.tool_use.input".
func (c *converter) place(path string) string {
	first, rest, _ := strings.Cut(path, ".")
	switch {
	case slices.Contains(additionalFields, first):
		return "additionalModelRequestFields." + path
	case path == "tool_choice.name":
		return "toolConfig.toolChoice.tool.name"
	case converseMembers[first] == "":
		return path // a name of the request's own
	}
	first = converseMembers[first]
	for to, from := range c.places {
		if after, ok := strings.CutPrefix(path+".", to+"."); ok {
			first, rest = from, strings.TrimSuffix(after, ".")
		}
	}
	if rest == "" {
		return first
	}
	steps := strings.Split(rest, ".")
	for i, step := range steps {
		if name, ok := converseSteps[step]; ok {
			steps[i] = name
		}
	}
	return first + "." + strings.Join(steps, ".")
}

// converseError says what is wrong with a body that could not be read.
func converseError(data []byte, err error) error {
	var semantic *json.SemanticError
	if errors.As(err, &semantic) && semantic.JSONPointer != "" && semantic.GoType != nil {
		return &translate.InvalidRequestError{
			Path:    strings.Join(slices.Collect(semantic.JSONPointer.Tokens()), "."),
			Message: "This should be " + jsonKind(semantic.GoType) + ".",
		}
	}
	if _, err := translate.ReadBody(data, translate.DecodeOptions{Model: "any"}); err != nil {
		return err // all bodies are JSON objects
	}
	return &translate.InvalidRequestError{Message: "The request body cannot be read."}
}

// jsonKind says which kind of JSON is read as a type.
func jsonKind(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer:
		return jsonKind(t.Elem())
	case reflect.String:
		return "a string"
	case reflect.Slice:
		return "a list"
	}
	return "an object"
}
