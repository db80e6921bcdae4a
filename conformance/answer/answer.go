// Package answer reads answers of the proxy as a strict client: it checks each answer against the framing of
// its API and the grammar of its events. It shares no code with the proxy.
package answer

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
)

// Dialect is a client API. Answers of Vertex AI have the form of Messages.
type Dialect string

// The dialects.
const (
	Messages Dialect = "messages"
	Invoke   Dialect = "invoke"   // InvokeModel of Bedrock
	Converse Dialect = "converse" // Converse of Bedrock
)

// Answer is a client's view of a response.
type Answer struct {
	Status   int
	Text     string
	Call     string // the JSON of the call's input, as far as it arrived
	Called   bool   // a call has begun
	Closed   bool   // the call has ended
	Finished bool   // the message says that it is complete
	Stop     string // its stop_reason
	Failure  string // the type of the error, or the name of the exception; "" for no failure
}

// Read reads a response to its end. The error says which rule the response breaks; the answer then has the
// part before it.
func Read(res *http.Response, d Dialect, stream bool) (*Answer, error) {
	a := &Answer{Status: res.StatusCode}
	err := a.read(res, d, stream)
	if err == nil {
		err = a.check()
	}
	return a, err
}

func (a *Answer) read(res *http.Response, d Dialect, stream bool) error {
	switch {
	case a.Status != http.StatusOK:
		return a.readFailure(res)
	case !stream && d == Converse:
		return a.readConversed(res.Body)
	case !stream:
		return a.readMessage(res.Body)
	case d == Converse:
		return a.readConverse(res.Body)
	case d == Invoke:
		return a.readEvents(chunks(res.Body))
	}
	return a.readEvents(serverSent(res.Body))
}

// check checks the rules for every answer: it is either complete or an error, and the input of a cut call is
// not valid JSON.
func (a *Answer) check() error {
	switch {
	case a.Finished == (a.Failure != ""):
		return fmt.Errorf("the message is whole: %t, and its error is %q", a.Finished, a.Failure)
	case a.Called && a.Closed != json.Valid([]byte(a.Call)):
		return fmt.Errorf("the call is whole: %t, and its input is %s", a.Closed, a.Call)
	}
	return nil
}

// readFailure reads the body of an error.
func (a *Answer) readFailure(res *http.Response) error {
	var body struct {
		Error   struct{ Type string }
		Message string
	}
	if err := decode(res.Body, &body); err != nil {
		return err
	}
	if a.Failure = body.Error.Type; body.Message != "" {
		a.Failure = res.Header.Get("x-amzn-errortype")
	}
	if a.Failure == "" {
		return fmt.Errorf("status %d without the type of an error", a.Status)
	}
	return nil
}

// readMessage reads an answer of the Messages API that is not streamed.
func (a *Answer) readMessage(r io.Reader) error {
	var m struct {
		Type    string
		Content []struct {
			Type, Text string
			Input      json.RawMessage
		}
		StopReason string `json:"stop_reason"`
	}
	if err := decode(r, &m); err != nil {
		return err
	}
	for _, b := range m.Content {
		a.Text += b.Text
		if b.Type == "tool_use" {
			a.Called, a.Closed, a.Call = true, true, string(b.Input)
		}
	}
	a.Finished, a.Stop = m.Type == "message" && m.StopReason != "", m.StopReason
	return nil
}

// readConversed reads an answer of Converse.
func (a *Answer) readConversed(r io.Reader) error {
	var m struct {
		Output struct {
			Message struct {
				Content []struct {
					Text    string
					ToolUse *struct{ Input json.RawMessage }
				}
			}
		}
		StopReason string
	}
	if err := decode(r, &m); err != nil {
		return err
	}
	for _, b := range m.Output.Message.Content {
		a.Text += b.Text
		if b.ToolUse != nil {
			a.Called, a.Closed, a.Call = true, true, string(b.ToolUse.Input)
		}
	}
	a.Finished, a.Stop = m.StopReason != "", m.StopReason
	return nil
}

// decode reads one JSON text. No other text may follow it.
func decode(r io.Reader, v any) error {
	data, err := io.ReadAll(r)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(data, v); err != nil {
		return fmt.Errorf("%w in %q", err, data)
	}
	return nil
}

// errUnended is the error of a stream that breaks off without reporting an error.
var errUnended = errors.New("the stream ends without message_stop and without error")
