package upstream

import (
	"strings"
	"testing"
)

func TestReadCount(t *testing.T) {
	for answer, want := range map[string]int{
		`{"input_tokens":12}`:                       12,
		`{"input_tokens":0}`:                        0,
		`{"a":{"input_tokens":1},"input_tokens":2}`: 2,
		`{"input_tokens":null}`:                     -1,
		`{"input_tokens":-1}`:                       -1,
		`{"input_tokens":"12"}`:                     -1,
		`{"inputTokens":12}`:                        -1,
		`null`:                                      -1,
		`{"input_tokens":12`:                        -1,
		``:                                          -1,
	} {
		got, err := readCount(strings.NewReader(answer), "input_tokens")
		if failed := want < 0; failed != (err != nil) || !failed && got != want {
			t.Errorf("%s: %d, %v", answer, got, err)
		}
	}
}
