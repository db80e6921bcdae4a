package upstream

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// The text of an error, wherever the server writes it.

// Limits for the search: the depth of objects and lists, and the number of members.
const (
	reasonDepth = 6
	reasonCount = 10
)

// reasonMembers are the members that can hold the text of an error, the most specific first.
var reasonMembers = []string{"message", "msg", "detail", "error", "error_message", "error_msg", "error_description", "errors"}

// reasonIn returns the text of an error in JSON, or "" if it has none. The JSON must be valid. reasonIn reads
// each level several times, so it looks only at the first levels of JSON that is longer than maxErrorBody.
func reasonIn(v jsontext.Value) string {
	if len(v) > maxErrorBody {
		return reasonWithin(v, 3) // {"error":{"message":"…"}}
	}
	return reasonWithin(v, reasonDepth)
}

// reasonWithin is reasonIn for a value with at most depth levels.
func reasonWithin(v jsontext.Value, depth int) string {
	if depth == 0 {
		return ""
	}
	switch v.Kind() {
	case '"':
		return strings.TrimSpace(rawjson.StringOf(v))
	case '[':
		var reasons []string
		for element := range rawjson.Elements(v) {
			if reason := reasonWithin(element, depth-1); reason != "" && len(reasons) < reasonCount {
				reasons = append(reasons, reason)
			}
		}
		return strings.Join(reasons, "; ")
	case '{':
		return reasonOf(v, depth)
	}
	return ""
}

// reasonOf returns the text of an object. The place of the fault in the request (loc) comes before the text.
// If a gateway quotes the server that it called, that server's text comes first. The list of all faults comes
// last.
func reasonOf(v jsontext.Value, depth int) (reason string) {
	for _, name := range reasonMembers {
		if reason = reasonWithin(rawjson.Lookup(v, name), depth-1); reason != "" {
			break
		}
	}
	errors := rawjson.Lookup(v, "errors")
	switch all := reasonWithin(errors, depth-1); {
	case reason == "":
		reason = fieldReasons(errors, depth)
	case all != reason:
		reason = joinReasons(reason, all)
	}
	if place := placeIn(rawjson.Lookup(v, "loc")); place != "" {
		reason = joinReasons(place, reason)
	}
	metadata := rawjson.Lookup(v, "metadata") // OpenRouter
	raw := rawjson.Lookup(metadata, "raw")
	if text := jsontext.Value(rawjson.StringOf(raw)); text.IsValid(lenient) && text.Kind() == '{' {
		raw = text
	}
	if behind := reasonWithin(raw, depth-1); behind != "" {
		who := strings.TrimSpace(strings.Join([]string{reason, rawjson.StringOf(rawjson.Lookup(metadata, "provider_name"))}, ", "))
		return behind + " (" + strings.Trim(who, ", ") + ")"
	}
	return reason
}

// fieldReasons returns the text of an object with one member for each faulty field.
func fieldReasons(v jsontext.Value, depth int) string {
	var reasons []string
	for name, value := range rawjson.NamedMembers(v) {
		if reason := reasonWithin(value, depth-1); reason != "" && len(reasons) < reasonCount {
			reasons = append(reasons, name+": "+reason)
		}
	}
	return strings.Join(reasons, "; ")
}

// placeIn returns a path such as ["body","messages",0] with dots: body.messages.0.
func placeIn(loc jsontext.Value) string {
	var path []string
	for element := range rawjson.Elements(loc) {
		if element.Kind() == '"' {
			path = append(path, rawjson.StringOf(element))
		} else {
			path = append(path, string(element))
		}
	}
	return strings.Join(path, ".")
}

// joinReasons joins two texts with a colon. If one is empty, it returns the other.
func joinReasons(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ": " + b
}

// errorText returns the text of an error of an unknown form: the message in JSON, the title of an HTML page,
// or a plain text. For any other body it returns "".
func errorText(kind string, body []byte) string {
	body = bytes.TrimSpace(body)
	text := ""
	switch v := jsontext.Value(body); {
	case v.IsValid(lenient):
		text = reasonIn(v)
	case !utf8.Valid(body), len(body) == 0, body[0] == '{', body[0] == '[':
	case body[0] == '<' || kind == "text/html":
		text = htmlTitle(string(body))
	case kind == "" || kind == "text/plain" || kind == "application/json":
		text = string(body)
	}
	if len(text) > maxErrorText {
		text = strings.ToValidUTF8(text[:maxErrorText], "") + "…"
	}
	return text
}

// htmlTitle returns the title of a page, or "" if it has none.
func htmlTitle(page string) string {
	lower := strings.ToLower(page)
	if len(lower) != len(page) {
		return "" // ToLower changed the length of a letter, so the offsets differ
	}
	begin := strings.Index(lower, "<title")
	if begin < 0 {
		return ""
	}
	_, title, _ := strings.Cut(page[begin:], ">")
	end := strings.Index(strings.ToLower(title), "</title")
	if end < 0 {
		return ""
	}
	return strings.Join(strings.Fields(html.UnescapeString(title[:end])), " ")
}
