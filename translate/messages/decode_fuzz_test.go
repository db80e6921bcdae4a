package messages

import (
	"bytes"
	stdjson "encoding/json"
	"errors"
	"fmt"
	"io"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

// FuzzDecode checks four rules. Decode accepts only what another strict JSON package accepts. It
// returns the same for the same body. It does not write to the body. Its errors are fit for
// clients.
func FuzzDecode(f *testing.F) {
	for _, body := range []string{
		with(""),
		with(`"tools":[` + weather + `,{"type":"bash_20250124","name":"bash"}],"tool_choice":{"type":"tool","name":"weather"}`),
		with(`"thinking":{"type":"adaptive"},"metadata":{"user_id":"u"},"Model":"x"`),
		with(`"tools":[{"name":"a","input_schema":{"type":"object","a":[{"b":1,"b":2}]}}]`),
		history("user", prose, "assistant", prose+","+use("a"), "user", result("a")),
		withBlock(`{"type":"image","source":{"type":"base64","media_type":"image/png","data":"aGk="}}`),
		withBlock(`{"type":"document","title":"t","source":{"type":"content","content":[{"type":"text","text":"\ud83c\udf0d"}]},"citations":{"enabled":true}}`),
		withBlock(`{"type":"thinking","content":[1,{"type":[]}],"source":[],"text":{}}`),
		`{"model":"m","model":"m"}`, `{"a":{"b":1,"\u0062":2}}`, "{\"model\":\"\xff\"}", `{"model":"\ud800"}`,
		withBlock(`0,0,0`), withBlock(`{},null,"",[]`), withMessages(`0,{}`, `"tools":[0],"stop_sequences":["a",0],"mcp_servers":[{}]`),
		withBlock(`{"type":"text","text":"a","Type":1}`), with(`"a":0,"b.c":{"d":{"e":[[]]}},"Model":1`),
		withMessages(`{"content":[{"text":"a","type":"text"},{"type":"document","source":{"content":[{}],"type":"content"}}],"role":"user"}`, ""),
		with("") + "x", "\ufeff{}", "", "null", "[]", `{"a":[[[[`, `{"a":"\`,
	} {
		f.Add([]byte(body), "", false, false)
		f.Add([]byte(body), Version20261021, true, true)
	}
	f.Fuzz(func(t *testing.T, body []byte, version string, strict, loose bool) {
		opt := DecodeOptions{Version: version, Strict: strict, LooseNames: loose}
		before := bytes.Clone(body)
		r, err := Decode(body, opt)
		again, errAgain := Decode(body, opt)
		if diff := cmp.Diff(r, again); diff != "" || fmt.Sprint(err) != fmt.Sprint(errAgain) {
			t.Fatalf("decoded twice: %v, %v\n%s", err, errAgain, diff)
		}
		if !bytes.Equal(body, before) {
			t.Fatal("Decode wrote to the body")
		}
		if err != nil {
			checkDecodeError(t, err)
			return
		}
		if err := strictObject(body); err != nil {
			t.Fatalf("Decode takes what is not a strict JSON object: %v", err)
		}
		checkDecoded(t, r)
		if strict && r.Dropped != nil {
			t.Fatalf("strict decoding dropped %q", r.Dropped)
		}
		if !strict {
			return
		}
		opt.Strict = false
		lenient, err := Decode(body, opt)
		if err != nil {
			t.Fatalf("taken when strict, but not when lenient: %v", err)
		}
		if diff := cmp.Diff(r, lenient); diff != "" {
			t.Fatalf("lenient decoding of what strict decoding takes differs (-strict +lenient):\n%s", diff)
		}
	})
}

func checkDecodeError(t *testing.T, err error) {
	var invalid *InvalidRequestError
	const longest = 2000
	if !errors.As(err, &invalid) || invalid.Message == "" || len(err.Error()) > longest || !utf8.ValidString(err.Error()) {
		t.Fatalf("not fit to be sent: %#v", err)
	}
}

// checkDecoded checks what the rest of the program relies on.
func checkDecoded(t *testing.T, r *Request) {
	if len(r.Messages) == 0 || r.Model == "" || r.MaxTokens < 0 {
		t.Fatalf("not a request: %+v", r)
	}
	for _, tool := range r.Tools {
		if err := strictObject(tool.InputSchema); err != nil {
			t.Fatalf("the schema of %q: %v", tool.Name, err)
		}
	}
	open := map[string]bool{}
	for _, m := range r.Messages {
		if len(m.Content) == 0 {
			t.Fatal("a message without content")
		}
		for _, b := range m.Content {
			switch b.Type {
			case BlockToolUse:
				open[b.ID] = true
				if err := strictObject(b.Input); err != nil {
					t.Fatalf("the input of %q: %v", b.ID, err)
				}
			case BlockToolResult:
				if !open[b.ToolUseID] {
					t.Fatalf("a result of %q, which is not open", b.ToolUseID)
				}
				delete(open, b.ToolUseID)
			}
		}
	}
	if len(open) > 0 {
		t.Fatalf("calls without a result: %v", open)
	}
}

// strictObject returns an error if text is not exactly one JSON object in valid UTF-8 without
// duplicate names. It uses another package than Decode.
func strictObject(text []byte) error {
	switch {
	case !utf8.Valid(text):
		return errors.New("invalid UTF-8")
	case !stdjson.Valid(text):
		return errors.New("invalid JSON")
	case bytes.TrimLeft(text, " \t\r\n")[0] != '{':
		return errors.New("not an object")
	}
	dec := stdjson.NewDecoder(bytes.NewReader(text))
	dec.UseNumber()
	return uniqueNames(dec)
}

// uniqueNames reads one value and looks for duplicate names in it.
func uniqueNames(dec *stdjson.Decoder) error {
	token, err := dec.Token()
	if err != nil {
		return err
	}
	open, ok := token.(stdjson.Delim)
	if !ok {
		return nil
	}
	names := make(map[string]bool)
	for dec.More() {
		if open == '{' {
			name, err := dec.Token()
			if err != nil {
				return err
			}
			if names[name.(string)] {
				return fmt.Errorf("%q occurs twice in an object", name)
			}
			names[name.(string)] = true
		}
		if err := uniqueNames(dec); err != nil {
			return err
		}
	}
	_, err = dec.Token()
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
