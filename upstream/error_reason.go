package upstream

import (
	"bytes"
	"html"
	"strings"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// What an error says in words, wherever its server writes that.

// Bounds of what is read of an error: objects and lists within one another, and members of one.
const (
	reasonDepth = 6
	reasonCount = 10
)

// reasonMembers are the members that hold the words of an error, the most telling first.
var reasonMembers = []string{"message", "msg", "detail", "error", "error_message", "error_msg", "error_description", "errors"}

// reasonIn returns what an error in JSON says in words, "" if it says nothing. It is for JSON that is valid. Each
// level is looked through several times: of an error in a stream that is longer than any refusal, the first levels are.
func reasonIn(v jsontext.Value) string {
	if len(v) > maxErrorBody {
		return reasonWithin(v, 3) // {"error":{"message":"…"}}
	}
	return reasonWithin(v, reasonDepth)
}

// reasonWithin is reasonIn for a value that has at most depth levels.
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

// reasonOf returns what an object says. What is wrong with the request goes behind its place (loc), what a
// gateway was told by the server behind it goes first, and the list of all that is wrong goes last.
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
	metadata := rawjson.Lookup(v, "metadata") // of OpenRouter
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

// fieldReasons returns what an object says that has the words for each field under its name.
func fieldReasons(v jsontext.Value, depth int) string {
	var reasons []string
	for name, value := range rawjson.NamedMembers(v) {
		if reason := reasonWithin(value, depth-1); reason != "" && len(reasons) < reasonCount {
			reasons = append(reasons, name+": "+reason)
		}
	}
	return strings.Join(reasons, "; ")
}

// placeIn returns a path such as ["body","messages",0] with dots.
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

// joinReasons returns two texts with a colon between them, if there are two.
func joinReasons(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + ": " + b
}

// errorText returns what a refusal of an unknown form says in words: those of an error in JSON, the title
// of a page of HTML, or a plain text. It is "" for anything else.
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

// htmlTitle returns the title of a page, "" if it has none.
func htmlTitle(page string) string {
	lower := strings.ToLower(page)
	if len(lower) != len(page) {
		return "" // letters whose other case is longer, or shorter
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
