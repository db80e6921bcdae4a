package rawjson

import "testing"

// TestAppendCutObject checks which members of a cut object are whole.
func TestAppendCutObject(t *testing.T) {
	for text, want := range map[string]string{
		`{"a": "x", "b": "y`:                  `{"a":"x"`,
		`{"a": "x"`:                           `{"a":"x"`,
		`{"a": "x",`:                          `{"a":"x"`,
		`{"a": "x", "b`:                       `{"a":"x"`,
		`{"a": 1`:                             ``,
		`{"a": 1, "b": tr`:                    `{"a":1`,
		`{"a": "x", "b": "say "hi`:            `{"a":"x"`, // the quote belongs to the string
		`{"a": "x", "b": "say "hi", he`:       `{"a":"x"`,
		`{"a": "x", "b": "say", he`:           `{"a":"x"`,
		`{"a": "x", "b": {"c": "say "hi`:      `{"a":"x"`,
		`{"a": "say "hi" to", "b": "x", "c":`: ``,
		``:                                    ``,
	} {
		if got := string(AppendCutObject(nil, text)); got != want {
			t.Errorf("%s: %s, want %s", text, got, want)
		}
	}
}
