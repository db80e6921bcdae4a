package eval

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"dragoman/translate/messages"
)

// Record is a line of the results: one question, asked once. The record of a loop has the calls of all answers, and the
// text and stop_reason of the last one.
type Record struct {
	Upstream string         `json:"upstream,omitempty"` // [Model].At; missing in older results
	Model    string         `json:"model"`
	Format   string         `json:"format"`
	ID       string         `json:"id"`
	Digest   string         `json:"digest"` // [Question].digest
	Kind     string         `json:"kind,omitempty"`
	Loop     bool           `json:"loop,omitempty"`
	Answers  int            `json:"answers,omitempty"` // 1, or more in a loop; missing in older results
	Wrong    string         `json:"wrong"`             // "" if the answer is right
	Calls    []MadeCall     `json:"calls,omitempty"`
	Text     string         `json:"text,omitempty"`
	Outcomes map[string]int `json:"outcomes,omitempty"` // the number of calls, by how they were read
	// The calls that were not clean, by outcome and reason: "invalid missing_parameters".
	Reasons      map[string]int `json:"reasons,omitempty"`
	StopReason   string         `json:"stop_reason,omitempty"`
	InputTokens  int            `json:"input_tokens"` // including cached tokens
	OutputTokens int            `json:"output_tokens"`
	Milliseconds int64          `json:"ms"`              // of all answers
	Error        string         `json:"error,omitempty"` // why there is no answer; the next run asks again
}

// add adds an answer: its text, its calls and how they were read, its tokens and its time. It returns the answer's
// calls, which are part of the record.
func (r *Record) add(m *messages.Message, took time.Duration) []MadeCall {
	var text strings.Builder
	before := len(r.Calls)
	for _, b := range m.Content {
		switch b.Type {
		case messages.BlockText:
			text.WriteString(b.Text)
		case messages.BlockToolUse:
			c := MadeCall{Name: b.Name}
			if err := unmarshal(b.Input, &c.Input); err != nil {
				panic(err) // a call's input is an object
			}
			r.Calls = append(r.Calls, c)
		}
	}
	r.Text = text.String()
	for _, o := range m.Outcomes {
		count(&r.Outcomes, string(o.Kind))
		if o.Reason != messages.ReasonNone {
			count(&r.Reasons, string(o.Kind)+" "+o.Reason.String())
		}
	}
	r.StopReason = string(m.StopReason)
	r.InputTokens += m.Usage.InputTokens + m.Usage.CacheReadInputTokens + m.Usage.CacheCreationInputTokens
	r.OutputTokens += m.Usage.OutputTokens
	r.Milliseconds += took.Milliseconds()
	r.Answers++
	return r.Calls[before:]
}

// stuck reports whether the record is of a loop in which the model wrote nothing, or made a call again whose result it
// had.
func (r *Record) stuck() bool {
	if !r.Loop {
		return false
	}
	for name := range r.Reasons {
		if strings.HasSuffix(name, " "+messages.ReasonRepeated.String()) {
			return true
		}
	}
	return r.Outcomes[string(messages.OutcomeEmpty)] > 0
}

// count adds one to a number of a map, which may be nil.
func count(m *map[string]int, name string) {
	if *m == nil {
		*m = map[string]int{}
	}
	(*m)[name]++
}

// key identifies a record's question. It contains the digest, so that a changed question is asked again.
type key struct{ upstream, model, format, id, digest string }

// of returns the record of a question. Older records have no upstream.
func (r *results) of(k key) (Record, bool) {
	record, known := r.all[k]
	if !known {
		k.upstream = ""
		record, known = r.all[k]
	}
	return record, known
}

// results are the records of a file that grows. A question without an answer that was asked again has several records;
// the last one counts.
type results struct {
	path string
	file *os.File
	all  map[key]Record // the last record of each question
}

// openResults reads the file, if it exists, and opens it for writing. A killed program may leave half a line at the
// end: openResults cuts it off, so that the next record begins a line. An unreadable line is an error, so that a file
// of another kind is never overwritten.
func openResults(path string) (*results, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	r := &results{path: path, all: map[key]Record{}}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	err = eachLine(bytes.NewReader(whole), func(n int, line []byte) error {
		var record Record
		if err := unmarshal(line, &record); err != nil {
			return fmt.Errorf("%s:%d: not a result of an earlier run: %w", path, n, err)
		}
		r.keep(record)
		return nil
	})
	if err != nil {
		return nil, err
	}
	if r.file, err = os.OpenFile(path, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644); err != nil {
		return nil, err
	}
	if err := r.file.Truncate(int64(len(whole))); err != nil {
		r.close()
		return nil, err
	}
	return r, nil
}

func (r *results) close() { r.file.Close() }

// keep stores the record in place of an earlier one for the same question.
func (r *results) keep(record Record) {
	r.all[key{record.Upstream, record.Model, record.Format, record.ID, record.Digest}] = record
}

// add writes a record to the end of the file.
func (r *results) add(record Record) error {
	r.keep(record)
	_, err := r.file.Write(append(marshal(record), '\n'))
	return err
}

// has reports whether a question has been answered. A record with an error is not an answer.
func (r *results) has(k key) bool {
	record, known := r.of(k)
	return known && record.Error == ""
}

// count returns how many of the questions have been answered.
func (r *results) count(keys []key) (n int) {
	for _, k := range keys {
		if r.has(k) {
			n++
		}
	}
	return n
}

// records returns the records of the keys, in the order of keys.
func (r *results) records(keys []key) []Record {
	var list []Record
	for _, k := range keys {
		record, _ := r.of(k)
		list = append(list, record)
	}
	return list
}
