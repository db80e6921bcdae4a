// Package scoreboard reads completions with Dragoman's parser and with other parsers, and counts their
// results: README.md has the table.
package scoreboard

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"strings"
)

// item is a completion and its meaning.
type item struct {
	ID           string
	Tools        []tool
	Completion   string
	Stop         string
	StopSequence string
	Accepted     [][]call // each of these is correct
	Form         string
	Format       string // only in the tables of formats: the format in the prompt
}

type tool struct {
	Name        string          `json:"name"`
	InputSchema json.RawMessage `json:"input_schema"`
}

// call is a call as a parser reads it. A program returns its input as JSON, or as a string with JSON, so that
// no program changes the numbers.
type call struct {
	Name  string          `json:"name"`
	Input json.RawMessage `json:"input,omitempty"`
	JSON  string          `json:"json,omitempty"`
}

// The forms of a call in the columns of the table.
const (
	legacyForm    = "legacy"
	attributeForm = "attribute"
	otherForm     = "other" // a broken call, another maker's format, or no call
)

var (
	attribute = regexp.MustCompile(`<(\w+:)?invoke\s+name\s*=`)
	legacy    = regexp.MustCompile(`<tool_name>`)
)

func formOf(completion string) string {
	switch {
	case attribute.MatchString(completion):
		return attributeForm
	case legacy.MatchString(completion):
		return legacyForm
	}
	return otherForm
}

// load reads a corpus: JSON lines with tools as an array or by name.
func load(path string) ([]item, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var list []item
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		c, err := read(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
		list = append(list, c)
	}
	return list, lines.Err()
}

func read(line []byte) (item, error) {
	type block struct {
		Type string `json:"type"`
		call
	}
	var l struct {
		ID           string          `json:"id"`
		Tools        json.RawMessage `json:"tools"`
		Completion   string          `json:"completion"`
		Stop         string          `json:"upstream_stop_reason"`
		StopSequence string          `json:"stop_sequence"`
		Expected     []block         `json:"expected"`
		Alternatives [][]block       `json:"alternatives"`
		Repeat       struct {
			Text  string `json:"text"`
			Count int    `json:"count"`
		} `json:"repeat"`
	}
	if err := json.Unmarshal(line, &l); err != nil {
		return item{}, err
	}
	c := item{ID: l.ID, Completion: l.Completion, Stop: l.Stop, StopSequence: l.StopSequence}
	if json.Unmarshal(l.Tools, &c.Tools) != nil {
		var byName map[string]json.RawMessage
		if err := json.Unmarshal(l.Tools, &byName); err != nil {
			return item{}, err
		}
		for name, schema := range byName {
			c.Tools = append(c.Tools, tool{name, schema})
		}
	}
	repeated := strings.Repeat(l.Repeat.Text, l.Repeat.Count)
	quoted, err := json.Marshal(repeated)
	if err != nil {
		return item{}, err
	}
	if repeated != "" {
		c.Completion = strings.Replace(c.Completion, "@@", repeated, 1)
	}
	for _, blocks := range append([][]block{l.Expected}, l.Alternatives...) {
		calls := []call{}
		for _, b := range blocks {
			if b.Type != "tool_use" {
				continue
			}
			if repeated != "" {
				b.Input = json.RawMessage(strings.Replace(string(b.Input), "@@", strings.Trim(string(quoted), `"`), 1))
			}
			calls = append(calls, b.call)
		}
		c.Accepted = append(c.Accepted, calls)
	}
	c.Form = formOf(c.Completion)
	return c, nil
}
