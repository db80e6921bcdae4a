package upstream

import (
	"strconv"
	"strings"
)

// MaxTokensOf tells from a model id how many tokens the model's answers have at most,
// 0 if that is not known: 4,096 up to Claude 3, 8,192 for Claude 3.5 (reference/bedrock.md
// §2b, wire.md §8). Later ones, and other families, say so themselves.
func MaxTokensOf(id string) int {
	v, known := 0, false
	if id = strings.ToLower(id); strings.Contains(id, "claude") {
		v, known = claudeVersion(id)
	}
	switch {
	case !known:
		return 0
	case v <= 300:
		return 4096
	case v == 305:
		return 8192
	}
	return 0
}

// excesses are how the messages begin by which servers refuse a max_tokens beyond
// what the model can do (reference/wire.md §8, bedrock.md §2b; reports of users): %d
// stands for a number, the last of which is the limit. They are compared as
// [refusals] are. What depends on the length of the prompt is no limit of the
// model's, and not here.
var excesses = []string{
	"max_tokens: %d > %d, which is the maximum allowed number of output tokens",
	"the maximum tokens you requested exceeds the model limit of %d",
	"malformed input request: #/max_tokens: %d is not less or equal to %d,",
	"malformed input request: #/max_tokens_to_sample: %d is not less or equal to %d,",
	"max_tokens is too large: %d. this model supports at most %d completion tokens",
}

// limitRefused returns how many tokens a server says that the model gives at most,
// 0 if the message, which is unwrapped, is about something else.
func limitRefused(message string) int {
	for _, excess := range excesses {
		if n := lastNumber(message, excess); n > 0 {
			return n
		}
	}
	return 0
}

// lastNumber reads the last number of a text that begins as the pattern says, 0 if it
// does not.
func lastNumber(text, pattern string) int {
	last, number := 0, false
	for literal := range strings.SplitSeq(pattern, "%d") {
		if number {
			n := digits([]byte(text))
			value, err := strconv.ParseInt(text[:n], 10, 32)
			if err != nil {
				return 0
			}
			last, text = int(value), text[n:]
		}
		var ok bool
		if text, ok = strings.CutPrefix(text, literal); !ok {
			return 0
		}
		number = true
	}
	if text != "" && text[0] >= '0' && text[0] <= '9' {
		return 0
	}
	return last
}
