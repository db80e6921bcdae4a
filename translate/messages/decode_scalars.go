package messages

import (
	"bytes"
	"math"
	"strconv"
	"strings"

	"github.com/go-json-experiment/json/jsontext"

	"dragoman/translate/rawjson"
)

// This file reads single values, and has the API's wording for invalid ones.

// The API's wording for invalid values (docs/reference/messages-api.md §9).
const (
	fieldRequired = "Field required"
	extraInputs   = "Extra inputs are not permitted"
	notString     = "Input should be a valid string"
	notObject     = "Input should be a valid dictionary"
	notList       = "Input should be a valid list"
	notText       = "Input should be a valid string or list"
)

// text reads a required string.
func (d *decoder) text(at fieldPath, v jsontext.Value) string {
	switch v.Kind() {
	case '"':
		return d.unquote(v)
	case 0:
		d.failBy(FaultMissingField, at, fieldRequired)
	default:
		d.fail(at, notString)
	}
	return ""
}

// optionalText reads a string that may be missing or null.
func (d *decoder) optionalText(at fieldPath, v jsontext.Value) string {
	if absent(v) {
		return ""
	}
	return d.text(at, v)
}

// textKnown does what text does, but does not copy strings that are in known.
func (d *decoder) textKnown(at fieldPath, v jsontext.Value, known []string) string {
	if v.Kind() == '"' {
		return rawjson.UnquoteKnown(v, known)
	}
	return d.text(at, v)
}

// unquote returns the text of a string.
func (d *decoder) unquote(quoted jsontext.Value) string {
	if bytes.IndexByte(quoted, '\\') < 0 {
		return d.keep(quoted[1 : len(quoted)-1])
	}
	d.scratch = rawjson.AppendUnquoted(d.scratch[:0], quoted)
	text := d.keep(d.scratch)
	if cap(d.scratch) > 1<<20 { // too large to keep
		d.scratch = nil
	}
	return text
}

// keep returns a copy of text. The short texts of a request share memory, because there are many
// and they live as long as the Request.
func (d *decoder) keep(text []byte) string {
	if len(text) > d.shared/8 {
		return string(text)
	}
	if d.texts.Cap()-d.texts.Len() < len(text) {
		d.texts.Reset()
		d.texts.Grow(d.shared)
	}
	begin := d.texts.Len()
	d.texts.Write(text)
	return d.texts.String()[begin:]
}

// boolean reads a boolean. Missing and null are false.
func (d *decoder) boolean(at fieldPath, v jsontext.Value) bool {
	if !absent(v) && v.Kind() != 't' && v.Kind() != 'f' {
		d.fail(at, "Input should be a valid boolean")
	}
	return v.Kind() == 't'
}

// integer reads a required integer that is at least least. As in JSON Schema, 2.0 is an integer.
func (d *decoder) integer(at fieldPath, v jsontext.Value, least int) int {
	if v.Kind() == 0 {
		d.failBy(FaultMissingField, at, fieldRequired)
		return 0
	}
	const exact = 1 << 53
	f, ok := d.number(v)
	switch {
	case !ok || f != math.Trunc(f) || math.Abs(f) > exact:
		d.fail(at, "Input should be a valid integer")
		return 0
	case int(f) < least:
		d.fail(at, "Input should be greater than or equal to %d", least)
	}
	return int(f)
}

// upTo reads an optional number between 0 and most.
func (d *decoder) upTo(most float64, at fieldPath, v jsontext.Value) *float64 {
	if absent(v) {
		return nil
	}
	f, ok := d.number(v)
	switch {
	case !ok:
		d.fail(at, "Input should be a valid number")
	case f < 0:
		d.fail(at, "Input should be greater than or equal to 0")
	case f > most:
		d.fail(at, "Input should be less than or equal to %v", most)
	}
	return &f
}

// number returns v as a number, and false if v is not a number.
func (d *decoder) number(v jsontext.Value) (f float64, ok bool) {
	if v.Kind() != '0' {
		return 0, false
	}
	f, err := strconv.ParseFloat(string(v), 64)
	return f, err == nil
}

// object reports whether kind is an object. If not, it fails.
func (d *decoder) object(at fieldPath, kind jsontext.Kind) bool {
	switch kind {
	case '{':
		return true
	case 0:
		d.failBy(FaultMissingField, at, fieldRequired)
	default:
		d.fail(at, notObject)
	}
	return false
}

// list reports whether v is a list. It fails if v has another type. A missing v is not a failure.
func (d *decoder) list(at fieldPath, v jsontext.Value) bool {
	if !absent(v) && v.Kind() != '[' {
		d.fail(at, notList)
	}
	return v.Kind() == '['
}

// asksNothing reports whether ignoring a member does exactly what the client asks, because the
// value turns something off or is empty. Clients send such members when they send an answer back as
// history.
func asksNothing(v jsontext.Value) bool {
	const longest = 64
	if len(v) > longest {
		return false
	}
	v = v.Clone()
	if err := v.Compact(); err != nil {
		return false
	}
	switch string(v) {
	case `false`, `[]`, `{}`, `{"type":"disabled"}`, `{"type":"direct"}`, `{"enabled":false}`, `["direct"]`:
		return true
	}
	return false
}

// absent reports whether a member is missing or null.
func absent(v jsontext.Value) bool { return v == nil || v[0] == 'n' }

// onlyBytes reports whether s has only ASCII letters, ASCII digits and the bytes in others.
func onlyBytes(s, others string) bool {
	for i := range len(s) {
		if c := s[i]; !alphanumeric[c] && strings.IndexByte(others, c) < 0 {
			return false
		}
	}
	return true
}

// alphanumeric are the ASCII letters and digits.
var alphanumeric = func() (is [256]bool) {
	for c := range is {
		is[c] = c|0x20 >= 'a' && c|0x20 <= 'z' || c >= '0' && c <= '9'
	}
	return is
}()
