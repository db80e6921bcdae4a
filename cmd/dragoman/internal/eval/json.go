package eval

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// The JSON of test sets and results, one value a line.

// marshal returns JSON with text as the model should see it: encoding/json would escape <, > and & for HTML.
func marshal(v any) json.RawMessage {
	var out bytes.Buffer
	e := json.NewEncoder(&out)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		panic(err) // the value came from JSON
	}
	return bytes.TrimSpace(out.Bytes())
}

// maxLine is the limit of a line of a test set or of the results, in bytes.
const maxLine = 16 << 20

// eachLine calls f for every line that is not blank, with the line's number from 1, until f returns an error. data is
// valid until the next call.
func eachLine(r io.Reader, f func(n int, data []byte) error) error {
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, maxLine)
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		if err := f(n, lines.Bytes()); err != nil {
			return err
		}
	}
	return lines.Err()
}

// unmarshal reads one JSON value. Numbers become a [json.Number], so that no digit is lost before a comparison.
func unmarshal(data []byte, v any) error {
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var misplaced *json.UnmarshalTypeError
	if err := d.Decode(v); errors.As(err, &misplaced) { // the error's own text names Go types
		return fmt.Errorf("%s: this should not be of the kind %s", cmp.Or(misplaced.Field, "the line"), misplaced.Value)
	} else if err != nil {
		return err
	}
	if _, err := d.Token(); !errors.Is(err, io.EOF) {
		return errors.New("more than one JSON value")
	}
	return nil
}
