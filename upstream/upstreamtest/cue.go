package upstreamtest

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"sync"

	"dragoman/translate"
)

// ParseFault reads a fault from text, in one of these forms:
//
//	refuse STATUS TYPE [RETRY-AFTER]
//	reply STATUS CONTENT-TYPE BODY…
//	stall EVENTS
//	fail EVENTS TYPE
//	corrupt EVENTS
//	cut BYTES
//	end BYTES
//
// The words are the arguments of the functions with these names. "none" returns nil.
func ParseFault(s string) (*Fault, error) {
	words := strings.Fields(s)
	if len(words) == 0 {
		return nil, errors.New("no fault is named")
	}
	if words[0] == "none" && len(words) == 1 {
		return nil, nil
	}
	form, known := faultForms[words[0]]
	if !known {
		return nil, fmt.Errorf("%q is no fault: use refuse, reply, stall, fail, corrupt, cut, end or none", words[0])
	}
	if n := len(words) - 1; n < form.least || n > form.most {
		return nil, fmt.Errorf("%s wants %s", words[0], form.want)
	}
	number, err := strconv.Atoi(words[1])
	if err != nil || number < 0 {
		return nil, fmt.Errorf("%s wants %s: %q is not a number", words[0], form.want, words[1])
	}
	return form.make(number, append(words[2:], "", "")), nil // optional words are ""
}

// faultForms are the faults by name. Each has the number of words after the name, and a function that makes
// the fault from the number, which comes first, and the other words.
var faultForms = map[string]struct {
	least, most int
	want        string
	make        func(n int, rest []string) *Fault
}{
	"refuse": {2, 3, "STATUS TYPE [RETRY-AFTER]", func(n int, rest []string) *Fault {
		return Refuse(n, rest[0], "refused on cue", rest[1])
	}},
	"reply": {3, 1 << 10, "STATUS CONTENT-TYPE BODY", func(n int, rest []string) *Fault {
		return Reply(n, rest[0], strings.TrimSpace(strings.Join(rest[1:], " ")))
	}},
	"stall":   {1, 1, "EVENTS", func(n int, _ []string) *Fault { return Stall(n) }},
	"fail":    {2, 2, "EVENTS TYPE", func(n int, rest []string) *Fault { return Fail(n, rest[0], "failed on cue") }},
	"corrupt": {1, 1, "EVENTS", func(n int, _ []string) *Fault { return Corrupt(n) }},
	"cut":     {1, 1, "BYTES", func(n int, _ []string) *Fault { return Cut(n) }},
	"end":     {1, 1, "BYTES", func(n int, _ []string) *Fault { return End(n) }},
}

// Cue makes answers of a script fail while its server runs.
type Cue struct {
	mu    sync.Mutex
	fault *Fault // the fault of the next answer; nil for none
	times int    // how many more answers have it; 0 for all
}

// Set makes the next answers fail in this way: as many as times, or all if times is 0. A nil fault ends that.
func (c *Cue) Set(fault *Fault, times int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fault, c.times = fault, times
}

// Script returns script with the cue's faults in place of its own.
func (c *Cue) Script(script Script) Script {
	return func(model string, p *translate.Prompt) Completion {
		completion := script(model, p)
		completion.Fault = c.next()
		return completion
	}
}

// next returns the fault of the next answer; nil for none.
func (c *Cue) next() *Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	fault := c.fault
	if c.times > 0 {
		if c.times--; c.times == 0 {
			c.fault = nil
		}
	}
	return fault
}
