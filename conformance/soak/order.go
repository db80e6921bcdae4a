package main

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"

	"dragoman/conformance/answer"
	"dragoman/translate"
	"dragoman/upstream/upstreamtest"
)

// order is what a question orders from the model: the answer, its length, and its fault. The client and the
// upstream each derive the answer from it.
type order struct {
	number, size int
	fault        string // in the form of upstreamtest.ParseFault
}

// faults happen in one of ten answers. A fault with a number happens in the answer or after it.
var faults = []string{
	"refuse 503 overloaded_error", "refuse 429 rate_limit_error", "refuse 500 api_error", "reply 200 text/html <html>",
	"cut %d", "end %d", "corrupt %d", "fail %d overloaded_error", "stall %d",
}

// newOrder returns a random order. Most answers are short, some have 64 KB.
func newOrder(random *rand.Rand, number int) order {
	o := order{number: number, size: 100 + random.IntN(2000), fault: "none"}
	if random.IntN(50) == 0 {
		o.size = 64 << 10
	}
	if random.IntN(10) == 0 {
		o.fault = faults[random.IntN(len(faults))]
		if strings.Contains(o.fault, "%d") {
			o.fault = fmt.Sprintf(o.fault, random.IntN(o.size))
		}
	}
	return o
}

// words is the text of the question.
func (o order) words() string {
	return fmt.Sprintf("Please, my canary: order %d of %d bytes, and its fault is %s.", o.number, o.size, o.fault)
}

var ordered = regexp.MustCompile(`order (\d+) of (\d+) bytes, and its fault is ([^.]*)\.`)

// script is the model: it answers the last order in the prompt.
func script(_ string, p *translate.Prompt) upstreamtest.Completion {
	var all strings.Builder
	for _, turn := range p.Turns {
		for _, part := range turn.Parts {
			all.WriteString(part.Text)
		}
	}
	matches := ordered.FindAllStringSubmatch(all.String(), -1)
	if len(matches) == 0 {
		return upstreamtest.Completion{Text: "Nothing was ordered."}
	}
	match := matches[len(matches)-1]
	o := order{fault: match[3]}
	o.number, _ = strconv.Atoi(match[1])
	o.size, _ = strconv.Atoi(match[2])
	fault, err := upstreamtest.ParseFault(o.fault)
	if err != nil {
		return upstreamtest.Completion{Text: err.Error()}
	}
	return upstreamtest.Completion{
		Text: o.text() + "\n\n<function_calls>\n<invoke>\n<tool_name>note</tool_name>\n<parameters>\n<text>" + o.value() +
			"</text>\n</parameters>\n</invoke>\n</function_calls>",
		Pieces: 20, Fragment: []int{0, 0, 1000, 37}[o.number%4], Fault: fault,
	}
}

// text is the text of the answer, and value the argument of its call. They contain characters that parsers
// often get wrong.
func (o order) text() string {
	return fmt.Sprintf("Order %d. ", o.number) + strings.Repeat("The canary 🐤 is < 3 & well. ", 1+o.size/60) + "So it is."
}

func (o order) value() string {
	return fmt.Sprintf("Note %d. ", o.number) + strings.Repeat("if a<b && \"c\" { </canary> }\n", 1+o.size/60) + "\\ end"
}

// checkAnswer checks an answer to the order. It returns "whole" or, if the fault says so, "failed"; the error
// says what is wrong.
func (o order) checkAnswer(a *answer.Answer) (kind string, err error) {
	if a.Failure != "" {
		if o.fault == "none" {
			return "", fmt.Errorf("status %d, %s, and nothing had gone wrong", a.Status, a.Failure)
		}
		return "failed", nil
	}
	var input struct{ Text string }
	if err := json.Unmarshal([]byte(a.Call), &input); err != nil {
		return "", fmt.Errorf("%w in the input %.200q", err, a.Call)
	}
	if a.Text != o.text() || input.Text != o.value() || a.Stop != "tool_use" {
		return "", fmt.Errorf("stop_reason %s, %d bytes of text and %d of the call, which differ from what was said", a.Stop, len(a.Text), len(a.Call))
	}
	return "whole", nil
}
